package party

import (
	"encoding/binary"

	netmsg "github.com/partyline-go/partyline/net"
)

// An outQueue holds the reliable messages of a peer that netmsg cannot take
// yet, each with its length in two bytes before it.
type outQueue struct {
	buf  []byte
	head int // where the first one is
	n    int
}

// queueKept is the memory that an empty queue keeps, in bytes.
const queueKept = 64 << 10

func (q *outQueue) bytes() int { return len(q.buf) - q.head }

// push adds a message, given in two parts.
func (q *outQueue) push(head, data []byte) {
	size := len(head) + len(data)
	if q.head > 0 && len(q.buf)+2+size > cap(q.buf) {
		q.buf, q.head = q.buf[:copy(q.buf, q.buf[q.head:])], 0
	}
	q.buf = binary.BigEndian.AppendUint16(q.buf, uint16(size))
	q.buf = append(append(q.buf, head...), data...)
	q.n++
}

// front is the oldest message; there must be one.
func (q *outQueue) front() []byte {
	at := q.head + 2
	return q.buf[at : at+int(binary.BigEndian.Uint16(q.buf[q.head:]))]
}

// pop forgets the oldest message.
func (q *outQueue) pop() {
	q.head += 2 + len(q.front())
	q.n--
	if q.n > 0 {
		return
	}
	q.buf, q.head = q.buf[:0], 0
	if cap(q.buf) > queueKept {
		q.buf = nil
	}
}

// feed gives conn the oldest messages, at most room of them.
func (q *outQueue) feed(conn *netmsg.Conn, room int) {
	for ; room > 0 && q.n > 0; room-- {
		if conn.SendReliable(q.front()) != nil {
			return
		}
		q.pop()
	}
}
