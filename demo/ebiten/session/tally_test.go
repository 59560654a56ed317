package session

import "testing"

func TestTheLedgerSeesWhatIsLostAndWhatIsOutOfOrder(t *testing.T) {
	var l ledger
	l.follow(7, 10)

	for _, n := range []uint32{11, 12, 15, 13, 15, 16} {
		l.take(7, n)
	}
	l.take(8, 1) // nobody said that 8 is here

	if want := (Tally{Received: 7, Lost: 2, Disordered: 3}); l.Tally != want {
		t.Errorf("got %+v, want %+v", l.Tally, want)
	}
	if got := l.missing(7, 20); got != 4 {
		t.Errorf("%d missing of 20, want 4", got)
	}
}

func TestTheLedgerHasRoomForAPartyAndForgetsWhoLeft(t *testing.T) {
	var l ledger
	for pid := range 500 {
		l.follow(partyPID(pid+1), 0)
		if pid >= 12 {
			l.forget(partyPID(pid - 11))
		}
		l.take(partyPID(pid+1), 1)
	}

	if l.Disordered != 0 || l.Lost != 0 {
		t.Errorf("%+v", l.Tally)
	}
}
