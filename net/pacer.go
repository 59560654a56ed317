package netmsg

import "time"

// A pacer spreads the bulk packets of all connections of an endpoint over
// time: a host that sends a map to eleven guests is one sender to its uplink.
//
// It hands out times to send. A connection with bulk asks for a slot, gets the
// next one in the order of asking, and asks again when that has been used: so
// all take turns, and one that leaves its slot unused costs the others only
// that slot. Slots come at the sum of the rates of those that share it. Its zero
// value is ready. One endpoint's cores use it, under the endpoint's lock.
type pacer struct {
	rate float64       // packets a second, of all that are in
	next time.Duration // the first slot not handed out
}

// A paceShare is one connection's place in a pacer: the rate it has brought in
// and the slot it holds. Its zero value is out.
type paceShare struct {
	rate float64
	slot time.Duration
	held bool
}

// ask tells from when s may send one packet, given that s sends at rate packets
// a second and that the pace may fall behind by arrears and still catch up.
// Asked again before used, it answers the same.
func (p *pacer) ask(s *paceShare, now time.Duration, rate float64, arrears time.Duration) time.Duration {
	p.rate += rate - s.rate
	s.rate = rate
	if !s.held {
		s.slot, s.held = max(p.next, now-arrears), true
		p.next = s.slot + gapOf(p.rate)
	}
	return s.slot
}

// used says that s has sent the packet of its slot.
func (p *pacer) used(s *paceShare) { s.held = false }

// leave takes s out: it has nothing to send.
func (p *pacer) leave(s *paceShare) {
	p.rate -= s.rate
	*s = paceShare{}
}

// idle says that nobody has anything to send; nil is nobody's.
func (p *pacer) idle() bool { return p == nil || p.rate < 1 }

// gapOf is the time between packets at a rate of packets a second.
func gapOf(rate float64) time.Duration {
	return time.Duration(float64(time.Second) / rate)
}

// burstOf is the arrears that make a burst of max(2, 1 ms of pace, up to 16)
// packets: one of them is due in any case.
func burstOf(rate float64) time.Duration {
	packets := max(2, min(rate/1000, 16))
	return time.Duration((packets - 1) * float64(time.Second) / rate)
}
