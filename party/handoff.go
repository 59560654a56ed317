package party

import (
	"fmt"
	"time"
)

// handOffWait is how long a host that hands over waits for its guests to know
// it.
const handOffWait = time.Second

// handing is a host's handing over that is on its way.
type handing struct {
	on    bool
	until time.Duration
	text  string // of the going
}

// HandOff gives the party to another member (0: the first in order) and then
// leaves, within a second: Facts tell Down(WhyMoved). The others go to the new
// host and keep their pids. Only the host can, and only to a guest.
func (p *Party) HandOff(to PID) error {
	if p.state != StateHosting {
		return fmt.Errorf("%w: cannot hand off", ErrNotHosting)
	}
	if to == 0 {
		to = p.firstHeir()
	}
	if p.guest(to) == nil {
		return fmt.Errorf("%w: pid %d", ErrGone, to)
	}
	h := handOff{p.place.roster.epoch + 1, to}
	p.now = p.clock.now()
	p.handing = handing{true, p.now + handOffWait, movedText(h)}
	p.leaveRoom(to)
	p.sendRoster()
	for _, r := range p.peers {
		if r.role == roleGuest {
			r.say(opHandOff, appendHandOff(p.scratch(), h))
		}
	}
	return nil
}

// handOver ends the session of a host that hands over, once its guests know.
func (p *Party) handOver() {
	if !p.handing.on {
		return
	}
	for _, r := range p.peers {
		if r.role == roleGuest && r.unacked() > 0 && p.now < p.handing.until {
			return
		}
	}
	for _, r := range p.peers {
		if r.role == roleGuest {
			r.conn.CloseWith(uint16(codeMoved), p.handing.text)
		}
	}
	p.down(WhyMoved, "")
}

// firstHeir is the first guest in the order of heirs; 0: there is none.
func (p *Party) firstHeir() PID {
	for _, m := range p.place.roster.members {
		if p.guest(m.pid) != nil {
			return m.pid
		}
	}
	return 0
}

// bequest is what a host that leaves tells its guests: who is host next. With
// one guest alone there is nobody to be host for: 0.
func (p *Party) bequest() (heir PID, text string) {
	if p.cfg.NoHandOff || p.count(roleGuest) < 2 {
		return 0, ""
	}
	heir = p.firstHeir()
	return heir, movedText(handOff{p.place.roster.epoch + 1, heir})
}

// movedText is the text of a going that says WhyMoved: epoch and pid of the
// host.
func movedText(h handOff) string { return fmt.Sprintf("%d %d", h.epoch, h.heir) }

func parseMoved(text string) (h handOff, ok bool) {
	var epoch uint32
	var heir uint16
	n, err := fmt.Sscanf(text, "%d %d", &epoch, &heir)
	h = handOff{epoch, PID(heir)}
	return h, n == 2 && err == nil && heir != 0 && epoch <= maxEpoch && text == movedText(h)
}
