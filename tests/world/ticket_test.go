package world

import (
	"reflect"
	"testing"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/party"
)

// ticket is the ticket of the party's room, which a game does not see.
func (m *player) ticket() matchmaker.Bytes {
	of := reflect.ValueOf(m.Party).Elem().FieldByName("place").FieldByName("room").FieldByName("ticket")
	t := make(matchmaker.Bytes, of.Len())
	for i := range t {
		t[i] = byte(of.Index(i).Uint())
	}
	return t
}

func TestTicketAloneStealsNoRoom(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(restricted))
	g := p.joining(p.at(restricted), h)
	p.wantJoined(g, directWithin, party.Direct)
	thief := p.open().Signal(p.service.URL())
	p.run(time.Second)

	for range 60 {
		thief.Send(matchmaker.Message{
			T: matchmaker.Claim, App: []byte("PLparty\x01"), Proto: 1, Key: make([]byte, 32),
			Code: h.Room(), Ticket: g.ticket(), Epoch: 99,
		})
		p.run(time.Second)
	}

	for m, ok := thief.Receive(); ok; m, ok = thief.Receive() {
		if m.T != matchmaker.Alive {
			p.failf("the thief hears %+v", m)
		}
	}
	late := p.joining(p.open(), h)
	p.wantJoined(late, relayedWithin, party.Direct)
	if h.count(party.RoomFailed) > 0 || late.Token() != h.Token() {
		p.failf("the host has lost its room")
	}
}

func TestRoomTakenFromALivingHostComesBackWhenItsTakerGoes(t *testing.T) {
	p := newPlay(t, 1)
	h := p.hosting(p.at(restricted))
	g := p.joining(p.at(restricted), h)
	p.wantJoined(g, directWithin, party.Direct)
	p.service.Stop()
	p.run(20 * time.Second) // the host does not ask often any more
	p.service.Start()
	at := p.open()
	taker := at.Signal(p.service.URL())
	p.until(5*time.Second, "the taker's line is up", func() bool { return taker.Up() == 1 })
	taker.Send(matchmaker.Message{
		T: matchmaker.Open, App: []byte("PLparty\x01"), Proto: 1, Key: make([]byte, 32),
		Code: h.Room(), Ticket: g.ticket(), Epoch: 2,
	})
	p.run(40 * time.Second) // the host is back by now, and hears that its room is another's

	at.Kill()
	p.until(time.Minute, "the host has it back", func() bool { return h.count(party.RoomOpen) == 2 })

	late := p.joining(p.open(), h)
	p.wantJoined(late, relayedWithin, party.Direct)
	if h.PeerCount() != 2 {
		p.failf("the host has %d guests, want 2", h.PeerCount())
	}
}
