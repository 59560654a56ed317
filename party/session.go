package party

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"

	netmsg "github.com/partyline-go/partyline/net"
)

// openSocket begins a session on a socket of its own at port, or on the given
// one.
func (p *Party) openSocket(port uint16, accepting bool) error {
	p.secret = p.random64() & secretMask
	cfg, ears := p.netConfig(), &ears{}
	cfg.Foreign = ears.hear
	mail := netmsg.NewMailbox(0)
	var ep *netmsg.Endpoint
	if p.socket != nil {
		p.socket.lend()
		ep = netmsg.NewEndpoint(p.socket, mail, cfg)
	} else {
		var err error
		if ep, err = netmsg.Listen(fmt.Sprintf(":%d", port), mail, cfg); err != nil {
			return p.noSocket(port, err)
		}
	}
	ep.SetAccepting(accepting)
	p.now = p.clock.now()
	ep.Drain(p.now) // a stepped endpoint has to hear what time it is
	p.session = session{ep: ep, mail: mail, ears: ears}
	p.tellDoor()
	p.why = WhyNone
	p.meter.reset()
	return nil
}

// noSocket says why there is none.
func (p *Party) noSocket(port uint16, err error) error {
	p.why = WhySocket
	if portTaken(err) {
		p.why = WhyPortInUse
	}
	return fmt.Errorf("%w: port %d: %w", p.why, port, err)
}

// portTaken says whether that is why a socket could not be bound.
func portTaken(err error) bool {
	const windowsAddrInUse = syscall.Errno(10048) // WSAEADDRINUSE
	return errors.Is(err, syscall.EADDRINUSE) || runtime.GOOS == "windows" && errors.Is(err, windowsAddrInUse)
}

// begin clears the table for a new session.
func (p *Party) begin() error {
	if p.state.Active() {
		return fmt.Errorf("%w: %v", ErrBusy, p.state)
	}
	p.forgetFacts()
	p.inbox = inbox{}
	p.place.fresh()
	p.why = WhyNone
	return nil
}

// closeSession ends every connection and frees the socket. What the inbox
// holds can still be read.
func (p *Party) closeSession() {
	if p.ep == nil {
		return
	}
	p.ep.Close()
	for _, r := range p.peers {
		r.end()
	}
	p.endMending() // which may become the meeting
	p.endMeeting()
	p.dropLine()
	p.session = session{}
}

// down ends the session, and tells.
func (p *Party) down(why Why, text string) {
	if !p.state.Active() {
		return
	}
	p.closeSession()
	p.why = why
	p.tell(Fact{Kind: Down, Why: why, Text: text})
}

// Leave ends the session at once, and tells the others. A host's guests go on
// under another host, if there are two at least and Config.NoHandOff is not
// set; otherwise they hear Down(WhyClosed). What is queued leaves, but is not
// sent again if it is lost: FlushAll before waits for that. Unread facts are
// forgotten; no fact follows, but for the Down(WhyCancelled) of a join that was
// on its way.
func (p *Party) Leave() {
	if !p.state.Active() {
		return
	}
	joining := p.state == StateJoining
	p.now = p.clock.now()
	p.goodbye()
	p.closeSession()
	p.forgetFacts()
	p.place.fresh()
	if joining {
		p.cancelled()
	}
}

// Lose ends the session at once, as Leave does, for a reason of the game's:
// Facts tell Down(why); WhyNone is WhyGame. Without a session it does nothing.
func (p *Party) Lose(why Why) {
	if !p.state.Active() {
		return
	}
	if why == WhyNone {
		why = WhyGame
	}
	p.now = p.clock.now()
	p.goodbye()
	p.down(why, "")
}

// Fresh forgets a lost session: Why is WhyNone again, and so are Token and
// MyPID. While a session is on it does nothing.
func (p *Party) Fresh() {
	if !p.state.Active() {
		p.why = WhyNone
		p.place.fresh()
	}
}

// goodbye queues what the others have to hear when this side leaves.
func (p *Party) goodbye() {
	if p.state != StateHosting {
		return
	}
	heir, text := p.bequest()
	p.leaveRoom(heir)
	moved := heir != 0
	for _, r := range p.peers {
		switch {
		case r.role == roleGuest && moved:
			r.conn.CloseWith(uint16(codeMoved), text)
		case r.role == roleGuest || r.role == roleStranger:
			r.conn.CloseWith(uint16(codeClosed), "")
		}
	}
}

// random32 is a random number, never 0.
func (p *Party) random32() uint32 {
	for {
		var b [4]byte
		p.fillRandom(b[:])
		if v := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]); v != 0 {
			return v
		}
	}
}

// fillRandom fills b from Config.Random. Without randomness nothing is safe, so
// it panics.
func (p *Party) fillRandom(b []byte) {
	if _, err := io.ReadFull(p.random, b); err != nil {
		panic(fmt.Sprintf("party: no random numbers: %v", err))
	}
}

// random64 is 64 random bits.
func (p *Party) random64() uint64 {
	var b [8]byte
	p.fillRandom(b[:])
	return binary.BigEndian.Uint64(b[:])
}

// scratch lends memory for one library message.
func (p *Party) scratch() []byte { return p.scratchBuf[:0] }
