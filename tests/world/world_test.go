package world

import (
	"fmt"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"

	"github.com/partyline-go/partyline/matchmaker"
)

// chatter runs hosts behind all kinds of routers over links that lose and
// jitter, a relay and a matchmaker that goes and comes, and gives the trace.
func chatter(seed uint64) uint64 {
	w := New(seed)
	service := w.NewService("198.51.100.1")
	var sockets []*Socket
	var lines []*line
	for i, mapping := range behaviours {
		for j, filtering := range behaviours {
			r := w.Internet.Router(fmt.Sprintf("203.0.113.%d", 10*i+j+1), NAT{Mapping: mapping, Filtering: filtering, RandomPorts: i != j})
			r.SetLink(netmsg.LinkConfig{Latency: 20 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.2, Duplicate: 0.1})
			h := r.LAN.Host("10.0.1.2")
			sockets = append(sockets, h.Socket(5000))
			lines = append(lines, h.line(service.Matchmaker))
		}
	}
	for i := range 400 {
		w.Advance(time.Second / 60)
		for j, s := range sockets {
			s.Send(sockets[(i+j)%len(sockets)].addr, fmt.Append(nil, i, len(s.heard())))
			s.Send(service.Relay.host.sockets[matchmaker.DefaultPort].addr, []byte{relayAllocate})
		}
		if i%100 == 50 {
			lines[i/100].Send(matchmaker.Message{T: matchmaker.Open, App: matchmaker.Bytes("x"), Key: make([]byte, 32)})
		}
		switch i {
		case 150:
			service.Stop()
		case 250:
			service.Start()
		}
	}
	return w.Trace()
}

func TestSameSeedIsTheSameWorld(t *testing.T) {
	for seed := range uint64(3) {
		first := chatter(seed)
		if second := chatter(seed); second != first {
			t.Errorf("seed %d gave traces %016x and %016x", seed, first, second)
		}
		if other := chatter(seed + 1); other == first {
			t.Errorf("seeds %d and %d gave the same trace", seed, seed+1)
		}
	}
}

func TestTimersGoOffInTheOrderInWhichTheyAreDue(t *testing.T) {
	w := New(1)
	var order []string
	for _, d := range []time.Duration{3, 1, 2, 1} {
		w.After(d*time.Second, func() { order = append(order, fmt.Sprint(d, "@", w.Now())) })
	}

	w.Advance(2 * time.Second)
	want(t, order, "1ns@1s", "1ns@1s", "2ns@2s")
	w.Advance(2 * time.Second)

	want(t, order, "1ns@1s", "1ns@1s", "2ns@2s", "3ns@3s")
}
