package netmsg

import (
	"testing"
	"time"
)

// A lossLink loses every tenth packet. Acknowledgements come after one round
// trip, losses are found out after two.
func lossLink(m *lossMeter, perRound func(round int) int, rounds int, look func(round int)) {
	sent := make([]int, rounds+2)
	for round := range rounds {
		now := time.Duration(round) * time.Second
		m.begin(now)
		sent[round] = perRound(round)
		for range sent[round] {
			m.sent()
		}
		if round >= 1 {
			m.count(now-time.Second, lossCount{acked: sent[round-1] * 9 / 10})
		}
		if round >= 2 {
			m.count(now-2*time.Second, lossCount{lost: sent[round-2] / 10})
		}
		for _, ok := m.next(); ok; _, ok = m.next() {
		}
		look(round)
	}
}

func TestLossMeterIsNotFooledByAChangeOfSpeed(t *testing.T) {
	for name, perRound := range map[string]func(int) int{
		"steady":  func(int) int { return 50 },
		"faster":  func(round int) int { return 10 << min(round, 9) },
		"slower":  func(round int) int { return 10 << max(9-round, 0) },
		"up down": func(round int) int { return 10 + 1000*(round%2) },
	} {
		var m lossMeter
		lossLink(&m, perRound, 20, func(round int) {
			if sum := m.sum(); sum.packets() > 0 && sum.share() != 0.1 {
				t.Errorf("%s: in round %d it measures %v of %d, want 0.1", name, round, sum.share(), sum.packets())
			}
		})
	}
}

func TestLossMeterForgetsAllButTheNewest256(t *testing.T) {
	var m lossMeter
	lose := func(n, lost int) {
		m.begin(0)
		for range n {
			m.sent()
		}
		m.count(0, lossCount{acked: n - lost, lost: lost})
		m.begin(0)
		m.next()
	}
	for range 10 {
		lose(50, 50)
	}
	for range 6 {
		lose(50, 0)
	}

	if got := m.sum(); got.lost != 0 || got.packets() < 128 || got.packets() > 256+50 {
		t.Errorf("%+v, want 128 to 256 packets and none lost", got)
	}
}

func TestLossMeterTakesBackALossOfARoundThatIsSettled(t *testing.T) {
	var m lossMeter
	lossLink(&m, func(int) int { return 50 }, 5, func(int) {})
	before := m.sum()

	m.count(0, lossCount{acked: 1, lost: -1})

	if got := m.sum(); got.lost != before.lost-1 || got.packets() != before.packets() {
		t.Errorf("%+v, want one lost less than %+v", got, before)
	}
}

func TestLossMeterDoesNotWaitForEverForTheLastPackets(t *testing.T) {
	var m lossMeter
	for round := range 20 {
		now := time.Duration(round) * time.Second
		m.begin(now)
		m.sent()
		m.sent()
		m.count(now, lossCount{lost: 1}) // of the other nothing is ever heard
		m.next()
	}

	if got := m.sum(); got.lost != 12 {
		t.Errorf("%+v after twenty rounds, want the 12 that are past all waiting", got)
	}
}
