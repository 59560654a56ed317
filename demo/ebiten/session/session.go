package session

import (
	"fmt"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/level"
	"github.com/partyline-go/partyline/party"
)

// TicksPerSecond is how often Frame is to be called.
const TicksPerSecond = arena.TicksPerSecond

// Tick is the time from one Frame to the next.
const Tick = time.Second / TicksPerSecond

// Status says where a session is.
type Status uint8

const (
	Idle    Status = iota + 1 // not begun
	Joining                   // on the way to a host
	Playing                   // in the game, as host or guest
	Ended                     // over; End says why
)

// String gives the status's name.
func (s Status) String() string {
	switch s {
	case Idle:
		return "idle"
	case Joining:
		return "joining"
	case Playing:
		return "playing"
	case Ended:
		return "ended"
	}
	return fmt.Sprintf("Status(%d)", uint8(s))
}

// A Config sets up a Session.
type Config struct {
	Name string // of the player; CleanName is applied
	Seed uint32 // of the first ice, where this side hosts

	// Level is the look of the ice, where this side hosts.
	Level level.Settings

	// NoForecast shows the newest snapshot as it is. It is for players that need
	// no picture, such as bots.
	NoForecast bool

	// Party sets up the network; Proto and MaxMessage are set here.
	Party party.Config
}

// A Session is one member's part in a game. It is used from one goroutine, and
// ends once; a new game needs a new one.
type Session struct {
	cfg    Config
	party  *party.Party
	status Status
	why    party.Why // why it ended
	said   string    // what the other side said to it

	roll   roll
	feed   Feed
	ledger ledger
	lines  [party.MaxMembers]Line
	levels

	frames    uint64
	since     int // frames since a snapshot came
	snapshots int // that came, in all
	perSecond int // in the last whole second
	counted   int // of snapshots, when perSecond was taken
	gone      int // members that left, and not by choice
	bytesIn   uint64
	quiet     bool
	trouble   string // RoomTrouble
	changes   []HostChange
	buf       []byte // scratch for encoding

	// The host's.
	hosting bool
	world   arena.World
	queues  [arena.MaxPlayers]inputQueue
	flood   [arena.MaxPlayers]int // lines of chat lately, by place
	ghosts  []ghost

	// A guest's.
	host     *party.Peer
	code     string      // Code's
	codeOf   *party.Peer // whose that is
	vouched  *party.Peer // the host whose welcome has come: its letters can be judged
	seq      uint16      // number of the newest input
	history  history
	replica  replica
	forecast forecast

	shown arena.World
}

// New gives a session that has not begun.
func New(cfg Config) *Session {
	cfg.Name = CleanName(cfg.Name)
	cfg.Party.Proto, cfg.Party.MaxMessage = Proto, largest
	return &Session{
		cfg: cfg, party: party.New(cfg.Party), status: Idle,
		roll: roll{make([]Player, 0, party.MaxMembers)},
		buf:  make([]byte, 0, arena.SnapshotMax),
	}
}

// Host opens a game on a port; 0: the system chooses. The error wraps
// party.WhyPortInUse or party.WhySocket.
func (s *Session) Host(port uint16) error {
	if err := s.party.Host(port, s.cfg.Seed); err != nil {
		return err
	}
	s.begin(arena.New(s.cfg.Seed))
	s.enter(s.party.MyPID(), s.cfg.Name)
	return nil
}

// Join sets out for a host. Status tells what comes of it.
func (s *Session) Join(to codes.Target) error {
	w := s.party.Write(party.Hello)
	w.Str(s.cfg.Name)
	w.SetHello()
	if err := s.party.Join(to); err != nil {
		return err
	}
	s.status = Joining
	return nil
}

// Leave ends the session at once; the others hear of it. While joining it takes
// the join back.
func (s *Session) Leave() {
	if s.status == Joining || s.status == Playing {
		s.party.Leave()
		s.end(party.WhyNone, "")
	}
}

// end is where every session ends.
func (s *Session) end(why party.Why, said string) {
	s.status, s.why, s.said = Ended, why, said
}

// Frame plays one tick: it reads what came in, moves the game on by in, and
// sends. In the steady state, which is every frame in which nobody comes or goes,
// it allocates nothing.
func (s *Session) Frame(in arena.Input) {
	if s.status == Idle || s.status == Ended {
		return
	}
	s.frames++
	s.since++
	s.party.Begin(Tick)
	s.hearFacts() // first: a ghost is gone before its player's new hello
	for m := range s.party.Inbox() {
		s.read(m)
	}
	s.party.Update()
	s.changeRole()
	switch s.party.State() {
	case party.StateHosting:
		s.hostTick(in)
	case party.StateJoined:
		s.guestTick(in)
	}
	s.everySecond()
	s.sampleLines()
	s.party.End()
	s.hearFacts()
}

func (s *Session) hearFacts() {
	for f := range s.party.Facts() {
		s.hear(f)
	}
}

// read takes one message in.
func (s *Session) read(m *party.Message) {
	switch m.Kind {
	case party.Hello:
		s.admit(m)
	case kindInput:
		s.takeInputs(m)
	case kindSnapshot:
		s.readSnapshot(m)
	case kindWelcome:
		s.readWelcome(m)
	case kindAsk:
		s.sendLevel(m)
	case kindLevel:
		s.readLevel(m)
	case kindWho, kindGone, kindFell, kindRound, kindChat, kindPulse, kindHere:
		s.readLetter(m)
	}
}

// hear takes one fact in.
func (s *Session) hear(f party.Fact) {
	switch f.Kind {
	case party.Joined:
		s.joined()
	case party.Gone:
		s.lostGuest(f)
	case party.NewHost:
		s.newHost(f)
	case party.RoomOpen:
		s.roomOpen(f.Text)
	case party.RoomFailed:
		s.roomFailed(f)
	case party.Down:
		s.end(f.Why, f.Text)
	}
}

// everySecond sends the pulse, and lets chat be forgiven.
func (s *Session) everySecond() {
	if s.frames%TicksPerSecond != 0 {
		return
	}
	s.perSecond, s.counted = s.snapshots-s.counted, s.snapshots
	for i := range s.flood {
		s.flood[i] = max(0, s.flood[i]-1)
	}
	if s.status == Playing && !s.quiet {
		s.pulse()
	}
}

// Quiet stops this side's letters, so that all that were sent can arrive before
// an end. The game itself goes on.
func (s *Session) Quiet() { s.quiet = true }
