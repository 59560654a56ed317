package party

import (
	"log/slog"
	"time"

	"github.com/partyline-go/partyline/codes"
)

// A Party is one member's side of a party. It is used from one goroutine, the
// game's.
type Party struct {
	cfg Config
	log *slog.Logger

	writer    Writer
	facts     []Fact
	factsRead int
}

// New gives an idle party. It opens nothing yet.
func New(cfg Config) *Party {
	cfg = cfg.withDefaults()
	p := &Party{cfg: cfg, log: cfg.Log}
	p.writer = Writer{party: p, buf: make([]byte, headerRoom, 2048)}
	return p
}

// Begin starts a frame: it reads all that came in and fills the inbox, without
// waiting. dt moves Time; a stepped party's clock moves by it too.
func (p *Party) Begin(dt time.Duration) {}

// Update comes after the game has read the inbox: it looks after hellos that
// wait, and after the succession when the host is silent.
func (p *Party) Update() {}

// End ends a frame: it sends what was queued, without waiting.
func (p *Party) End() {}

// KeepAlive is for a load that holds the frame: it keeps this side's seat, but
// hands nothing out. A live party needs it only when a load may take longer
// than StallTimeout; a stepped one, each quarter second.
func (p *Party) KeepAlive() {}

// FlushAll sends everything that is queued, now, as far as the rate allows,
// for a machine that is about to let go.
func (p *Party) FlushAll() {}

// State says what the party is doing.
func (p *Party) State() State { return StateIdle }

// Hosting says that this side is the host.
func (p *Party) Hosting() bool { return p.State() == StateHosting }

// MyPID is this side's pid; 0 before it has one.
func (p *Party) MyPID() PID { return 0 }

// Token is the session's id, which the host's game chose; 0 before it is known.
func (p *Party) Token() uint32 { return 0 }

// Time is the sum of all dt.
func (p *Party) Time() time.Duration { return 0 }

// Why says why the last session ended; WhyNone while one is on, and after Fresh.
func (p *Party) Why() Why { return WhyNone }

// Port is the UDP port of this side's socket; 0 without a session.
func (p *Party) Port() uint16 { return 0 }

// Target is where the last Join, Dial or Follow went.
func (p *Party) Target() codes.Target { return codes.Target{} }

// Room is the code of the party's room; "" when there is none.
func (p *Party) Room() string { return "" }

// JoinCode is the code that a friend joins this host by; "" when not hosting.
func (p *Party) JoinCode() string { return "" }
