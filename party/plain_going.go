package party

import "time"

// Op 5 says why a connection ends: code 1, then text. It goes before the
// goodbye, which has room for neither.

const (
	// maxLinger is how long a connection stays for the peer to take it.
	maxLinger = 3 * time.Second
)

// sendOff tells a peer why it has to go. From now on it is not in the party:
// what it sends is dropped, and what was queued for it too.
func (p *Party) sendOff(r *Peer, code closeCode, text string) {
	if r.role == roleEnded || r.role == roleLeaving {
		return
	}
	r.role, r.shut, r.lingerBy = roleLeaving, true, p.now+maxLinger
	r.empty()
	r.sayGoing(code, text)
	if p.count(roleLeaving) > maxLingering {
		p.oldestLeaving().close()
	}
}

// sayGoing queues op 5.
func (r *Peer) sayGoing(code closeCode, text string) {
	if len(text) > MaxString {
		r.party.log.Error("the text is not sent: too long", "bytes", len(text), "limit", MaxString)
		text = ""
	}
	r.say(opGoing, append(append(r.party.scratch(), byte(code)), text...))
}

func (p *Party) oldestLeaving() *Peer {
	for _, r := range p.peers {
		if r.role == roleLeaving {
			return r
		}
	}
	return nil
}

// linger ends the connections that have been told why, or have had the time.
func (p *Party) linger() {
	for _, r := range p.peers {
		if r.role == roleLeaving && (r.unacked() == 0 || p.now >= r.lingerBy) {
			r.close()
		}
	}
}

func parseGoing(b []byte) (code closeCode, text string, ok bool) {
	if len(b) == 0 || len(b) > 1+MaxString {
		return 0, "", false
	}
	return closeCode(b[0]), string(b[1:]), true
}
