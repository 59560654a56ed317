package party

import (
	"errors"
	"net"
	"sync"

	netmsg "github.com/partyline-go/partyline/net"
)

// A lentSocket is Config.Socket as the endpoint of a session gets it: closing it
// gives it back, and the next session can have it.
type lentSocket interface {
	netmsg.Socket
	lend()
}

// lend makes a given socket one that can be lent; nil stays nil.
func lend(sock netmsg.Socket) lentSocket {
	switch s := sock.(type) {
	case nil:
		return nil
	case netmsg.StepSocket:
		return lentStep{s}
	}
	l := &lentLive{Socket: sock}
	l.news.L = &l.mu
	return l
}

// lentStep is a socket without goroutines: there is nothing to end.
type lentStep struct{ netmsg.StepSocket }

func (lentStep) lend()        {}
func (lentStep) Close() error { return nil }

// lentLive is a socket whose reads wait. One goroutine reads it for good, until
// its giver closes it, and keeps what comes for the session that has it.
type lentLive struct {
	netmsg.Socket

	mu      sync.Mutex
	news    sync.Cond
	reading bool
	lent    bool
	kept    []netmsg.Datagram
	free    [][]byte // buffers to keep datagrams in
	err     error    // why reading has ended
}

const (
	// lentKept is how many datagrams are kept; what comes then is lost.
	lentKept = 512

	// lentSize is the size of the buffers, more than any datagram of a party.
	lentSize = 2048
)

func (l *lentLive) lend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent, l.kept = true, nil
	if !l.reading {
		l.reading = true
		go l.read()
	}
}

// Close gives the socket back, and ends a ReadBatch that waits.
func (l *lentLive) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lent, l.kept = false, nil
	l.news.Broadcast()
	return nil
}

// read keeps what comes until the socket is closed.
func (l *lentLive) read() {
	batch := []netmsg.Datagram{{Data: make([]byte, 0, lentSize)}}
	for {
		batch[0].Data = batch[0].Data[:0]
		n, err := l.Socket.ReadBatch(batch)
		if !l.keep(batch[:n], err) {
			return
		}
	}
}

// keep keeps copies of what was read. It returns false once the socket is
// closed.
func (l *lentLive) keep(batch []netmsg.Datagram, err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range batch {
		if l.lent && len(l.kept) < lentKept {
			l.kept = append(l.kept, netmsg.Datagram{Addr: d.Addr, Data: append(l.buffer(), d.Data...)})
		}
	}
	if errors.Is(err, net.ErrClosed) {
		l.err = err
	}
	l.news.Broadcast()
	return l.err == nil
}

// buffer is an empty one, used before if there is one.
func (l *lentLive) buffer() []byte {
	last := len(l.free) - 1
	if last < 0 {
		return make([]byte, 0, lentSize)
	}
	b := l.free[last][:0]
	l.free = l.free[:last]
	return b
}

// ReadBatch waits for what is kept.
func (l *lentLive) ReadBatch(b []netmsg.Datagram) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.lent && l.err == nil && len(l.kept) == 0 {
		l.news.Wait()
	}
	switch {
	case !l.lent:
		return 0, net.ErrClosed
	case len(l.kept) == 0:
		return 0, l.err
	}
	n := min(len(b), len(l.kept))
	for i, d := range l.kept[:n] {
		b[i].Addr = d.Addr
		b[i].Data = b[i].Data[:copy(b[i].Data[:cap(b[i].Data)], d.Data)]
		l.free = append(l.free, d.Data)
	}
	l.kept = l.kept[:copy(l.kept, l.kept[n:])]
	return n, nil
}
