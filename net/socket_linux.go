package netmsg

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// plainSocketVar is the environment variable that switches fast paths off: with
// 1 each datagram has a call of its own, with 2 they go in batches, but the
// kernel neither cuts them nor puts them together, and no reader looks again.
const plainSocketVar = "PARTYLINE_PLAIN_SOCKET"

// writePatience is how long WriteBatch waits for room in the system's buffer.
// An endpoint writes under its lock, so it is short; what has not gone by then
// is lost.
const writePatience = 5 * time.Millisecond

// newUDPSocket makes a Socket of conn.
func newUDPSocket(conn *net.UDPConn) Socket {
	raw, err := conn.SyscallConn()
	plain := os.Getenv(plainSocketVar)
	if err != nil || plain == "1" {
		return newPlainSocket(conn)
	}
	return newBatchSocket(conn, raw, plain != "2")
}

// A batchSocket reads and writes many datagrams with one system call, recvmmsg
// and sendmmsg. Where the kernel can, datagrams of one size to one address go as
// one that it cuts, and those that come in a row from one address come together.
// The calls never wait in the kernel, so they are made raw: a
// call that the Go scheduler is told of and that lasts over 20 µs may cost the
// goroutine its processor, and the hand-over costs more than the datagrams.
// Waiting is done in the runtime's poller, after some looks in a quick exchange.
type batchSocket struct {
	conn  *net.UDPConn
	raw   syscall.RawConn
	local netip.AddrPort
	whole bool

	merge   *merging
	waiting *batchReader // ReadBatch's own
	trying  *batchReader // tryReadBatch's own: it may be called beside ReadBatch

	writing sync.Mutex
	writer  *batchWriter
}

func newBatchSocket(conn *net.UDPConn, raw syscall.RawConn, fast bool) *batchSocket {
	m := &merging{may: fast && canMerge(raw)}
	look := newLookout(nil)
	if fast {
		look = newLookout(clockFromNow())
	}
	return &batchSocket{
		conn: conn, raw: raw, local: localAddrOf(conn), whole: neverCutSocket(conn), merge: m,
		waiting: newBatchReader(m, look), trying: newBatchReader(m, newLookout(nil)), writer: newBatchWriter(fast && canSegment(raw)),
	}
}

func (s *batchSocket) neverCuts() bool { return s.whole }

func (s *batchSocket) ReadBatch(b []Datagram) (int, error) {
	r := s.waiting
	if r.offer(b); r.holds() {
		return r.take(b)
	}
	if err := s.raw.Read(r.untilRead); err != nil {
		r.look.came(nil)
		return 0, err
	}
	n, err := r.take(b)
	r.look.came(b[:n])
	return n, err
}

func (s *batchSocket) tryReadBatch(b []Datagram) (int, error) {
	r := s.trying
	if r.offer(b); !r.holds() {
		if err := s.raw.Control(r.once); err != nil {
			return 0, err
		}
	}
	if r.errno == unix.EAGAIN {
		return 0, nil
	}
	return r.take(b)
}

func (s *batchSocket) WriteBatch(b []Datagram) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	n, err := s.write(b, false)
	if err == errNotNow {
		s.conn.SetWriteDeadline(time.Now().Add(writePatience))
		var more int
		more, err = s.write(b[n:], true)
		n += more
	}
	return n, err
}

func (s *batchSocket) tryWriteBatch(b []Datagram) (int, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.write(b, false)
}

// write sends b, at most batchSize datagrams a call. With wait it gives the
// system until the write deadline to make room.
func (s *batchSocket) write(b []Datagram, wait bool) (sent int, err error) {
	w := s.writer
	apart := 0 // so many go one by one
	for sent < len(b) {
		batch := b[sent:min(len(b), sent+batchSize)]
		if apart > 0 {
			batch = batch[:min(apart, len(batch))]
		}
		if w.offer(batch, s.local.Addr().Is4(), w.segments && apart == 0) == 0 {
			return sent, syscall.EAFNOSUPPORT
		}
		if wait {
			err = s.raw.Write(w.untilWritten)
		} else {
			err = s.raw.Control(w.once)
		}
		gone := w.gone()
		s.waiting.look.sent.Add(int32(gone))
		sent += gone
		apart = max(0, apart-gone)
		switch {
		case err != nil:
			return sent, err
		case w.errno == unix.EAGAIN:
			return sent, errNotNow
		case w.mustCut():
			apart = w.counts[w.sent]
		case w.errno != 0:
			return sent, w.errno
		}
	}
	return sent, nil
}

func (s *batchSocket) LocalAddr() netip.AddrPort { return s.local }

func (s *batchSocket) Close() error { return s.conn.Close() }
