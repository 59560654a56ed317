package matchmaker

import (
	"crypto/subtle"
	"time"
)

// Times of a room's life.
const (
	refreshEvery = 15 * time.Second // a host says that it is there
	roomLife     = 45 * time.Second // without a word from its host
	codeRest     = time.Hour        // a room's code is not given out again
	goneAfter    = 10 * time.Second // of a host's socket, or past a missed refresh, until a claim is granted
	doubtAfter   = 3 * time.Second  // of a claim without an answer from the holder, until nobody is led to it
	claimPause   = 5 * time.Second  // between two claims of an heir at most; it claims every 2 s
	pairLife     = 60 * time.Second // candidates pass between two players
	maxPairs     = 64               // of one room at once
	maxPairsOf   = 16               // of them from one network: a household, or a school's class
)

// A room is one party's place in the directory. It outlives its host: the code
// and the ticket stay, whoever holds them.
type room struct {
	code    string
	ticket  [16]byte
	app     string
	proto   int
	key     [32]byte // the holder's public key
	epoch   uint32
	name    string
	max     int
	players int
	public  bool
	cands   []Candidate

	host    SocketID // 0: its socket is gone
	owner   *account // whose limit it counts in
	gone    time.Duration
	heard   time.Duration // the holder's last open, refresh or claim
	heir    [32]byte      // named by the host's handoff
	hasHeir bool
	pairs   []*pair

	claims  []SocketID    // heirs that wait for the holder's pong
	claimed time.Duration // the last claim
	doubted time.Duration // since when the holder has not answered the pings of claims; 0: it has
}

// lost says that the holder may be taken for gone: its socket has been away for
// goneAfter, or has not answered for so long while heirs claimed the room, or
// its refresh is that late.
func (r *room) lost(now time.Duration) bool {
	if r.host == 0 && now-r.gone >= goneAfter {
		return true
	}
	if r.doubted != 0 && now-r.doubted >= goneAfter {
		return true
	}
	return now-r.heard >= refreshEvery+goneAfter
}

// doubt notes that the holder is asked whether it is there, because of a claim.
// A claim long after the last one begins the doubt anew.
func (r *room) doubt(now time.Duration) {
	if r.doubted == 0 || now-r.claimed > claimPause {
		r.doubted = now
	}
	r.claimed = now
}

func (r *room) ends() time.Duration { return r.heard + roomLife }

func (r *room) fits(ticket []byte) bool {
	return len(ticket) == 16 && subtle.ConstantTimeCompare(r.ticket[:], ticket) == 1
}

// resting is the code of a room that has ended: nobody else gets it for an
// hour, and whoever joins hears that it is closed.
type resting struct {
	ticket [16]byte
	until  time.Duration
}

// joinsOf counts those of one network who are joining.
func (r *room) joinsOf(network *account) (n int) {
	for _, p := range r.pairs {
		if p.from == network {
			n++
		}
	}
	return n
}

// pair is two players who are to meet.
type pair struct {
	id    string
	host  SocketID
	guest SocketID
	from  *account // the guest's network
	room  *room
	until time.Duration
}

func (p *pair) other(s SocketID) SocketID {
	switch s {
	case p.host:
		return p.guest
	case p.guest:
		return p.host
	}
	return 0
}
