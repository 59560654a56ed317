package party

import (
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// The plain_*.go files are what a party needs on NMS1, which has one packet's
// worth of a message, one reliable channel, no unreliable messages, no early
// data in its handshake and no reason in its goodbye.

const (
	// What one NMS1 packet of MaxDatagram bytes holds.
	packetMessage = MaxDatagram - 27
	packetValue   = MaxDatagram - 29

	// plainWindow is how many messages NMS1 lets wait: one more ends the
	// connection.
	plainWindow = 1024

	// A tick is one packet there, so a frame takes a few.
	plainGoodRate = 240
	plainBadRate  = 80
)

// plainPeer is what NMS1 does not do for a peer.
type plainPeer struct {
	queue    outQueue
	loose    looseQueue
	lingerBy time.Duration // leaving: when to stop waiting
}

// netConfig sets netmsg up for a party.
func (p *Party) netConfig() *netmsg.Config {
	return &netmsg.Config{
		Plain:          true,
		MaxPacket:      MaxDatagram,
		MaxClients:     MaxMembers + maxStrangers + maxLingering,
		GoodRate:       plainGoodRate,
		BadRate:        plainBadRate,
		Timeout:        p.cfg.SilenceTimeout,
		ConnectTimeout: MaxHelloWait + time.Second, // the party itself ends a join
		StallTimeout:   p.cfg.StallTimeout,
		MaxStreams:     valueStreams + looseStreams,
		Driven:         true,
		Random:         p.cfg.Random,
		Log:            p.cfg.Log,
	}
}

// enqueue lets a reliable message wait for its turn. One that does not fit ends
// the connection, because messages must not be missing.
func (r *Peer) enqueue(head, data []byte) {
	if r.queue.bytes()+len(head)+len(data) > MaxQueued {
		r.party.overflow(r)
		return
	}
	r.queue.push(head, data)
}

// waiting is how many reliable messages netmsg does not have yet.
func (r *Peer) waiting() int { return r.queue.n }

// feed gives netmsg what waits, as far as it takes it.
func (r *Peer) feed() {
	if !r.open {
		return
	}
	if r.queue.n > 0 {
		r.queue.feed(r.conn, plainWindow-r.conn.Stats().Unacked)
	}
	r.loose.feed(r.conn, r.party.now)
}

// empty forgets what waits.
func (r *Peer) empty() { r.queue, r.loose = outQueue{}, looseQueue{} }

// introduce says who this side is, then its hello: the first two messages of a
// connection that it opened.
func (r *Peer) introduce(e early) {
	r.say(opEarly, appendEarly(r.party.scratch(), e))
	r.enqueue([]byte{byte(Hello), 0}, r.party.hello)
}
