package party

import "iter"

// A Message is what another member said, or this side itself (Writer.Loopback).
// It is read through its Reader, and borrowed until the next Begin.
type Message struct {
	From *Peer // the connection it came by
	By   PID   // who wrote it; 0: a stranger
	Kind Kind
	Reader
}

// Inbox gives what came in with this frame's Begin, in order. It leaves out a
// peer that was closed on the way. What a break leaves is there until the next
// Begin.
func (p *Party) Inbox() iter.Seq[*Message] { return func(yield func(*Message) bool) {} }
