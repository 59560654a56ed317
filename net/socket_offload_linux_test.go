package netmsg

import (
	"bytes"
	"net/netip"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// withoutOffload makes the kernel refuse, from now on, to cut what s sends, as
// it does for network devices that cannot do their part.
func withoutOffload(t *testing.T, s Socket) {
	t.Helper()
	raw := s.(*batchSocket).raw
	if !setOption(raw, func(fd uintptr) error { return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NO_CHECK, 1) }) {
		t.Skip("SO_NO_CHECK cannot be set")
	}
}

func TestWhatTheKernelWillNotCutGoesOneByOne(t *testing.T) {
	t.Setenv(plainSocketVar, "")
	a, b := udpSocket(t, "127.0.0.1:0"), udpSocket(t, "127.0.0.1:0")
	w := a.(*batchSocket).writer
	if !w.segments {
		t.Skip("this kernel has no UDP_SEGMENT")
	}
	in := &datagramReader{sock: b, batch: newBatch(batchSize, 2000)}
	send := func() {
		t.Helper()
		out := streamTo(b.LocalAddr(), b.LocalAddr(), 0)
		if n, err := a.WriteBatch(out); n != len(out) || err != nil {
			t.Fatalf("wrote %d of %d, %v", n, len(out), err)
		}
		for i := range out {
			if d := in.next(t); !bytes.Equal(d.Data, out[i].Data) {
				t.Fatalf("datagram %d came with %d bytes, want %d", i, len(d.Data), len(out[i].Data))
			}
		}
	}
	send()
	if !w.segments || w.failed != 0 {
		t.Fatalf("it does not cut any more, after %d failures", w.failed)
	}
	withoutOffload(t, a)

	for range 4 {
		send()
	}

	if w.segments {
		t.Error("it still asks for what always fails")
	}
	if m := b.(*batchSocket).merge; m.may && !m.on.Load() {
		t.Error("the reader of a stream does not have it merged")
	}
}

func TestDatagramsThatCanGoTogetherAreOfOneSizeAndAddress(t *testing.T) {
	here, there := netip.MustParseAddrPort("10.0.0.1:1"), netip.MustParseAddrPort("10.0.0.1:2")
	d := func(to netip.AddrPort, size int) Datagram { return Datagram{Addr: to, Data: make([]byte, size)} }
	for _, c := range []struct {
		name string
		b    []Datagram
		want int
	}{
		{"one", []Datagram{d(here, 10)}, 1},
		{"equal", []Datagram{d(here, 10), d(here, 10), d(here, 10)}, 3},
		{"a shorter one is the last", []Datagram{d(here, 10), d(here, 9), d(here, 9)}, 2},
		{"a longer one is another's", []Datagram{d(here, 9), d(here, 10)}, 1},
		{"another address", []Datagram{d(here, 9), d(there, 9)}, 1},
		{"empty ones go alone", []Datagram{d(here, 0), d(here, 0)}, 1},
		{"an empty one ends nothing", []Datagram{d(here, 5), d(here, 0)}, 1},
		{"an IP packet's worth", []Datagram{d(here, 40000), d(here, 25000), d(here, 10)}, 2},
		{"more than that", []Datagram{d(here, 40000), d(here, 25001)}, 1},
	} {
		if got := segmentsOf(c.b); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
	if got := segmentsOf(make([]Datagram, 3*segmentsMost)); got != 1 {
		t.Errorf("got %d of none, want 1", got)
	}
	many := make([]Datagram, 3*segmentsMost)
	for i := range many {
		many[i] = d(here, 100)
	}
	if got := segmentsOf(many); got != segmentsMost {
		t.Errorf("got %d, want %d", got, segmentsMost)
	}
}

func TestADeviceThatCannotCutIsAskedOnce(t *testing.T) {
	for errno, want := range map[syscall.Errno]bool{unix.EIO: false, unix.EINVAL: true} {
		w := newBatchWriter(true)
		here := netip.MustParseAddrPort("127.0.0.1:9")
		w.offer([]Datagram{{Addr: here, Data: []byte("a")}, {Addr: here, Data: []byte("b")}}, true, true)
		w.errno = errno
		if !w.mustCut() || w.segments != want {
			t.Errorf("after %v: segments %v, want %v", errno, w.segments, want)
		}
	}
}

func TestOnlyAStreamIsMerged(t *testing.T) {
	here := netip.MustParseAddrPort("127.0.0.1:9")
	stream, crowd := make([]Datagram, batchSize), make([]Datagram, batchSize)
	for i := range stream {
		stream[i].Addr = here
		crowd[i].Addr = netip.AddrPortFrom(here.Addr(), uint16(i+1))
	}
	for _, c := range []struct {
		name string
		m    *merging
		b    []Datagram
		want bool
	}{
		{"a stream", &merging{may: true}, stream, true},
		{"a crowd", &merging{may: true}, crowd, false},
		{"a few", &merging{may: true}, stream[:batchSize-1], false},
		{"where it is forbidden", &merging{}, stream, false},
	} {
		if c.m.note(c.b); c.m.asks.Load() != c.want {
			t.Errorf("%s: merging %v, want %v", c.name, !c.want, c.want)
		}
	}
}

func TestASocketTellsHowMuchItHolds(t *testing.T) {
	t.Setenv(plainSocketVar, "")
	s := udpSocket(t, "127.0.0.1:0").(*batchSocket)
	if got := s.room(); got < 64<<10 || got > socketBuffer {
		t.Errorf("got %d bytes", got)
	}
	setOption(s.raw, func(fd uintptr) error { return unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, 128<<10) })
	if got := s.room(); got != 128<<10 {
		t.Errorf("got %d bytes, want 131,072", got)
	}

	forceRoom(s.raw)

	if got := s.room(); got != 128<<10 && got != socketBuffer {
		t.Errorf("got %d bytes, want those or all that were asked for", got)
	}
}
