package netmsg

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLossIsTheShareFromTheFirstPacketsOn(t *testing.T) {
	var m lossAverage
	for range 8 {
		m.delivered()
		m.delivered()
		m.delivered()
		m.lost()
	}
	if math.Abs(m.share-0.25) > 1e-9 {
		t.Errorf("got %v, want 0.25", m.share)
	}
}

func TestLossFadesOverAboutSixtyFourPackets(t *testing.T) {
	var m lossAverage
	for range 64 {
		m.delivered()
	}
	for range 30 {
		m.lost()
	}
	peak := m.share
	for range 64 {
		m.delivered()
	}

	if faded := m.share / peak; math.Abs(faded-1/math.E) > 0.01 {
		t.Errorf("64 packets on, %.3f of it is left, want 1/e", faded)
	}
	for range 136 {
		m.delivered()
	}
	if m.share >= 0.05 {
		t.Errorf("200 packets on it is %.3f, want under 0.05", m.share)
	}
}

func TestLossStaysNearTheTrueShare(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var m lossAverage
	sum := 0.0
	for n := range 10000 {
		if r.Float64() < 0.2 {
			m.lost()
		} else {
			m.delivered()
		}
		if n >= 100 {
			sum += m.share
		}
	}
	if mean := sum / 9900; math.Abs(mean-0.2) > 0.01 {
		t.Errorf("got %.3f on average, want 0.2", mean)
	}
}
