package world

import "time"

// A stream is a TCP connection between a host and a service: what is sent
// arrives in order, after the latency of the cables between, and while one of
// them is cut it waits. Routers let it out whatever they do to UDP.
type stream struct {
	client, server *Host
	up, down       *pipe // from the client, and to it
}

// retransmit is how often a stream tries a cable that is cut.
const retransmit = 200 * time.Millisecond

// newStream joins two hosts. atServer and atClient take what arrives; nil data
// is the end that the other side made of it.
func newStream(client, server *Host, atServer, atClient func(data []byte)) *stream {
	s := &stream{client: client, server: server}
	out, in := client.waysTo(server)
	s.up = &pipe{world: client.world, ways: out, take: atServer}
	s.down = &pipe{world: client.world, ways: in, take: atClient}
	client.streams = append(client.streams, s)
	return s
}

// waysTo are the ways from one host to another over the Internet, and back.
func (h *Host) waysTo(to *Host) (out, back []*way) {
	for _, c := range h.network.toInternet(h.Cable) {
		out, back = append(out, c.Out), append(back, c.In)
	}
	for _, c := range to.network.toInternet(to.Cable) {
		out, back = append(out, c.In), append(back, c.Out)
	}
	return out, back
}

// close ends the stream for one side at once; the other hears of it.
func (s *stream) close(by *Host) {
	toOther, toBy := s.up, s.down
	if by == s.server {
		toOther, toBy = s.down, s.up
	}
	toBy.deaf = true
	toOther.send(nil)
	toOther.shut = true
}

// breakOff has the stream end without a word, as when the client's address is
// another: the client finds out when it sends again, the server does not.
func (s *stream) breakOff() {
	s.down.deaf, s.up.deaf = true, true
	s.up.broken = func() {
		s.down.take(nil)
	}
}

// A pipe is one direction of a stream.
type pipe struct {
	world *World
	ways  []*way
	take  func(data []byte)
	queue []parcel
	last  time.Duration // when the newest in the queue is due
	armed bool
	shut  bool // nothing more is sent
	deaf  bool // nothing more is taken

	broken func() // if set, whoever sends is told by it that the stream has ended
}

// A parcel is one message under way.
type parcel struct {
	due  time.Duration
	data []byte
}

func (p *pipe) send(data []byte) {
	if p.shut {
		return
	}
	w := p.world
	w.Note("stream %x", data)
	d, _ := latency(p.ways...)
	if p.broken != nil {
		if data != nil {
			w.After(2*d, p.broken)
		}
		p.shut = true
		return
	}
	p.last = max(p.last, w.now+d)
	p.queue = append(p.queue, parcel{p.last, data})
	p.arm(d)
}

func (p *pipe) arm(d time.Duration) {
	if !p.armed {
		p.armed = true
		p.world.After(d, p.turn)
	}
}

// turn takes what is due, unless a cable is cut.
func (p *pipe) turn() {
	p.armed = false
	if _, open := latency(p.ways...); !open {
		p.arm(retransmit)
		return
	}
	for len(p.queue) > 0 && p.queue[0].due <= p.world.now {
		data := p.queue[0].data
		p.queue = p.queue[1:]
		if !p.deaf {
			p.take(data)
		}
	}
	if len(p.queue) > 0 {
		p.arm(p.queue[0].due - p.world.now)
	}
}
