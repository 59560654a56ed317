package netmsg

import "net/netip"

// An outbox gathers datagrams and hands them to the sockets in batches. It is
// used under the endpoint's lock.
type outbox struct {
	socks  []Socket
	paths  []*Path
	frames bool // the sockets must not wait
	queue  []Datagram
	n      int

	sent, bytes, unsent uint64
	single              [1]Datagram // for a path
}

func newOutbox(socks []Socket, frames bool, size int) *outbox {
	return &outbox{socks: socks, frames: frames, queue: newBatch(firstBatch, size)}
}

// room lends the buffer for the next datagram. It is good until the next call
// of room or send.
func (o *outbox) room() []byte {
	switch {
	case o.n == batchSize:
		o.send()
	case o.n == len(o.queue):
		o.queue = grown(o.queue)
	}
	d := &o.queue[o.n]
	return d.Data[:cap(d.Data)]
}

// add queues the first n bytes of the room for to.
func (o *outbox) add(n int, to netip.AddrPort) {
	d := &o.queue[o.n]
	d.Data, d.Addr = d.Data[:n], to
	o.n++
}

// send gives everything queued to the sockets. What they cannot take is lost,
// as if on the way.
func (o *outbox) send() {
	batch := o.queue[:o.n]
	o.n = 0
	for len(batch) > 0 {
		n := o.run(batch)
		o.sendRun(batch[:n])
		batch = batch[n:]
	}
}

// run counts the datagrams at the front of batch that go by one socket.
func (o *outbox) run(batch []Datagram) int {
	if len(o.socks) == 1 && len(o.paths) == 0 {
		return len(batch)
	}
	n := 1
	for n < len(batch) && o.sameWay(batch[n].Addr.Addr(), batch[0].Addr.Addr()) {
		n++
	}
	return n
}

// sameWay says whether two addresses are reached by one socket. One of a path
// goes alone.
func (o *outbox) sameWay(a, b netip.Addr) bool {
	if len(o.paths) > 0 && (synthetic(a) || synthetic(b)) {
		return false
	}
	return len(o.socks) == 1 || sameFamily(a, b)
}

// sendRun sends datagrams that go by one socket.
func (o *outbox) sendRun(batch []Datagram) {
	if synthetic(batch[0].Addr.Addr()) {
		o.sendPath(batch)
		return
	}
	sock := o.socketFor(batch[0].Addr.Addr())
	for len(batch) > 0 {
		n, err := o.write(sock, batch)
		for _, d := range batch[:n] {
			o.sent++
			o.bytes += uint64(len(d.Data))
		}
		batch = batch[n:]
		switch {
		case err == errNotNow || isClosed(err) || err == nil && n == 0:
			o.unsent += uint64(len(batch))
			return
		case err != nil && len(batch) > 0:
			o.unsent++
			batch = batch[1:]
		}
	}
}

func (o *outbox) write(sock Socket, batch []Datagram) (int, error) {
	if f, ok := sock.(frameSocket); ok && o.frames {
		return f.tryWriteBatch(batch)
	}
	return sock.WriteBatch(batch)
}

// socketFor gives the socket that reaches to: the one of its family, or the
// only one.
func (o *outbox) socketFor(to netip.Addr) Socket {
	if len(o.socks) > 1 && !sameFamily(o.socks[0].LocalAddr().Addr(), to) {
		return o.socks[1]
	}
	return o.socks[0]
}
