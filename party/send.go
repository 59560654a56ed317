package party

import (
	"encoding/binary"
	"fmt"
	"slices"

	netmsg "github.com/partyline-go/partyline/net"
)

// Send sends the message to a peer. It leaves at End.
func (w *Writer) Send(to *Peer, m Mode) error {
	if err := w.ready(m); err != nil {
		return err
	}
	if !w.party.has(to) || !to.On() || to.role == roleSelf {
		return ErrGone
	}
	return w.sendTo(to, m)
}

// SendAll sends the message to every guest; a guest's goes to the host. It
// leaves at End. One guest that does not keep up is no error: it is let go
// with WhyOverflow.
func (w *Writer) SendAll(m Mode) error { return w.SendAllBut(nil, m) }

// SendAllBut sends the message to all that SendAll does, but for one.
func (w *Writer) SendAllBut(not *Peer, m Mode) error {
	if err := w.ready(m); err != nil {
		return err
	}
	if w.party.state == StateJoined {
		if not == w.party.host {
			return nil
		}
		return w.sendTo(w.party.host, m)
	}
	for _, r := range w.party.peers {
		if r.role == roleGuest && r != not {
			w.sendTo(r, m)
		}
	}
	return nil
}

// SendTo sends the message to members, from any member: what a guest sends
// goes over the host, and arrives with By its author's pid. At most 11 pids;
// if one is nobody's, or one's own, the error says which and nothing is sent.
func (w *Writer) SendTo(m Mode, to ...PID) error {
	if err := w.ready(m); err != nil {
		return err
	}
	if err := w.party.checkPIDs(to); err != nil {
		return err
	}
	if w.party.state == StateJoined {
		return w.sendTo(w.party.host, m, to...)
	}
	for _, r := range w.party.peers {
		if r.role == roleGuest && slices.Contains(to, r.pid) {
			w.sendTo(r, m)
		}
	}
	return nil
}

// ready says why the message cannot be sent to anyone.
func (w *Writer) ready(m Mode) error {
	if err := w.check(m); err != nil {
		return err
	}
	switch p := w.party; {
	case w.kind == Hello:
		return fmt.Errorf("party: kind 1 is the hello: SetHello sends it; kinds are 2 to 255")
	case p.state == StateIdle:
		return ErrIdle
	case p.state == StateJoining:
		return ErrNotJoined
	case p.state == StateJoined && p.host == nil:
		return ErrNoHost
	}
	return nil
}

// checkPIDs says what is wrong with a set of recipients.
func (p *Party) checkPIDs(to []PID) error {
	switch {
	case len(to) == 0:
		return fmt.Errorf("party: no recipients")
	case len(to) > maxRecipients:
		return &SizeError{"recipients", len(to), maxRecipients}
	}
	for _, pid := range to {
		if pid == p.place.pid {
			return fmt.Errorf("party: pid %d is this member itself", pid)
		}
		if p.place.roster.member(pid) == nil {
			return fmt.Errorf("%w: pid %d", ErrGone, pid)
		}
	}
	return nil
}

// sendTo sends the message to one peer; a guest names the members it is for.
// The header goes into the room before the data.
func (w *Writer) sendTo(r *Peer, m Mode, to ...PID) error {
	p := w.party
	var start int
	if r.role == roleGuest {
		start = headerRoom - 3
		putHostHeader(w.buf[start:], w.kind, p.place.pid)
	} else {
		start = headerRoom - 2 - 2*len(to)
		putGuestHeader(w.buf[start:], w.kind, to)
	}
	return r.post(w.kind, w.buf[start:headerRoom], w.data(), m, p.mySlot())
}

func putHostHeader(b []byte, kind Kind, by PID) {
	b[0] = byte(kind)
	binary.BigEndian.PutUint16(b[1:], uint16(by))
}

func putGuestHeader(b []byte, kind Kind, to []PID) {
	b[0], b[1] = byte(kind), byte(len(to))
	for i, pid := range to {
		binary.BigEndian.PutUint16(b[2+2*i:], uint16(pid))
	}
}

// post queues a message, given in two parts, for a peer. A latest value goes on
// a stream that is its author's, known by his slot.
func (r *Peer) post(kind Kind, head, data []byte, m Mode, slot int) error {
	r.party.meter.kinds[kind] += uint64(len(head) + len(data))
	switch m.how() {
	case modeLatest:
		return r.setValue(uint16(slot*streamsEach)+m.stream(), head, data)
	}
	return r.enqueue(m, head, data)
}

// setValue sets a latest value, which netmsg keeps until it goes.
func (r *Peer) setValue(stream uint16, head, data []byte) error {
	if r.role == roleEnded {
		return ErrGone
	}
	r.party.sendBuf = append(append(r.party.sendBuf[:0], head...), data...)
	return r.conn.SendLatest(stream, r.party.sendBuf)
}

// modeOf is how what an event brings was sent.
func modeOf(e netmsg.Event) Mode {
	switch {
	case e.Kind == netmsg.Update:
		return Latest(e.Stream % streamsEach)
	case e.Channel == netmsg.Unreliable:
		return Unreliable
	}
	return On(e.Channel)
}

// mySlot is this side's slot. A guest's streams to its host are its own without
// it.
func (p *Party) mySlot() int {
	if p.state != StateHosting {
		return 0
	}
	if m := p.place.roster.member(p.place.pid); m != nil {
		return int(m.slot)
	}
	return 0
}

// Flush sends what is queued for a peer now, within the rate, without waiting
// for End.
func (p *Party) Flush(peer *Peer) {
	if !p.has(peer) || !peer.open {
		return
	}
	p.now = p.clock.now()
	p.sendRoster()
	peer.conn.Flush()
}
