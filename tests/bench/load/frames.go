package load

import "time"

const (
	frame = time.Second / 60      // of a game
	tick  = 20 * time.Millisecond // of a server with a crowd
)

// frames calls f every interval, with the frame's number, until it returns
// false or stop is closed. A frame that comes late moves those after it.
func frames(every time.Duration, stop <-chan struct{}, f func(i int) bool) {
	next := time.Now()
	for i := 0; f(i); i++ {
		select {
		case <-stop:
			return
		default:
		}
		next = next.Add(every)
		if wait := time.Until(next); wait > 0 {
			time.Sleep(wait)
		} else {
			next = time.Now()
		}
	}
}
