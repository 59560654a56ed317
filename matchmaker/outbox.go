package matchmaker

import "sync"

// An outbox holds what is to be done with one client's WebSocket. It takes memory
// only while something waits: most clients wait for hours, and nothing for them.
type outbox struct {
	news chan struct{} // something was put in
	most int

	mu    sync.Mutex
	queue []Action
}

func newOutbox(most int) outbox { return outbox{news: make(chan struct{}, 1), most: most} }

// put adds an action; false: too many wait.
func (b *outbox) put(a Action) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.queue) >= b.most {
		return false
	}
	b.queue = append(b.queue, a)
	select {
	case b.news <- struct{}{}:
	default:
	}
	return true
}

// take gives all that waits, oldest first.
func (b *outbox) take() []Action {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.queue
	b.queue = nil
	return all
}
