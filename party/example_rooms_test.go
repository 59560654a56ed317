package party_test

import (
	"fmt"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/party"
)

// frames draws frames until something has happened, and lets everybody in.
func frames(happened func() bool, parties ...*party.Party) {
	for n := 0; !happened() && n < 6000; n++ {
		for _, p := range parties {
			p.Begin(time.Second / 60)
			for m := range p.Inbox() {
				if m.Kind == party.Hello {
					p.Accept(m.From)
				}
			}
			p.Update()
			p.End()
		}
		time.Sleep(time.Millisecond)
	}
}

// A host opens a room, and a guest joins by its code. The matchmaker is one in
// this program, as for a game on a local network; mostly it is a server
// elsewhere.
func Example_rooms() {
	server, err := matchmaker.Start(matchmaker.ServerConfig{Addr: "127.0.0.1:0", AllowPrivate: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	cfg := party.Config{SignalURL: server.URL()} // or "wss://play.example.com"
	host, guest := party.New(cfg), party.New(cfg)
	host.Host(0, 1)
	frames(func() bool { return host.Room() != "" }, host)

	to, err := codes.Parse(host.Room(), party.DefaultPort) // "7K3M-Q0ZD", read aloud
	if err != nil {
		fmt.Println(err)
		return
	}
	guest.Write(party.Hello).SetHello()
	guest.Join(to)
	frames(func() bool { return guest.State().Joined() }, host, guest)
	fmt.Println("in:", guest.State().Joined(), "verified:", guest.PeerOf(1).Verified(), guest.PeerOf(1).Path())

	guest.Leave()
	host.Leave()
	// Output: in: true verified: true local
}

// What a game tells its player of rooms.
func ExampleFact_rooms() {
	p := party.New(party.Config{SignalURL: "wss://play.example.com"})
	for f := range p.Facts() {
		switch {
		case f.Kind == party.RoomOpen:
			fmt.Println("tell your friends:", f.Text)
		case f.Kind == party.RoomFailed:
			fmt.Println("no room:", f.Why, "- the join code still works:", p.JoinCode())
		case f.Kind == party.Down && f.Why == party.WhyNoPath:
			fmt.Println("the routers let nothing through:", f.Text)
		}
	}
	if p.Stage() == party.StageRelaying {
		fmt.Println("trying over the relay as well")
	}
	// Output:
}
