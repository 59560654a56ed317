package inbox

import (
	"errors"
	"net"
	"net/netip"
	"testing"

	netmsg "github.com/partyline-go/partyline/net"
)

var somebody = netip.MustParseAddrPort("192.0.2.1:5000")

func TestDatagramsAreReadInTheOrderInWhichTheyCame(t *testing.T) {
	in := New(NewBuffers(16))
	sent := []byte("first")
	in.Put(somebody, sent)
	copy(sent, "later") // the inbox has a copy
	in.Put(somebody, []byte("a second, cut"))

	b := make([]netmsg.Datagram, 3)
	for i := range b {
		b[i].Data = make([]byte, 0, 8)
	}
	n, err := in.ReadBatch(b)

	if n != 2 || err != nil || string(b[0].Data) != "first" || string(b[1].Data) != "a second" || b[1].Addr != somebody {
		t.Errorf("read %d datagrams, %q, error %v", n, b, err)
	}
	if in.TryRead(&b[2]) {
		t.Error("a third was read")
	}
}

func TestAFullInboxLosesWhatComes(t *testing.T) {
	in := New(NewBuffers(16))
	for range most + 1 {
		in.Put(somebody, nil)
	}

	n := 0
	for d := (netmsg.Datagram{}); in.TryRead(&d); {
		n++
	}

	if n != most {
		t.Errorf("%d datagrams were held, want %d", n, most)
	}
}

func TestAClosedInboxIsReadNoMore(t *testing.T) {
	in := New(NewBuffers(16))
	in.Put(somebody, []byte("too late"))
	in.Closed = true

	if n, err := in.ReadBatch(make([]netmsg.Datagram, 1)); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("read %d datagrams, error %v, want net.ErrClosed", n, err)
	}
}

func TestBuffersServeAgain(t *testing.T) {
	in := New(NewBuffers(16))
	d := netmsg.Datagram{Data: make([]byte, 0, 16)}

	allocs := testing.AllocsPerRun(100, func() {
		in.Put(somebody, []byte("again"))
		for in.TryRead(&d) {
		}
	})

	if allocs != 0 {
		t.Errorf("a datagram takes %v allocations once the buffers are there, want none", allocs)
	}
}
