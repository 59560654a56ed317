package nlp

import (
	"bytes"
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"
)

// testHub gives what a Hub sends to whom.
type testHub struct {
	*Hub
	t   *testing.T
	now time.Duration
}

func (h *testHub) said(from string, b []byte) { h.Receive(h.now, netip.MustParseAddrPort(from), b) }

func (h *testHub) sent() map[string][]Packet {
	all := make(map[string][]Packet)
	for {
		var buf [MaxDatagram]byte
		n, to := h.Transmit(h.now, buf[:])
		if n == 0 {
			return all
		}
		p, ok := Parse(buf[:n])
		if !ok {
			h.t.Fatalf("sent %x", buf[:n])
		}
		p.Data = bytes.Clone(p.Data)
		all[to.String()] = append(all[to.String()], p)
	}
}

const p1, p2, p3 = "127.0.0.1:1001", "127.0.0.1:1002", "127.0.0.1:1003"

// twoPlayers is a Hub with two places, both taken.
func twoPlayers(t *testing.T) *testHub {
	h := &testHub{Hub: NewHub(HubConfig{Clients: 2}), t: t}
	v := vectors(t)
	h.said(p1, v["safe.connect"])
	h.said(p2, v["safe.connect"])
	got := h.sent()
	for addr, n := range map[string]byte{p1: 1, p2: 2} {
		if a := got[addr]; len(a) != 1 || a[0].Type != 1 || !bytes.Equal(a[0].Data, []byte{n}) || a[0].Ack != 1 {
			t.Fatalf("%s heard %+v, want its number %d", addr, a, n)
		}
	}
	for range h.Events() {
	}
	return h
}

func TestRowZ25PacketForOthersIsRelayedWithTheServersOwnNumberAndNoRecipients(t *testing.T) {
	h := twoPlayers(t)
	v := vectors(t)

	h.said(p1, v["ttt.p1.cursor.send"])

	got := h.sent()
	want, _ := Parse(v["ttt.p2.cursor.relayed"])
	if len(got[p2]) != 1 || len(got[p1]) != 0 {
		t.Fatalf("sent %+v", got)
	}
	if p := got[p2][0]; p.Type != want.Type || p.Flags != want.Flags || p.Recipients != 0 || !bytes.Equal(p.Data, want.Data) {
		t.Fatalf("relayed %+v, want %+v", p, want)
	}
	for e := range h.Events() {
		t.Fatalf("the game heard %+v", e)
	}
}

func TestPacketWithoutRecipientsIsTheGames(t *testing.T) {
	h := twoPlayers(t)
	b, _ := Packet{Version: 1, Type: 9, Seq: 2, Data: []byte("hi")}.Append(nil)
	h.said(p2, b)
	var got []HubEvent
	for e := range h.Events() {
		got = append(got, e)
	}
	if len(got) != 1 || got[0].Kind != ClientSaid || got[0].Client != 2 || string(got[0].Packet.Data) != "hi" {
		t.Fatalf("heard %+v", got)
	}
}

func TestThirdOfTwoHearsThatAllPlacesAreTakenAndStrangersHearNothing(t *testing.T) {
	h := twoPlayers(t)
	h.said(p3, vectors(t)["ttt.p1.cursor.send"])
	if got := h.sent(); len(got) != 0 {
		t.Fatalf("a stranger heard %+v", got)
	}
	h.said(p3, vectors(t)["safe.connect"])
	if got := h.sent()[p3]; len(got) != 1 || got[0].Type != DefaultFull {
		t.Fatalf("heard %+v", got)
	}
}

func TestRowZ27NumberOfASilentClientIsFreeAgain(t *testing.T) {
	h := twoPlayers(t)
	ack, _ := Packet{Version: 1, Type: 0, Flags: Unreliable, Ack: 1}.Append(nil)
	var left []int
	for ; h.now < 7*time.Second; h.now += 20 * time.Millisecond {
		for addr, all := range h.sent() {
			if addr == p1 {
				ack, _ = Packet{Version: 1, Flags: Unreliable, Ack: all[len(all)-1].Seq, Bits: 0x7FFF}.Append(nil)
			}
		}
		h.said(p1, ack)
		for e := range h.Events() {
			if e.Kind == ClientLeft {
				left = append(left, e.Client)
			}
		}
	}
	if len(left) != 1 || left[0] != 2 || h.Len() != 1 {
		t.Fatalf("left %v, %d remain", left, h.Len())
	}
	h.said(p3, vectors(t)["safe.connect"])
	if got := h.sent()[p3]; len(got) != 1 || got[0].Data[0] != 2 {
		t.Fatalf("heard %+v, want number 2", got)
	}
}

