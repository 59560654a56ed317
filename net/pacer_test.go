package netmsg

import (
	"fmt"
	"testing"
	"time"
)

func TestPacerLetsConnectionsTakeTurns(t *testing.T) {
	shared := new(pacer)
	flows := make([]bulkControl, 11)
	for i := range flows {
		flows[i] = newBulkControl(shared, guessedRTT)
	}
	sent := make([]int, len(flows))
	for now := time.Duration(0); now < time.Second; now += ms {
		together := 0
		for i := range flows {
			for flows[i].maySend(now, 0) {
				flows[i].onSent(now, true)
				sent[i]++
				together++
			}
		}
		// Eleven flows of 100 packets a second: bursts are the endpoint's.
		if now > 100*ms && together > 5 {
			t.Fatalf("at %v %d packets go at once", now, together)
		}
	}
	for i := range sent {
		if sent[i] < sent[0]*9/10 || sent[i] > sent[0]*11/10 {
			t.Errorf("packets sent: %v, want about the same", fmt.Sprint(sent))
			break
		}
	}
}

func TestPacerForgetsWhoHasNothingToSend(t *testing.T) {
	shared := new(pacer)
	a, b := newBulkControl(shared, guessedRTT), newBulkControl(shared, guessedRTT)
	for a.maySend(0, 0) {
		a.onSent(0, true)
	}
	alone := shared.rate
	for b.maySend(0, 0) {
		b.onSent(0, true)
	}
	if shared.rate <= alone {
		t.Errorf("two share %v packets a second, one had %v", shared.rate, alone)
	}

	b.rest(0)
	if shared.rate != alone {
		t.Errorf("after one rests the other has %v, want %v", shared.rate, alone)
	}
	a.restart()
	if shared.rate != 0 {
		t.Errorf("after a restart %v packets a second are shared", shared.rate)
	}
}
