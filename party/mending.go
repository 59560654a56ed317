package party

import (
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
	netmsg "github.com/partyline-go/partyline/net"
)

// A guest whose own address changes goes on, for its host hears it from the new
// one. Not so when the way was over a relay, which knows its client by its
// address, or when it is the host that has another. So a guest that does not
// hear its host asks the matchmaker to be introduced again, and moves its
// connection to whatever way answers.

const (
	mendAfter = 2500 * time.Millisecond // of the host's silence
	mendEach  = 500 * time.Millisecond  // for one address
	mendAgain = 2 * time.Second         // between introductions
)

// mend looks for another way to a host that is silent.
func (p *Party) mend() {
	if p.state == StateHosting {
		p.mendHost()
		return
	}
	if !p.mayMend() {
		p.endMending()
		return
	}
	w := p.mending
	switch {
	case w == nil && p.room.errand == errandNone:
		p.dropLine() // one that lingers is as old as the way that is dead
		p.room.code = p.place.room.code
		p.setOn(errandJoin)
		return
	case w == nil || p.now < w.begun:
		return
	}
	if w.relay == nil && len(w.turn) > 0 && (w.overRelay || p.now-w.begun >= allocateAfter) {
		w.relay = p.cfg.Network.relay(w.turn)
	}
	if w.path == nil {
		p.openRelay(w)
	}
	p.probeOn(w)
}

// mendHost has a host look at once where it is reached that hears none of its
// guests: its own address may be another.
func (p *Party) mendHost() {
	heard := p.count(roleGuest) == 0
	for _, r := range p.peers {
		heard = heard || r.role == roleGuest && r.LastHeard() < mendAfter
	}
	if !heard && !p.deaf {
		p.askOutsideAgain()
		p.room.refreshAt = p.now // a line that is dead shows when something is sent
	}
	p.deaf = !heard
}

func (p *Party) mayMend() bool {
	return p.state == StateJoined && !p.manual && p.host != nil && p.phase <= phaseWatch &&
		p.cfg.SignalURL != "" && p.place.room.code != "" && p.host.LastHeard() >= mendAfter
}

// introducedAgain takes an introduction to the host that this guest has. False:
// it is another's.
func (p *Party) introducedAgain(w *meeting, m matchmaker.Message) bool {
	if !p.mayMend() || *w.trust.key != p.host.key {
		return false
	}
	if on := p.mending; on != nil { // the host may have heard nothing of the one before
		on.id, on.text = w.id, w.text
		if on.relayErr != nil {
			on.closeRelay()
			on.relayErr, on.turn = nil, w.turn
		}
		w = on
	} else {
		w.overRelay = p.host.Path() == Relayed
		p.mending = w
	}
	p.host.conn.AwaitPunch(w.id)
	w.learn(p, m.Cands)
	p.askOutside(m.STUN)
	w.tell(p)
	return true
}

// probeOn tries the host's addresses one after the other, over and over.
func (p *Party) probeOn(w *meeting) {
	list := p.waysOf(w)
	if p.now < w.probeAt || len(list) == 0 {
		return
	}
	p.host.conn.Probe(list[w.probe%len(list)])
	w.probe, w.probeAt = w.probe+1, p.now+mendEach
}

// waysOf lists the addresses by which the host may be reached now.
func (p *Party) waysOf(w *meeting) (list []netip.AddrPort) {
	if at := p.host.conn.Punched(); at.IsValid() && (netmsg.IsPath(at) || !p.cfg.ForceRelay) {
		list = append(list, at)
	}
	if w.path != nil {
		for _, at := range relayOrder(w.cands) {
			w.relay.Permit(at.Addr())
			if synthetic, ok := w.path.Address(at); ok {
				list = append(list, synthetic)
			}
		}
	}
	if !p.cfg.ForceRelay {
		list = pick(list, w.cands, matchmaker.PublicCandidate, dialPublics)
	}
	return list
}

// endMending keeps the way that was found, or forgets the search.
func (p *Party) endMending() {
	w := p.mending
	if w == nil {
		return
	}
	p.mending = nil
	if p.room.errand == errandJoin && p.phase <= phaseWatch {
		p.errandDone()
	}
	if p.host == nil || w.path == nil || !netmsg.IsPath(p.host.Addr()) {
		w.closeRelay()
		return
	}
	if _, found := w.path.Remote(p.host.Addr()); !found {
		w.closeRelay() // the old way is alive again
		return
	}
	p.endMeeting()
	w.dialled, w.peer = true, p.host
	p.meeting = w
}
