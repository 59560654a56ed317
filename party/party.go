package party

import (
	"crypto/rand"
	"io"
	"log/slog"
	"net/netip"
	"time"

	"github.com/partyline-go/partyline/codes"
	netmsg "github.com/partyline-go/partyline/net"
)

// A Party is one member's side of a party. It is used from one goroutine, the
// game's.
type Party struct {
	cfg    Config
	log    *slog.Logger
	random io.Reader
	socket lentSocket // Config.Socket; nil: UDP
	clock  clock

	time time.Duration // the sum of all dt
	now  time.Duration // the clock's, as this call began

	writer    Writer
	hello     []byte // what SetHello wrote
	helloErr  error
	inbox     inbox
	hear      func(netmsg.Event) bool // p.heard, kept so that a frame allocates nothing
	facts     []Fact
	factsRead int
	meter     meter

	why    Why
	target codes.Target
	place  place
	door   door

	identity [keySize]byte // this side's private key: by it others know it
	key      [keySize]byte // and the public one
	secret   uint64        // of this side's invitations, 60 bits

	scratchBuf []byte // one library message
	sendBuf    []byte // one message with its header
	heirList   []PID

	session
}

// A session is what ends with Leave, Down and the like.
type session struct {
	state State
	ep    *netmsg.Endpoint
	mail  *netmsg.Mailbox

	peers []*Peer // all connections, in the order in which they began
	self  *Peer   // who Loopback comes from
	host  *Peer   // a guest's; nil while there is none

	helloBy  time.Duration // joining: when the wait for an answer ends
	helloMax time.Duration // and what HelloWait cannot take it over

	own  netip.AddrPort // where others reach this side; not valid: not looked for yet
	code string         // JoinCode's

	ears    *ears
	out     outside
	listing listing
	room    room
	pairs   []pair   // who joins by the room's code, where this side holds it
	meeting *meeting // with the room's holder; nil: none
	mending *meeting // with the host that is not heard any more; nil: none
	deaf    bool     // hosting: no guest was heard for a while

	rosterDue bool      // hosting: the guests must hear of a change
	passings  []passing // hosting: what guests said to each other, until the end of Begin
	handing   handing
	succession
}

// New gives an idle party. It opens nothing yet.
func New(cfg Config) *Party {
	cfg = cfg.withDefaults()
	p := &Party{cfg: cfg, log: cfg.Log, random: cfg.Random}
	if p.random == nil {
		p.random = rand.Reader
	}
	_, stepped := cfg.Socket.(netmsg.StepSocket)
	p.socket, p.hear = lend(cfg.Socket), p.heard
	p.clock = newClock(stepped)
	p.writer = Writer{party: p, buf: make([]byte, headerRoom, headerRoom+usualMessage)}
	p.takeIdentity(cfg)
	if cfg.Plain {
		p.log.Warn("Config.Plain is not heeded: a party is always sealed")
	}
	return p
}

// Begin starts a frame: it reads all that came in and fills the inbox, without
// waiting. dt moves Time; a stepped party's clock moves by it too.
func (p *Party) Begin(dt time.Duration) {
	p.time += max(dt, 0)
	p.clock.move(dt)
	p.now = p.clock.now()
	p.inbox.begin()
	if p.ep == nil {
		return
	}

	p.ep.Drain(p.now)
	p.mail.All()(p.hear)
	if p.ep == nil {
		return
	}
	p.relay()
	for _, r := range p.peers {
		r.noteHeard()
	}
	p.releaseHellos()
}

// Update comes after the game has read the inbox: it looks after the room, after
// hellos that wait, and after the succession when the host is silent.
func (p *Party) Update() {
	p.now = p.clock.now()
	p.tendRoom()
	p.judgeHellos()
	p.succeed()
}

// End ends a frame: it sends what was queued, without waiting.
func (p *Party) End() {
	if p.ep == nil {
		return
	}
	p.now = p.clock.now()
	p.handOver()
	p.followMoves()
	p.sendRoster()
	p.sendTickets()
	p.letGo()
	p.send()
	p.forgetEnded()
}

// send lets go what is queued.
func (p *Party) send() {
	if p.ep == nil {
		return
	}
	p.tellDoor()
	p.ep.Flush(p.now)
}

// KeepAlive is for a load that holds the frame: it keeps this side's seat, but
// hands nothing out. A live party needs it only when a load may take longer
// than StallTimeout; a stepped one, whose clock it moves by a sixtieth of a
// second, as often as a few times a second.
func (p *Party) KeepAlive() {
	p.clock.move(stepFrame)
	p.now = p.clock.now()
	if p.ep != nil {
		p.ep.KeepAlive(p.now)
		p.tendRoom()
	}
}

// flushWait is how long FlushAll waits at most.
const flushWait = 500 * time.Millisecond

// FlushAll sends everything that is queued, for a machine that is about to let
// go. It returns when all peers have acknowledged, or after half a second; a
// stepped party sends what its rate allows and does not wait.
func (p *Party) FlushAll() {
	p.now = p.clock.now()
	p.sendRoster()
	p.send()
	if p.clock.stepped {
		return
	}
	for until := p.now + flushWait; p.unacked() && p.now < until; p.now = p.clock.now() {
		time.Sleep(2 * time.Millisecond)
		p.ep.Drain(p.now)
		p.send()
	}
}

// unacked says whether any peer has still something to acknowledge.
func (p *Party) unacked() bool {
	for _, r := range p.peers {
		if r.open && r.unacked() > 0 {
			return true
		}
	}
	return false
}

// State says what the party is doing.
func (p *Party) State() State { return p.state }

// Hosting says that this side is the host.
func (p *Party) Hosting() bool { return p.state == StateHosting }

// MyPID is this side's pid; 0 before it has one.
func (p *Party) MyPID() PID { return p.place.pid }

// Token is the session's id, which the host's game chose; 0 before it is known.
func (p *Party) Token() uint32 { return p.place.roster.token }

// JoinedAs gives the session's token and this side's pid; zeros until Joined.
func (p *Party) JoinedAs() (token uint32, pid PID) { return p.Token(), p.MyPID() }

// Time is the sum of all dt.
func (p *Party) Time() time.Duration { return p.time }

// Why says why the last session ended; WhyNone while one is on, and after
// Fresh.
func (p *Party) Why() Why { return p.why }

// Port is the UDP port of this side's socket; 0 without a session.
func (p *Party) Port() uint16 {
	if p.ep == nil {
		return 0
	}
	return p.ep.Addr().Port()
}

// Target is where the last Join, Dial or Follow went.
func (p *Party) Target() codes.Target { return p.target }
