package netmsg

import (
	"math"
	"net/netip"
	"testing"
	"time"
)

var (
	pathHome  = netip.MustParseAddrPort("192.0.2.1:1000")
	pathPort  = netip.MustParseAddrPort("192.0.2.1:2000")
	pathAway  = netip.MustParseAddrPort("198.51.100.7:1000")
	pathThird = netip.MustParseAddrPort("203.0.113.9:1000")
	pathBytes = pathData{1, 2, 3, 4, 5, 6, 7, 8}
)

const pathPTO = 100 * time.Millisecond

// movingPath is one whose peer was heard from pathAway at one second.
func movingPath(t *testing.T) *pathState {
	t.Helper()
	p := newPathState(pathHome, true)
	if !p.onPacket(time.Second, pathAway, true, false) {
		t.Fatal("no move may begin")
	}
	p.beginMove(time.Second, pathAway, pathBytes)
	return &p
}

// challenges counts those sent in a second from from on, all to one address.
func challenges(t *testing.T, p *pathState, from time.Duration, to netip.AddrPort) (times []time.Duration) {
	t.Helper()
	for now := from; now < from+time.Second; now += ms {
		if at, data, ok := p.challenge(now, pathPTO); ok {
			if at != to || data != pathBytes {
				t.Errorf("challenge %v to %v, want %v to %v", data, at, pathBytes, to)
			}
			times = append(times, now-from)
		}
	}
	return times
}

func TestPathFollowsAPeerThatAnswersFromElsewhere(t *testing.T) {
	for to, want := range map[netip.AddrPort]pathMove{pathAway: pathOther, pathPort: pathRebind} {
		p := newPathState(pathHome, true)
		p.onPacket(time.Second, to, true, false)
		p.beginMove(time.Second, to, pathBytes)
		if p.peer != pathHome {
			t.Errorf("packets go to %v before it has answered", p.peer)
		}

		got := p.onResponse(pathBytes)

		if got != want || p.peer != to {
			t.Errorf("answered from %v: %v, packets go to %v", to, got, p.peer)
		}
		if len(challenges(t, &p, time.Second, to)) != 0 {
			t.Error("challenges go on after the answer")
		}
	}
}

func TestPathStaysWhereItIsUnlessAMoveIsDue(t *testing.T) {
	for name, c := range map[string]struct {
		follow, newest, probing bool
		from                    netip.AddrPort
	}{
		"peer said it does not move": {false, true, false, pathAway},
		"older packet":               {true, false, false, pathAway},
		"probing packet":             {true, true, true, pathAway},
		"same address":               {true, true, false, pathHome},
	} {
		p := newPathState(pathHome, c.follow)
		if p.onPacket(time.Second, c.from, c.newest, c.probing) {
			t.Errorf("%s: a move may begin", name)
		}
	}
}

func TestPathChallengesThreeTimesAProbeTimeoutApart(t *testing.T) {
	p := movingPath(t)

	times := challenges(t, p, time.Second, pathAway)

	if len(times) != 3 || times[0] != 0 || times[1] != pathPTO || times[2] != 2*pathPTO {
		t.Errorf("challenges at %v, want three, %v apart", times, pathPTO)
	}
	if p.onResponse(pathBytes) != pathNone || p.peer != pathHome {
		t.Error("an answer after the third was given up moves the path")
	}
}

func TestPathMoveEndsWhenTheOldAddressIsHeardAgain(t *testing.T) {
	p := movingPath(t)

	p.onPacket(time.Second+ms, pathHome, false, false)
	if !p.tests.move.active() {
		t.Error("an older packet from the old address ends the move")
	}
	p.onPacket(time.Second+ms, pathHome, true, false)

	if p.onResponse(pathBytes) != pathNone || p.peer != pathHome {
		t.Errorf("packets go to %v", p.peer)
	}
}

func TestPathMovesOneAtATimeAndOneASecond(t *testing.T) {
	p := movingPath(t)
	if p.onPacket(3*time.Second, pathThird, true, false) {
		t.Error("a second move begins beside the first")
	}
	p.onResponse(pathBytes)

	if p.onPacket(time.Second+999*ms, pathThird, true, false) {
		t.Error("two moves begin within a second")
	}
	if !p.onPacket(2*time.Second, pathThird, true, false) {
		t.Error("no move a second after the first")
	}
}

func TestPathIgnoresAnAnswerWithOtherBytes(t *testing.T) {
	p := movingPath(t)

	if got := p.onResponse(pathData{9}); got != pathNone || p.peer != pathHome {
		t.Errorf("%v, packets go to %v", got, p.peer)
	}
	var empty pathState
	if empty.onResponse(pathData{}) != pathNone {
		t.Error("an answer to nothing counts")
	}
}

func TestPathAnswersTheFourNewestChallengesOldestFirst(t *testing.T) {
	p := newPathState(pathHome, true)
	for i := range byte(6) {
		p.onChallenge(pathAway, pathData{i}, 100+int(i))
	}

	for i := range byte(4) {
		want := pathAnswer{pathAway, pathData{i + 2}, 102 + int(i)}
		if got, ok := p.answer(); !ok || got != want {
			t.Errorf("answer %v, %v, want %v", got, ok, want)
		}
	}
	if got, ok := p.answer(); ok {
		t.Errorf("a fifth answer: %v", got)
	}
}

func TestPathProbeTellsWhetherAnotherPathWorks(t *testing.T) {
	p := newPathState(pathHome, false)
	p.beginProbe(time.Second, pathAway, pathBytes)
	if times := challenges(t, &p, time.Second, pathAway); len(times) != 3 {
		t.Errorf("challenges at %v, want three", times)
	}
	p.beginProbe(time.Minute, pathAway, pathBytes)

	got := p.onResponse(pathBytes)

	if got != pathProbed || p.tests.probed != pathAway || p.peer != pathHome {
		t.Errorf("%v, probed %v, packets go to %v", got, p.tests.probed, p.peer)
	}
	if len(challenges(t, &p, time.Minute, pathAway)) != 0 {
		t.Error("challenges go on after the answer")
	}
	if got := p.useProbed(); got != pathOther || p.peer != pathAway {
		t.Errorf("%v, packets go to %v", got, p.peer)
	}
}

func TestPathDeadlineIsWhenSomethingIsToDo(t *testing.T) {
	p := newPathState(pathHome, true)
	if p.deadline() != math.MaxInt64 {
		t.Errorf("deadline %v of nothing", p.deadline())
	}
	p.beginProbe(2*time.Second, pathThird, pathBytes)
	p.beginMove(time.Second, pathAway, pathBytes)

	for range 20 { // each turn at the deadline brings it nearer to the end
		at := p.deadline()
		if at == math.MaxInt64 {
			return
		}
		p.challenge(at, pathPTO)
		if p.deadline() <= at {
			t.Fatalf("at %v the deadline is %v", at, p.deadline())
		}
	}
	t.Error("the tests never end")
}