func TestAServerMayBeClosedAgain(t *testing.T) {
	s, err := Listen("127.0.0.1:0", HubConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := s.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed again: error %v, want net.ErrClosed", err)
	}
}

func TestServerOverRealSockets(t *testing.T) {
	s, err := Listen("127.0.0.1:0", HubConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := net.Dial("udp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.Write(vectors(t)["safe.connect"])

	var buf [MaxDatagram]byte
	c.SetReadDeadline(time.Now().Add(20 * time.Second))
	n, err := c.Read(buf[:])
	if err != nil {
		t.Fatal(err)
	}
	if p, ok := Parse(buf[:n]); !ok || p.Type != 1 || !bytes.Equal(p.Data, []byte{1}) {
		t.Fatalf("heard %x", buf[:n])
	}
	if got := s.Poll(); len(got) != 1 || got[0].Kind != ClientJoined {
		t.Fatalf("polled %+v", got)
	}
}

func TestRowZ24NumbersGoToThirtyTwoAndAMaskNamesTheirBits(t *testing.T) {
	h := &testHub{Hub: NewHub(HubConfig{}), t: t}
	addr := func(n int) string {
		return netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), uint16(2000+n)).String()
	}
	for n := 1; n <= 33; n++ {
		h.said(addr(n), vectors(t)["safe.connect"])
	}
	got := h.sent()
	for n := 1; n <= 32; n++ {
		if a := got[addr(n)]; len(a) != 1 || a[0].Recipients != 1<<(n-1) || !bytes.Equal(a[0].Data, []byte{byte(n)}) {
			t.Fatalf("client %d heard %+v", n, a)
		}
	}
	if a := got[addr(33)]; len(a) != 1 || a[0].Type != DefaultFull {
		t.Fatalf("the 33rd heard %+v", a)
	}
	b, _ := Packet{Version: 1, Type: 9, Seq: 2, Recipients: 0x80000003}.Append(nil)
	h.said(addr(5), b)
	got = h.sent()
	if len(got) != 3 || len(got[addr(1)]) != 1 || len(got[addr(2)]) != 1 || len(got[addr(32)]) != 1 {
		t.Fatalf("mask 80000003 reached %d clients: %+v", len(got), got)
	}
}

func TestRowZ26TypesOneAnd255AreTheGames(t *testing.T) {
	h := twoPlayers(t)
	for i, kind := range []byte{255, 1, 0} {
		b, _ := Packet{Version: 1, Type: kind, Seq: uint16(2 + i)}.Append(nil)
		h.said(p1, b)
	}
	var heard []uint8
	for e := range h.Events() {
		heard = append(heard, e.Packet.Type)
	}
	// 1 is the Hub's own here: how a client asks for a place.
	if !bytes.Equal(heard, []byte{255}) {
		t.Fatalf("the game heard types %v", heard)
	}
	s := newTestSession(t)
	s.receive(Packet{Type: 1, Seq: 1})
	s.receive(Packet{Type: 255, Seq: 2})
	if got := s.got(); len(got) != 2 {
		t.Fatalf("a session handed over %v", got)
	}
}

// Whatever comes from whomever, a Hub holds no more than its places need, and
// says little to those who have none.
func FuzzHub(f *testing.F) {
	for _, b := range vectors(f) {
		f.Add(append([]byte{byte(len(b)), 1}, b...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		h := NewHub(HubConfig{Clients: 3})
		var now time.Duration
		var buf [MaxDatagram]byte
		for len(data) > 1 {
			n := min(int(data[0]), len(data)-2)
			from := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), 1000+uint16(data[1]&7))
			now += time.Duration(data[1]) * 10 * time.Millisecond
			h.Receive(now, from, data[2:2+n])
			data = data[2+n:]
			sent := 0
			for k, _ := h.Transmit(now, buf[:]); k > 0; k, _ = h.Transmit(now, buf[:]) {
				if sent++; sent > 3*(Window+4*MaxQueued) {
					t.Fatalf("%d datagrams at once", sent)
				}
			}
		}
		if h.Len() > 3 || len(h.byAddr) > 3 || len(h.refused) > MaxClients {
			t.Fatalf("%d clients, %d addresses, %d refused", h.Len(), len(h.byAddr), len(h.refused))
		}
	})
}
