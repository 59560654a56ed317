package netmsg

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"
)

// eachSocket runs body with every kind of UDP socket there is here.
func eachSocket(t *testing.T, body func(t *testing.T)) {
	t.Run("usual", body)
	if runtime.GOOS == "linux" {
		t.Run("plain", func(t *testing.T) {
			t.Setenv("PARTYLINE_PLAIN_SOCKET", "1")
			body(t)
		})
		t.Run("batches alone", func(t *testing.T) {
			t.Setenv("PARTYLINE_PLAIN_SOCKET", "2")
			body(t)
		})
	}
}

func udpSocket(t *testing.T, addr string) Socket {
	t.Helper()
	s, err := bindOne(netip.MustParseAddrPort(addr))
	switch a := netip.MustParseAddrPort(addr); {
	case err != nil && a.Addr().Is6():
		t.Skip("no IPv6:", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestASocketCarriesBatchesWhole(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		eachSocket(t, func(t *testing.T) {
			a, b := udpSocket(t, addr), udpSocket(t, addr)
			const count = 150 // more than two system calls carry
			out := newBatch(count, 2000)
			for i := range out {
				out[i].Addr = b.LocalAddr()
				out[i].Data = fmt.Append(out[i].Data, i)
				out[i].Data = append(out[i].Data, make([]byte, 10*i)...)
			}
			if n, err := a.WriteBatch(out); n != count || err != nil {
				t.Fatalf("wrote %d, %v", n, err)
			}
			in := newBatch(40, 2000)
			for got := 0; got < count; {
				n, err := b.ReadBatch(in)
				if err != nil {
					t.Fatal(err)
				}
				for _, d := range in[:n] {
					if want := out[got]; !bytes.Equal(d.Data, want.Data) || d.Addr != a.LocalAddr() {
						t.Fatalf("datagram %d came as %d bytes from %v", got, len(d.Data), d.Addr)
					}
					got++
				}
			}
		})
	}
}

// A stream is what bulk looks like: datagrams of one size, with a shorter one
// now and then, an empty one, and one for somebody else in between.
func TestAStreamArrivesWholeAndInOrder(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0"} {
		eachSocket(t, func(t *testing.T) {
			a, b, other := udpSocket(t, addr), udpSocket(t, addr), udpSocket(t, addr)
			in := &datagramReader{sock: b, batch: newBatch(batchSize, 2000)}
			for round := range 12 { // from the third on what comes is merged, where it can be
				out := streamTo(b.LocalAddr(), other.LocalAddr(), round)
				if n, err := a.WriteBatch(out); n != len(out) || err != nil {
					t.Fatalf("wrote %d of %d, %v", n, len(out), err)
				}
				for _, want := range out {
					if want.Addr != b.LocalAddr() {
						continue
					}
					d := in.next(t)
					if !bytes.Equal(d.Data, want.Data) || d.Addr != a.LocalAddr() {
						t.Fatalf("round %d: got %d bytes from %v, want %d: %.8x and %.8x", round, len(d.Data), d.Addr, len(want.Data), d.Data, want.Data)
					}
				}
			}
		})
	}
}

func streamTo(to, other netip.AddrPort, round int) []Datagram {
	out := newBatch(170, 2000)
	for i := range out {
		size := 1100
		switch {
		case i%50 == 49:
			size = 300
		case i%70 == 69:
			size = 0
		}
		out[i].Addr = to
		if i == 100 {
			out[i].Addr = other
		}
		out[i].Data = out[i].Data[:size]
		for k := range out[i].Data {
			out[i].Data[k] = byte(i + k + round)
		}
	}
	return out
}

// A datagramReader takes datagrams one by one off a socket.
type datagramReader struct {
	sock  Socket
	batch []Datagram
	rest  []Datagram
}

func (r *datagramReader) next(t *testing.T) Datagram {
	t.Helper()
	if len(r.rest) == 0 {
		n, err := r.sock.ReadBatch(r.batch)
		if err != nil || n == 0 {
			t.Fatalf("read %d, %v", n, err)
		}
		r.rest = r.batch[:n]
	}
	d := r.rest[0]
	r.rest = r.rest[1:]
	return d
}

func TestASocketGoesOnAfterADatagramThatCannotGo(t *testing.T) {
	eachSocket(t, func(t *testing.T) {
		a, b := udpSocket(t, "127.0.0.1:0"), udpSocket(t, "127.0.0.1:0")
		box := newOutbox([]Socket{a}, false, 2048)
		for _, to := range []string{b.LocalAddr().String(), "[2001:db8::1]:9", b.LocalAddr().String(), "127.0.0.1:0", b.LocalAddr().String()} {
			copy(box.room(), "abc")
			box.add(3, netip.MustParseAddrPort(to))
		}
		box.send()
		if box.sent != 3 || box.unsent != 2 {
			t.Errorf("sent %d, not sent %d", box.sent, box.unsent)
		}
		in := newBatch(1, 2048)
		for range 3 {
			if _, err := b.ReadBatch(in); err != nil || string(in[0].Data) != "abc" {
				t.Errorf("got %q, %v", in[0].Data, err)
			}
		}
	})
}

func TestClosingASocketEndsItsReader(t *testing.T) {
	eachSocket(t, func(t *testing.T) {
		s := udpSocket(t, "127.0.0.1:0")
		ended := make(chan error)
		go func() {
			_, err := s.ReadBatch(newBatch(1, 100))
			ended <- err
		}()
		time.Sleep(10 * time.Millisecond)
		s.Close()
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("got %v", err)
		}
		if _, err := s.WriteBatch([]Datagram{{Addr: s.LocalAddr(), Data: []byte("x")}}); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a write returns %v", err)
		}
	})
}

