package netmsg

import (
	"container/heap"
	"crypto/sha256"
	"net/netip"
	"time"
)

// A rowState is where a handshake that the gate answered has got to.
type rowState uint8

const (
	rowProvisional rowState = iota + 1 // accepted; no packet has verified yet
	rowRefused                         // told so; kept to answer repeats
	rowOpen                            // a packet has verified
	rowEnded                           // was open; kept so that a replay starts nothing
)

const (
	provisionalLife  = 5 * time.Second  // after its Accept was last sent
	provisionalLimit = 10 * time.Second // after its Accept was first sent
	refusedLife      = 2 * time.Second
	endedLife        = 30 * time.Second // a cid is not used again for so long; 25 s of it would do against replays, whose cookie is dead then
	acceptPause      = 100 * time.Millisecond

	provisionalPerSalt = 4 // of one address and salt
)

// A rowKey tells one handshake from another. A third party that saw a salt
// cannot make a row of this key that is not the client's own.
type rowKey struct {
	attempt attemptKey
	noise   [16]byte // of the SHA-256 of Noise message 1
}

// An attemptKey is what the Responses of one client's attempt have in common.
type attemptKey struct {
	addr netip.AddrPort
	salt [8]byte
}

func rowKeyOf(from netip.AddrPort, r *response) rowKey {
	sum := sha256.Sum256(r.noise)
	return rowKey{attempt: attemptKey{from, r.hello.salt}, noise: [16]byte(sum[:16])}
}

// A gateRow is one handshake that the gate answered.
type gateRow struct {
	key        rowKey
	state      rowState
	tokenShown bool
	cid        uint32 // 0: refused

	accept    []byte        // provisional, refused: for repeats
	first     time.Duration // the Accept was sent first,
	last      time.Duration // and last
	sent      int           // so often
	due       time.Duration // forgotten then; an open one never
	place     int           // in the heap; -1: not there
	session   *secureSession
	allowance *allowance // provisional: whose count it is in
	prefix    *prefixUse // likewise; nil: the address has no budget
	pair      *pair      // whose psk it used; nil: none
	tokenID   [16]byte
}

// A dueRows is a heap of rows by the time when they are forgotten.
type dueRows []*gateRow

func (h dueRows) Len() int           { return len(h) }
func (h dueRows) Less(i, j int) bool { return h[i].due < h[j].due }
func (h dueRows) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].place, h[j].place = i, j
}

func (h *dueRows) Push(x any) {
	r := x.(*gateRow)
	r.place = len(*h)
	*h = append(*h, r)
}

func (h *dueRows) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	r.place = -1
	return r
}

// forgetAt puts a row where it belongs for being forgotten at due.
func (h *dueRows) forgetAt(r *gateRow, due time.Duration) {
	r.due = due
	if r.place >= 0 {
		heap.Fix(h, r.place)
	} else {
		heap.Push(h, r)
	}
}

// never takes a row out.
func (h *dueRows) never(r *gateRow) {
	if r.place >= 0 {
		heap.Remove(h, r.place)
	}
}
