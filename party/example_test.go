package party_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

const kindChat party.Kind = 2

// A game is all that both sides need; its frame is the same for host and guest.
type game struct {
	name  string
	party *party.Party
	notes []string
}

func (g *game) frame() {
	g.party.Begin(time.Second / 60)
	for m := range g.party.Inbox() {
		switch m.Kind {
		case party.Hello:
			pid := g.party.Accept(m.From)
			g.note("%s is in as %d", m.Str(), pid)
		case kindChat:
			if text := m.Text(); m.Err() == nil {
				g.note("%d says %q", m.By, text)
			}
		}
	}
	g.party.Update()
	g.party.End()
	for f := range g.party.Facts() {
		if f.Kind == party.Joined || f.Kind == party.Down {
			g.note("%v %v", f.Kind, f.PID)
		}
	}
}

func (g *game) note(format string, args ...any) {
	g.notes = append(g.notes, g.name+": "+fmt.Sprintf(format, args...))
}

func (g *game) chat(text string) error {
	w := g.party.Write(kindChat)
	w.Text(text, 500)
	return w.SendAll(party.Reliable)
}

// A host and a guest, each with its frames, in one program for once.
func Example() {
	host := &game{name: "host", party: party.New(party.Config{})}
	if err := host.party.Host(0, 1); err != nil { // 0: any port
		fmt.Println(err)
		return
	}
	defer host.party.Leave()

	guest := &game{name: "guest", party: party.New(party.Config{})}
	w := guest.party.Write(party.Hello)
	w.Str("Ada")
	w.SetHello()
	here := netip.AddrPortFrom(netip.MustParseAddr("127.0.0.1"), host.party.Port())
	if err := guest.party.Join(codes.Target{Addr: here}); err != nil {
		fmt.Println(err)
		return
	}
	defer guest.party.Leave()

	play(func() bool { return guest.party.State().Joined() }, host, guest)
	guest.chat("is anybody there?")
	play(func() bool { return len(host.notes) == 3 }, host, guest)

	for _, note := range append(host.notes, guest.notes...) {
		fmt.Println(note)
	}
	// Output:
	// host: Ada is in as 2
	// host: Joined 2
	// host: 2 says "is anybody there?"
	// guest: Joined 2
}

// play runs frames until something has happened.
func play(happened func() bool, games ...*game) {
	for frames := 0; !happened() && frames < 6000; frames++ {
		for _, g := range games {
			g.frame()
		}
		time.Sleep(time.Millisecond) // Ebitengine waits for the next tick
	}
}

// The host shows its code to the players' friends.
func ExampleParty_Host() {
	p := party.New(party.Config{})
	if err := p.Host(party.DefaultPort, 2026); err != nil {
		fmt.Println("nobody can join:", err)
		return
	}
	defer p.Leave()
	fmt.Println("tell your friends:", p.JoinCode())
}

// A player has typed a friend's code.
func ExampleParty_Join() {
	p := party.New(party.Config{})
	to, err := codes.Parse(" fw000-0bb2y ", party.DefaultPort)
	if err != nil {
		fmt.Println("that is no code:", err)
		return
	}
	if err := p.Join(to); err != nil {
		fmt.Println("cannot join:", err)
		return
	}
	fmt.Println(p.State(), "at", p.Target().Addr)
	p.Cancel()
	// Output: joining at 127.0.0.1:27415
}

// Members talk to each other over the host.
func ExampleWriter_SendTo() {
	p := party.New(party.Config{})
	w := p.Write(kindChat)
	w.Text("psst, only you two", 500)
	if err := w.SendTo(party.Reliable, 3, 5); err != nil {
		fmt.Println(err)
	}
	// Output: party: no session: call Host or Join first
}
