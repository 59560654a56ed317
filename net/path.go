package netmsg

import (
	"net/netip"
	"slices"
	"time"
)

// Constants of path validation. PROTOCOL.md, Addresses.
const (
	pathTries   = 3           // challenges to one address
	pathMoves   = time.Second // from the start of one move to that of the next
	pathAnswers = 4           // responses that wait
)

// pathData is what a PATH_CHALLENGE carries and its PATH_RESPONSE repeats:
// random bytes, so that only who gets the one can send the other.
type pathData [8]byte

// A pathAnswer is a PATH_RESPONSE to send, alone in a packet, to the address its
// challenge came from.
type pathAnswer struct {
	to   netip.AddrPort
	data pathData
	size int // of the packet that the challenge came in: the answer's is not larger
}

// pathState knows where a connection's peer is. It starts with the address of
// the handshake and leaves it only for one that has answered a challenge. Every
// challenge is alone in its packet, and nothing else goes to an address that is
// not validated.
//
// A move is begun by the peer, which sends from a new address; a probe by this
// side, which wants to know whether another path works.
type pathState struct {
	peer   netip.AddrPort // validated: all packets go there
	follow bool           // the peer may move (its feature bit 0)

	// Most connections never have any of these.
	tests   *pathTests
	answers []pathAnswer // that wait, oldest first
}

// pathTests are the challenges of a connection, made with the first.
type pathTests struct {
	move    pathTest
	probe   pathTest
	probed  netip.AddrPort // the last probe that was answered
	moved   time.Duration  // when the last move began
	hasMove bool           // moved is set
}

// A pathTest sends a challenge to an address until it is answered or was sent
// three times in vain.
type pathTest struct {
	to    netip.AddrPort // not valid: no test
	data  pathData
	tries int
	next  time.Duration // of the next challenge, or of giving up
}

// pathMove says what a PATH_RESPONSE has brought about.
type pathMove uint8

const (
	pathNone   pathMove = iota // nothing
	pathRebind                 // the peer has another port: keep round trip and rate
	pathOther                  // the peer has another address: they begin anew
	pathProbed                 // the probed address answers; useProbed may move there
)

// newPathState starts at the address that the handshake has validated. follow
// is what the peer's feature bit 0 says.
func newPathState(peer netip.AddrPort, follow bool) pathState {
	return pathState{peer: peer, follow: follow}
}

// onPacket notes a packet that verified. newest says that its number is the
// largest so far, probing that it holds nothing but PATH_CHALLENGE,
// PATH_RESPONSE, PADDING and ACK frames. When it returns true a move may begin:
// the core draws 8 random bytes and calls beginMove.
func (p *pathState) onPacket(now time.Duration, from netip.AddrPort, newest, probing bool) bool {
	if !newest {
		return false
	}
	t := p.tests
	if from == p.peer {
		if t != nil {
			t.move = pathTest{}
		}
		return false
	}
	return p.follow && !probing && (t == nil || t.mayMove(now))
}

// mayMove says whether another move may begin.
func (t *pathTests) mayMove(now time.Duration) bool {
	return !t.move.active() && (!t.hasMove || now-t.moved >= pathMoves)
}

// begun gives the tests, which exist from now on.
func (p *pathState) begun() *pathTests {
	if p.tests == nil {
		p.tests = new(pathTests)
	}
	return p.tests
}

// beginMove asks whether the peer is really at to.
func (p *pathState) beginMove(now time.Duration, to netip.AddrPort, data pathData) {
	t := p.begun()
	t.move = pathTest{to: to, data: data, next: now}
	t.moved, t.hasMove = now, true
}

// beginProbe asks whether to would do as a path, in place of any probe before.
func (p *pathState) beginProbe(now time.Duration, to netip.AddrPort, data pathData) {
	p.begun().probe = pathTest{to: to, data: data, next: now}
}

// challenge is the one to send now, and where to.
func (p *pathState) challenge(now, pto time.Duration) (to netip.AddrPort, data pathData, ok bool) {
	if p.tests == nil {
		return to, data, false
	}
	for _, t := range []*pathTest{&p.tests.move, &p.tests.probe} {
		if t.due(now, pto) {
			return t.to, t.data, true
		}
	}
	return netip.AddrPort{}, pathData{}, false
}

// onChallenge queues the answer to a challenge that came from from in a packet
// of size bytes. The oldest goes when too many wait.
func (p *pathState) onChallenge(from netip.AddrPort, data pathData, size int) {
	if len(p.answers) == pathAnswers {
		p.dropAnswer()
	}
	p.answers = append(p.answers, pathAnswer{from, data, size})
}

// answer takes the oldest answer that waits.
func (p *pathState) answer() (a pathAnswer, ok bool) {
	if len(p.answers) == 0 {
		return pathAnswer{}, false
	}
	a = p.answers[0]
	p.dropAnswer()
	return a, true
}

func (p *pathState) dropAnswer() {
	p.answers = slices.Delete(p.answers, 0, 1)
}

// onResponse takes a PATH_RESPONSE, from whatever address it came.
func (p *pathState) onResponse(data pathData) pathMove {
	switch t := p.tests; {
	case t == nil:
	case t.move.active() && data == t.move.data:
		return p.moveTo(t.move.to)
	case t.probe.active() && data == t.probe.data:
		t.probed, t.probe = t.probe.to, pathTest{}
		return pathProbed
	}
	return pathNone
}

// useProbed moves to the address that was probed, for this side's own reasons:
// sending there is what makes the peer follow.
func (p *pathState) useProbed() pathMove { return p.moveTo(p.tests.probed) }

// moveTo makes to the validated address and ends all tests.
func (p *pathState) moveTo(to netip.AddrPort) pathMove {
	from := p.peer
	p.peer = to
	p.tests.move, p.tests.probe = pathTest{}, pathTest{}
	if from.Addr() == to.Addr() {
		return pathRebind
	}
	return pathOther
}

// deadline is when challenge has something to do; never for never.
// Answers go at once and are not counted here.
func (p *pathState) deadline() time.Duration {
	if p.tests == nil {
		return never
	}
	return min(p.tests.move.deadline(), p.tests.probe.deadline())
}

func (t *pathTest) active() bool { return t.to.IsValid() }

// due says that a challenge goes now, and gives up when three were in vain.
func (t *pathTest) due(now, pto time.Duration) bool {
	if !t.active() || now < t.next {
		return false
	}
	if t.tries == pathTries {
		*t = pathTest{}
		return false
	}
	t.tries++
	t.next = now + pto
	return true
}

func (t *pathTest) deadline() time.Duration {
	if !t.active() {
		return never
	}
	return t.next
}
