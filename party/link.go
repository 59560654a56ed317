package party

import (
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// How a party uses netmsg: its settings, and how a peer's messages go.

// appID keeps other programs, and parties of another version, away.
var appID = [8]byte{'P', 'L', 'p', 'a', 'r', 't', 'y', partyVersion}

const (
	goodRate = 60 // ticks a second: a frame is one
	badRate  = 20

	// maxWaiting is how many reliable messages may wait for one peer, so that a
	// great many small ones cost no more memory than MaxQueued allows.
	maxWaiting = 1 << 16
)

// netConfig sets netmsg up for a party.
func (p *Party) netConfig() *netmsg.Config {
	return &netmsg.Config{
		AppID:          appID,
		Identity:       p.identity[:],
		NeedKey:        true,
		Secret:         secretBytes(p.secret),
		PSKOptional:    !p.cfg.InviteOnly,
		Admit:          p.door.admit,
		Roams:          true,
		MaxClients:     MaxMembers + maxStrangers + maxLingering,
		GoodRate:       goodRate,
		BadRate:        badRate,
		Timeout:        p.cfg.SilenceTimeout,
		ConnectTimeout: MaxHelloWait + time.Second, // the party itself ends a join
		StallTimeout:   p.cfg.StallTimeout,
		MaxMessage:     p.cfg.MaxMessage + headerRoom,
		MaxValue:       MaxLatest + headerRoom,
		MaxStreams:     valueStreams,
		MaxQueued:      max(MaxQueued, 2*p.cfg.MaxMessage),
		MaxWaiting:     maxWaiting,
		Driven:         true,
		Resent:         p.meter.countAgain,
		Random:         p.cfg.Random,
		Log:            p.cfg.Log,
	}
}

// secretBytes is an invitation's secret, 60 bits, as netmsg takes it.
func secretBytes(secret uint64) []byte { return binary.BigEndian.AppendUint64(nil, secret<<4) }

// A trust is what is known of a host before it is dialled.
type trust struct {
	key         *[keySize]byte // nil: unknown
	fingerprint uint64         // of its key; 0: unknown
	secret      uint64         // of its invitation; 0: none
	pair        []byte         // the psk that a matchmaker gave; nil: none
	salt        [8]byte        // and that pair's id
}

// dial begins a connection. What it says first goes in its handshake.
func (p *Party) dial(to []netip.AddrPort, e early, t trust) (*Peer, error) {
	opt := netmsg.DialOptions{Only: true, Hello: appendEarly(nil, e), Fingerprint: t.fingerprint}
	if t.key != nil {
		opt.ServerKey = t.key[:]
	}
	if t.secret != 0 {
		opt.Secret = secretBytes(t.secret)
	}
	if t.pair != nil {
		opt.PSK, opt.Salt = t.pair, t.salt
	}
	conn, err := p.ep.Dial(to, opt)
	if err != nil {
		return nil, err
	}
	return p.addPeer(conn, roleDial), nil
}

// opened notes that a connection is open: this side's hello is the first that
// goes over one that it dialled.
func (r *Peer) opened() {
	r.open, r.openedAt = true, r.party.now
	copy(r.key[:], r.conn.PeerKey())
	if r.role == roleDial {
		r.enqueue(Reliable, []byte{byte(Hello), 0}, r.party.hello)
	}
}

// enqueue gives netmsg a message, in two parts. A reliable one for which there
// is no room ends the connection, because messages must not be missing.
func (r *Peer) enqueue(m Mode, head, data []byte) error {
	if r.role == roleEnded {
		return ErrGone
	}
	p := r.party
	p.sendBuf = append(append(p.sendBuf[:0], head...), data...)
	if m == Unreliable {
		return r.conn.SendUnreliable(p.sendBuf)
	}
	if err := r.conn.SendOn(m.channel(), p.sendBuf); err != nil {
		return r.notTaken(err)
	}
	r.posted++
	return nil
}

// notTaken says what it means that netmsg did not take a reliable message.
func (r *Peer) notTaken(err error) error {
	var refused *netmsg.RefusedError
	if errors.As(err, &refused) && refused.Why == netmsg.QueueFull {
		r.party.overflow(r)
		return WhyOverflow
	}
	if errors.Is(err, netmsg.ErrClosed) {
		return nil // its Left is on the way, and says why
	}
	return err
}

// say queues a library message.
func (r *Peer) say(op byte, fields []byte) {
	r.party.scratchBuf = fields[:0]
	r.enqueue(Reliable, []byte{byte(kindLibrary), op}, fields)
	first := r.posted - uint64(r.unacked())
	r.own = slices.DeleteFunc(r.own, func(n uint64) bool { return n <= first })
	r.own = append(r.own, r.posted)
}

// unheard is how many of the game's messages the peer has not acknowledged.
func (r *Peer) unheard() int {
	n := r.unacked()
	for _, at := range r.own {
		if at > r.posted-uint64(n) {
			n--
		}
	}
	return max(n, 0)
}

// sendOff ends a connection and tells the peer why. What it sent and was not
// read is dropped.
func (p *Party) sendOff(r *Peer, code closeCode, text string) {
	if r.role == roleEnded {
		return
	}
	if len(text) > MaxString {
		p.log.Error("the text is not sent: too long", "bytes", len(text), "limit", MaxString)
		text = ""
	}
	r.shut = true
	r.conn.CloseWith(uint16(code), text)
	r.end()
}
