package netmsg

import "time"

// advance moves the clock, which never turns back, and does what time alone
// does: it ends the attempt, and turns from asking to answering and back.
func (d *dialer) advance(now time.Duration) {
	d.now = max(d.now, now)
	if d.over {
		return
	}
	if d.now >= d.until || d.allGaveUp() {
		d.giveUp()
		return
	}
	if d.answer == nil && d.now >= d.choose {
		d.round = roundResponses
		d.answerBest()
	}
	if d.answer != nil && d.left == 0 && d.now >= d.next {
		d.moveOn()
	}
}

// answerBest turns to the best address that has a Challenge to answer: first
// among those that had no Response yet. False: there is none.
func (d *dialer) answerBest() bool {
	var best *dialTarget
	for _, t := range d.targets {
		if t.offered && (best == nil || best.tried && !t.tried) {
			best = t
		}
	}
	if best == nil {
		return false
	}
	if best.tried {
		for _, t := range d.targets {
			t.tried = false
		}
	}
	best.tried, best.offered = true, false
	d.choose, d.next = never, d.now
	d.answer, d.left = best, roundResponses
	if d.several() {
		d.left = eachResponses
	}
	return true
}

// moveOn turns to the next address that has a Challenge to answer, or to
// asking.
func (d *dialer) moveOn() {
	if d.round > 0 && d.answerBest() {
		return
	}
	d.answer = nil
}

func (d *dialer) allGaveUp() bool {
	for _, t := range d.targets {
		if d.now < t.givesUpAt() {
			return false
		}
	}
	return true
}

// giveUp ends the attempt with the best reason there is.
func (d *dialer) giveUp() {
	for _, t := range d.targets {
		if t.denied != 0 {
			d.fail(Denied, t.denied.status(), t.denied.String())
			return
		}
	}
	code, text := uint16(0), ""
	switch {
	case d.seen.wrongKey > 0:
		code, text = NoAnswerKey, "the server's key is not the one expected"
	case d.seen.unusable > 0:
		code, text = NoAnswerDemands, "the server asks for what this client does not have"
	}
	d.fail(NoAnswer, code, text)
}