func TestFramesReadAnySocketWithoutWaiting(t *testing.T) {
	eachSocket(t, func(t *testing.T) {
		a, b := udpSocket(t, "127.0.0.1:0"), withoutWaiting([]Socket{udpSocket(t, "127.0.0.1:0")}, 2048)[0].(frameSocket)
		in := newBatch(8, 2048)
		if n, err := b.tryReadBatch(in); n != 0 || err != nil {
			t.Fatalf("of nothing it read %d, %v", n, err)
		}
		for i := range 20 {
			a.WriteBatch([]Datagram{{Addr: b.LocalAddr(), Data: fmt.Append(nil, i)}})
		}
		got := 0
		eventually(t, "all is read", func() bool {
			n, _ := b.tryReadBatch(in)
			for _, d := range in[:n] {
				if string(d.Data) != fmt.Sprint(got) || d.Addr != a.LocalAddr() {
					t.Fatalf("datagram %d came as %q from %v", got, d.Data, d.Addr)
				}
				got++
			}
			return got == 20
		})
		b.Close()
	})
}

func TestReadingAndWritingAllocateNothing(t *testing.T) {
	a, b := udpSocket(t, "127.0.0.1:0"), udpSocket(t, "127.0.0.1:0")
	out, in := newBatch(8, 100), newBatch(8, 100)
	for i := range out {
		out[i] = Datagram{Addr: b.LocalAddr(), Data: append(out[i].Data, "abc"...)}
	}
	if n := testing.AllocsPerRun(100, func() {
		a.WriteBatch(out)
		for got := 0; got < len(out); {
			n, _ := b.ReadBatch(in)
			got += n
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAPortWithoutAHostIsOfBothFamilies(t *testing.T) {
	e := MustListen(":0", nil, plainConfig())
	defer e.Close()
	families := 0
	for _, addr := range []string{"127.0.0.1", "[::1]"} {
		c, err := Dial(fmt.Sprintf("%s:%d", addr, e.Addr().Port()), nil, plainConfig())
		if err != nil {
			t.Log(err)
			continue
		}
		defer c.Close()
		if c.socks[0].LocalAddr().Addr().Is6() && !hasFamily(netip.IPv6Loopback()) {
			continue
		}
		families++
		eventually(t, addr+" joins", func() bool { return e.Len() == families && c.Len() == 1 })
	}
	for c := range e.Conns() {
		if c.Addr().Addr().Is4In6() {
			t.Errorf("a client's address is %v", c.Addr())
		}
	}
}

func TestAPortInUseIsAnError(t *testing.T) {
	for _, addr := range []string{"127.0.0.1", ""} {
		e := MustListen(addr+":0", nil, nil)
		defer e.Close()
		again := fmt.Sprintf("%s:%d", addr, e.Addr().Port())
		if _, err := Listen(again, nil, nil); err == nil {
			t.Errorf("%q could be bound twice", again)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Error("MustListen does not panic")
				}
			}()
			MustListen(again, nil, nil)
		}()
	}
	for _, bad := range []string{"", "127.0.0.1", "127.0.0.1:99999", "[::1", "nobody..invalid:1"} {
		if _, err := Listen(bad, nil, nil); err == nil {
			t.Errorf("Listen takes %q", bad)
		}
	}
	for _, bad := range []string{"", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "[::1"} {
		if _, err := Dial(bad, nil, nil); err == nil {
			t.Errorf("Dial takes %q", bad)
		}
	}
}

func TestAddressesAreComparedInOneForm(t *testing.T) {
	for in, want := range map[string]string{
		"1.2.3.4:5":          "1.2.3.4:5",
		"[::ffff:1.2.3.4]:5": "1.2.3.4:5",
		"0.0.0.0:5":          "127.0.0.1:5",
		"[::]:5":             "[::1]:5",
		"[fe80::1%7]:5":      "[fe80::1%7]:5",
		"[fe80::1%lo]:5":     "[fe80::1%1]:5",
	} {
		if runtime.GOOS != "linux" && in == "[fe80::1%lo]:5" {
			continue
		}
		if got := canonical(netip.MustParseAddrPort(in)); got.String() != want {
			t.Errorf("%v becomes %v, want %v", in, got, want)
		}
	}
}
