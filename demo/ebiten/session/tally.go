package session

import "github.com/partyline-go/partyline/party"

// A Tally counts letters: reliable messages that carry their author's number.
type Tally struct {
	Sent       int // copies that left this side: one for each peer that was sent one
	Received   int // letters that arrived
	Lost       int // numbers that were left out
	Disordered int // numbers that came after a later one, or twice
}

// A ledger checks the numbers of every author's letters.
type ledger struct {
	Tally
	mine    uint32 // number of this side's last letter
	authors [2 * party.MaxMembers]author
}

type author struct {
	pid  party.PID
	last uint32 // number of the last letter; the next must be one more
}

// of finds an author. It gives nil for one whose letters are not followed.
func (l *ledger) of(pid party.PID) *author {
	for i := range l.authors {
		if l.authors[i].pid == pid && pid != 0 {
			return &l.authors[i]
		}
	}
	return nil
}

// follow expects number last+1 of an author next.
func (l *ledger) follow(pid party.PID, last uint32) {
	a := l.of(pid)
	for i := range l.authors {
		if a == nil && l.authors[i].pid == 0 {
			a = &l.authors[i]
		}
	}
	if a != nil {
		*a = author{pid, last}
	}
}

// forget an author who has left.
func (l *ledger) forget(pid party.PID) {
	if a := l.of(pid); a != nil {
		*a = author{}
	}
}

// take counts a letter and checks its number.
func (l *ledger) take(pid party.PID, number uint32) {
	l.Received++
	a := l.of(pid)
	switch {
	case a == nil:
		l.Disordered++ // a letter from nobody we were told of
	case number <= a.last:
		l.Disordered++
	default:
		l.Lost += int(number - a.last - 1)
		a.last = number
	}
}

// missing is how many letters of an author's, who has sent that many, have not
// arrived here.
func (l *ledger) missing(pid party.PID, sent uint32) int {
	if a := l.of(pid); a != nil && sent > a.last {
		return int(sent - a.last)
	}
	return 0
}

// Missing counts the letters that members of one party have not received of each
// other: what is on its way, and in a party that has come to rest what is lost.
// It can look only at members of this process.
func Missing(members []*Session) int {
	n := 0
	for _, from := range members {
		for _, to := range members {
			if from != to && from.Status() != Ended && to.Status() != Ended {
				n += to.ledger.missing(from.Me(), from.ledger.mine)
			}
		}
	}
	return n
}
