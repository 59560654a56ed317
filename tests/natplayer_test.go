package tests

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

// fetch URL prints what is there; it tries for a while.
func fetch(args []string) (err error) {
	for range 100 {
		var r *http.Response
		if r, err = http.Get(args[0]); err == nil {
			defer r.Body.Close()
			_, err = io.Copy(os.Stdout, r.Body)
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}

// roomPlayer URL host|CODE [relay] plays: it hosts a room of the matchmaker at
// URL, or joins one, and says something to all twice a second. It prints what
// happens, a line each:
//
//	room CODE              a room is open
//	joined PID PATH MS     it is in the party, so long after it asked
//	path PATH              its path to the host is now another
//	silent                 it has not heard its host for a second and a half
//	again                  it hears its host again
//	newhost PID            the party has another host
//	heard PID              something that PID said, for the first time under this host
//	down WHY TEXT          it is out
func roomPlayer(args []string) error {
	p := &labPlayer{
		Party: party.New(party.Config{SignalURL: args[0], ForceRelay: len(args) > 2}),
		began: time.Now(),
		heard: make(map[party.PID]bool),
	}
	go func() {
		untilStdinEnds()
		os.Exit(0)
	}()
	if err := p.enter(args[1]); err != nil {
		return err
	}
	for range time.Tick(time.Second / 60) {
		if err := p.frame(); err != nil {
			return err
		}
	}
	return nil
}

type labPlayer struct {
	*party.Party
	began time.Time
	heard map[party.PID]bool
	path  string
	said  time.Duration
	quiet bool // its host is silent
}

func (p *labPlayer) enter(where string) error {
	if where == "host" {
		return p.Host(0, 1)
	}
	target, err := codes.Parse(where, 0)
	if err != nil {
		return err
	}
	return p.Join(target)
}

const kindTick = party.Kind(10)

func (p *labPlayer) frame() error {
	p.Begin(time.Second / 60)
	for m := range p.Inbox() {
		switch {
		case m.Kind == party.Hello:
			p.Accept(m.From)
		case !p.heard[m.By]:
			p.heard[m.By] = true
			fmt.Println("heard", m.By)
		}
	}
	p.Update()
	if now := p.Time(); now-p.said > time.Second/2 && p.PeerCount() > 0 {
		p.said = now
		if err := p.Write(kindTick).SendAll(party.Reliable); err != nil {
			return err
		}
	}
	p.End()
	for f := range p.Facts() {
		if err := p.tell(f); err != nil {
			return err
		}
	}
	p.tellPath()
	return nil
}

func (p *labPlayer) tell(f party.Fact) error {
	switch f.Kind {
	case party.RoomOpen:
		fmt.Println("room", f.Text)
	case party.RoomFailed:
		fmt.Println("roomfailed", f.Why.String())
	case party.Joined:
		if !p.Hosting() {
			clear(p.heard) // what came with the same frame is heard again soon
			p.path = f.Peer.Path().String()
			fmt.Println("joined", f.PID, p.path, time.Since(p.began).Milliseconds())
		}
	case party.NewHost:
		clear(p.heard)
		fmt.Println("newhost", f.PID)
	case party.Down:
		fmt.Println("down", f.Why.String(), f.Text)
		return fmt.Errorf("down: %v: %s", f.Why, f.Text)
	}
	return nil
}

// tellPath tells of a guest's path to its host when it has changed, and when it
// falls silent.
func (p *labPlayer) tellPath() {
	if p.Hosting() {
		return
	}
	for host := range p.Peers() {
		if path := host.Path().String(); path != p.path {
			p.path = path
			fmt.Println("path", path)
		}
		if quiet := host.LastHeard() > 1500*time.Millisecond; quiet != p.quiet {
			p.quiet = quiet
			fmt.Println(map[bool]string{true: "silent", false: "again"}[quiet])
		}
	}
}
