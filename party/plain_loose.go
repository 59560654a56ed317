package party

import (
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// An unreliable message goes as a value on a stream of its own, above those of
// the latest values. The streams are used in turn, so that one message replaces
// another only when this many wait.
const (
	firstLoose   = valueStreams
	looseStreams = 64

	// maxLoose is how many unreliable messages wait for a peer; beyond it the
	// oldest are dropped.
	maxLoose = 256
)

// A looseQueue holds unreliable messages until the frame's end.
type looseQueue struct {
	items []looseItem
	data  []byte
	turn  uint16
}

type looseItem struct {
	at         time.Duration
	start, end int // of its bytes in data
}

func (q *looseQueue) push(now time.Duration, head, data []byte) {
	if len(q.items) == maxLoose {
		q.items = q.items[:copy(q.items, q.items[1:])]
	}
	start := len(q.data)
	q.data = append(append(q.data, head...), data...)
	q.items = append(q.items, looseItem{now, start, len(q.data)})
}

// feed gives conn all that is not too old.
func (q *looseQueue) feed(conn *netmsg.Conn, now time.Duration) {
	for _, m := range q.items {
		if now-m.at > looseLife {
			continue
		}
		if conn.SendLatest(firstLoose+q.turn, q.data[m.start:m.end]) != nil {
			break
		}
		q.turn = (q.turn + 1) % looseStreams
	}
	q.items, q.data = q.items[:0], q.data[:0]
}
