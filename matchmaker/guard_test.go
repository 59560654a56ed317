package matchmaker

import (
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pion/stun/v4"
)

// sendUDP sends datagrams to the server, all at once.
func sendUDP(t *testing.T, to netip.AddrPort, datagrams ...[]byte) *net.UDPConn {
	t.Helper()
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	for _, d := range datagrams {
		if _, err := c.Write(d); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// askUDP sends datagrams to the server and gives the answers that come before it
// has been silent for a while.
func askUDP(t *testing.T, to netip.AddrPort, datagrams ...[]byte) (answers [][]byte) {
	t.Helper()
	c := sendUDP(t, to, datagrams...)
	buf := make([]byte, 2048)
	for {
		c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
		n, err := c.Read(buf)
		if err != nil {
			return answers
		}
		answers = append(answers, append([]byte(nil), buf[:n]...))
	}
}

func TestSTUNAnswersANetworkTwentyTimesASecond(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	var questions, requests [][]byte
	for i := range 100 {
		id := TransactionID{byte(i), 1}
		questions = append(questions, BindingRequest(id))
		allocate := stun.MustBuild(stun.NewTransactionIDSetter(id), stun.NewType(stun.MethodAllocate, stun.ClassRequest))
		requests = append(requests, allocate.Raw)
	}

	for what, asked := range map[string][][]byte{"questions": questions, "requests to the relay": requests} {
		began := time.Now()
		got := len(askUDP(t, s.Addr(), asked...))

		most := stunPerSecond + int(stunPerSecond*time.Since(began).Seconds())
		if got < stunPerSecond || got > most {
			t.Errorf("%d of 100 %s were answered, want %d to %d", got, what, stunPerSecond, most)
		}
	}
	if dropped := s.relay.dropped.Load(); dropped < 100 {
		t.Errorf("%d datagrams over the pace are counted", dropped)
	}
}

func TestWhoIsOnTheRelayIsNotPaced(t *testing.T) {
	var dropped atomic.Uint64
	member := &net.UDPAddr{IP: net.IPv4(203, 0, 113, 5), Port: 5000}
	stranger := &net.UDPAddr{IP: net.IPv4(203, 0, 113, 6), Port: 5000}
	users := newRelayUsers("s", 32)
	users.add(member, "room", 1)
	c := newGuardedConn(nil, users.known, &dropped)
	request := stun.MustBuild(stun.TransactionID, stun.NewType(stun.MethodRefresh, stun.ClassRequest)).Raw
	passed := func(from *net.UDPAddr) (n int) {
		for range 100 {
			if c.pass(request, from.AddrPort(), from) {
				n++
			}
		}
		return n
	}

	if n := passed(stranger); n < stunPerSecond || n == 100 {
		t.Errorf("%d of a stranger's 100 requests passed", n)
	}
	if n := passed(member); n != 100 {
		t.Errorf("%d of 100 requests passed of who is on the relay", n)
	}
	users.add(member, "room", -1)
	if n := passed(member); n == 100 {
		t.Error("who was on the relay is not paced")
	}
}

func TestSTUNAnswersHaveAtMostTwentyBytesOverTheQuestion(t *testing.T) {
	bare := stun.MustBuild(stun.TransactionID, stun.BindingRequest).Raw
	marked := BindingRequest(TransactionID{1})
	for _, c := range []struct {
		from     string
		question []byte
		want     int // bytes of the answer, 0 for none
	}{
		{"203.0.113.5:4000", bare, 32},
		{"203.0.113.5:4000", marked, 40},
		{"[::ffff:203.0.113.5]:4000", bare, 32},
		{"[2001:db8::5]:4000", marked, 44},
		{"[2001:db8::5]:4000", bare, 0},
	} {
		from := netip.MustParseAddrPort(c.from)
		answer, ok := BindingAnswer(c.question, from)
		if len(answer) != c.want || ok != (c.want > 0) {
			t.Errorf("%d bytes from %v are answered with %d, want %d", len(c.question), from, len(answer), c.want)
		}
		if !ok {
			continue
		}
		_, seen, ok := ParseBinding(answer)
		if want := netip.AddrPortFrom(from.Addr().Unmap(), from.Port()); !ok || seen != want {
			t.Errorf("from %v: the answer says %v", from, seen)
		}
	}
}

// The matchmaker is told addresses by whoever likes, and sends nothing to any of
// them: candidates are passed on, and the relay needs a permission that its user
// asks for.
func TestNoDatagramGoesToAnAddressThatHasNotAsked(t *testing.T) {
	s := startServer(t, ServerConfig{AllowPrivate: true})
	victim, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer victim.Close()
	at := victim.LocalAddr().String()

	host, guest := dialLine(t, s.URL()), dialLine(t, s.URL())
	open := openRoom(1)
	open.Cands = cand(at)
	host.Send(open)
	room := hear(t, host, RoomIs)
	for range 10 {
		guest.Send(Message{T: Join, Code: room.Code, Proto: 1, Key: keyOf(2), Cands: cand(at)})
		m := hear(t, guest, Peer)
		hear(t, host, Peer)
		guest.Send(Message{T: Cands, To: m.ID, Cands: cand(at)})
		hear(t, host, Cands)
	}
	relayed, err := turnClient(t, s, "")
	if err != nil {
		t.Fatal(err)
	}
	defer relayed.Close()
	if got := askUDP(t, s.Addr(), BindingRequest(TransactionID{7})); len(got) != 1 {
		t.Fatalf("%d answers to who asked", len(got))
	}

	victim.SetReadDeadline(time.Now().Add(time.Second))
	if n, from, err := victim.ReadFrom(make([]byte, 2048)); err == nil {
		t.Errorf("%d bytes came from %v", n, from)
	}
}
