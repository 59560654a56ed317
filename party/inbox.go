package party

import "iter"

// A Message is what another member said, or this side itself (Writer.Loopback).
// It is read through its Reader, and borrowed until the next Begin.
type Message struct {
	From *Peer // the connection it came by
	By   PID   // who wrote it; 0: a stranger
	Kind Kind
	Reader

	data   []byte // all of it, for Forward
	slot   int    // the author's
	looped bool   // Loopback's
}

// An inbox holds the messages of a frame, in order.
type inbox struct {
	messages []Message
	read     int
	loop     [2][]byte // what Loopback's messages are made of: this frame's, and the last one's
}

// begin forgets the last frame's messages, but for those of Loopback that were
// not read.
func (in *inbox) begin() {
	in.loop[0], in.loop[1] = in.loop[1][:0], in.loop[0]
	unread := in.messages[in.read:]
	in.messages, in.read = in.messages[:0], 0
	for _, m := range unread {
		if m.looped {
			in.addLooped(m)
		}
	}
}

// add puts a message at the end.
func (in *inbox) add(m Message) {
	m.rest = m.data
	in.messages = append(in.messages, m)
}

// addLooped puts a message at the end, with bytes of its own.
func (in *inbox) addLooped(m Message) {
	at := len(in.loop[0])
	in.loop[0] = append(in.loop[0], m.data...)
	m.data, m.looped = in.loop[0][at:], true
	in.add(m)
}

// next is the next message of a peer that was not let go; nil: there is none.
func (in *inbox) next() *Message {
	for in.read < len(in.messages) {
		m := &in.messages[in.read]
		in.read++
		if !m.From.shut {
			return m
		}
	}
	return nil
}

// Inbox gives what came in with this frame's Begin, in order. It leaves out a
// peer that was closed on the way. What a break leaves is there until the next
// Begin. A frame's inbox holds at most what the peers had sent and not yet seen
// acknowledged: 1,024 reliable messages each, and the newest latest values.
func (p *Party) Inbox() iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		for m := p.inbox.next(); m != nil && yield(m); m = p.inbox.next() {
		}
	}
}

// Loopback puts the message in this side's own inbox, as if it had come in: in
// this frame's if that is still being read, else in the next one's. A message
// that could not be sent is not looped either; the log says why.
func (w *Writer) Loopback() {
	p := w.party
	if err := w.check(Reliable); err != nil {
		p.log.Error("a message is not looped back", "kind", w.kind, "err", err)
		return
	}
	me := p.me()
	p.inbox.addLooped(Message{From: me, By: me.pid, Kind: w.kind, data: w.data(), slot: me.slot})
}
