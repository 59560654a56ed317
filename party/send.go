package party

// Send sends the message to a peer.
func (w *Writer) Send(to *Peer, m Mode) error { return w.check(m) }

// SendAll sends the message to every guest; a guest's goes to the host.
func (w *Writer) SendAll(m Mode) error { return w.check(m) }

// SendAllBut sends the message to all that SendAll does, but for one.
func (w *Writer) SendAllBut(not *Peer, m Mode) error { return w.check(m) }

// SendTo sends the message to members, from any member: what a guest sends
// goes over the host, and arrives with By its author's pid. At most 11 pids;
// one that is nobody's, or one's own, is refused and nothing is sent.
func (w *Writer) SendTo(m Mode, to ...PID) error { return w.check(m) }

// SetHello makes the message the hello, whatever its kind: Join, Dial and
// Follow send it, each time.
func (w *Writer) SetHello() {}

// Loopback puts the message in this side's own inbox, as if it had come in: in
// this frame's if that is still being read, else in the next one's.
func (w *Writer) Loopback() {}

// Forward passes a message on to members (none: to all guests but its author),
// with By as it is. Only the host can.
func (p *Party) Forward(m *Message, mode Mode, to ...PID) error { return nil }

// Flush sends what is queued for a peer now, without waiting for End, within
// the rate.
func (p *Party) Flush(peer *Peer) {}
