package launch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
)

// A Report is how a game went, as this program saw it.
type Report struct {
	Players int     `json:"players"` // in the party, this side included
	Seconds float64 `json:"seconds"`
	Frames  uint64  `json:"frames"` // of this player

	// Letters are the reliable messages that carry their author's number. They
	// are counted hop by hop, over all members in this program: this player and
	// its bots. Lost are numbers that were left out, and those that had not
	// arrived anywhere when the game had come to rest.
	ReliableSent     int `json:"reliable_sent"`
	ReliableReceived int `json:"reliable_received"`
	Lost             int `json:"lost"`
	Disordered       int `json:"disordered"`

	Disconnects int `json:"disconnects"` // connections that ended, but for those that were closed

	SnapshotsPerSecond float64 `json:"snapshots_per_second"` // that arrive at a guest of this program (without one: that leave)
	UpKBps             float64 `json:"up_kBps"`              // of this player
	DownKBps           float64 `json:"down_kBps"`

	RTTp50         float64 `json:"rtt_ms_p50"`   // of this player's lines
	FrameP50       int     `json:"frame_us_p50"` // networking and rules, without the picture
	FrameP99       int     `json:"frame_us_p99"`
	AllocsPerFrame int     `json:"allocs_per_frame"` // the median; see meter for what these cover
	AllocsMeasured uint64  `json:"allocs_measured"`  // in all measured frames
	AllocsFrames   int     `json:"allocs_frames"`    // how many those are

	Sealed         bool    `json:"sealed"`               // every connection of every member of this program is
	Verified       int     `json:"verified"`             // of this player's lines: the peer's key was known, or an invitation shown
	LevelsReceived int     `json:"levels_received"`      // by this program's guests, whole and with the host's hash
	ClockWithin    float64 `json:"clock_uncertainty_ms"` // of this player's idea of the host's clock; the host's own is 0

	Room     string      `json:"room"`      // room code; "": none
	Peers    []Peer      `json:"peers"`     // that this player is connected to
	NewHosts []HostShift `json:"new_hosts"` // who became host since this player came, oldest first

	Host bool   `json:"host"`
	End  string `json:"end"` // in words
}

// A Peer is a connection of the player's.
type Peer struct {
	PID  party.PID `json:"pid"`
	Name string    `json:"name"`
	Path string    `json:"path"` // "direct", "local" or "relayed"
}

// A HostShift is a change of the host.
type HostShift struct {
	PID     party.PID `json:"pid"`
	Name    string    `json:"name"`
	Me      bool      `json:"me"`
	Why     string    `json:"why"`     // how the old host ended
	Seconds float64   `json:"seconds"` // since this player began
}

// report takes stock. It is made before anyone leaves.
func (g *Game) report() Report {
	s := g.Player
	seconds := time.Since(g.began).Seconds()
	r := Report{
		Players: len(s.Players()), Seconds: round(seconds, 1), Frames: s.Frames(),
		Lost: session.Missing(g.members()), Disconnects: s.Disconnects(),
		SnapshotsPerSecond: round(g.snapshotRate(seconds), 1),
		UpKBps:             round(float64(s.BytesOut())/seconds/1000, 1),
		DownKBps:           round(float64(s.BytesIn())/seconds/1000, 1),
		RTTp50:             round(float64(g.meter.rtts.quantile(0.5))/10, 1),
		FrameP50:           g.meter.times.quantile(0.5), FrameP99: g.meter.times.quantile(0.99),
		AllocsPerFrame: g.meter.allocs.quantile(0.5),
		AllocsMeasured: g.meter.mallocs, AllocsFrames: g.meter.allocs.total,
		Sealed: g.sealed(), Verified: verified(s),
		Room: s.Room(), Peers: peersOf(s), NewHosts: shiftsOf(s), Host: s.Hosting(),
	}
	_, within, _ := s.Clock()
	r.ClockWithin = round(within.Seconds()*1000, 1)
	for _, m := range g.members() {
		t := m.Tally()
		r.ReliableSent += t.Sent
		r.ReliableReceived += t.Received
		r.Lost += t.Lost
		r.Disordered += t.Disordered
		r.LevelsReceived += m.LevelsReceived()
	}
	for _, b := range g.bots {
		if b.Status() == session.Ended {
			r.Disconnects++
		}
	}
	return r
}

// peersOf lists who a session is connected to.
func peersOf(s *session.Session) []Peer {
	list := []Peer{}
	for l := range s.Lines() {
		list = append(list, Peer{PID: l.PID, Name: s.NameOf(l.PID), Path: s.PathTo(l.PID).String()})
	}
	return list
}

// shiftsOf lists the changes of the host that a session has seen.
func shiftsOf(s *session.Session) []HostShift {
	list := []HostShift{}
	for _, c := range s.HostChanges() {
		list = append(list, HostShift{PID: c.PID, Name: c.Name, Me: c.Me, Why: c.Why.String(), Seconds: round(c.At.Seconds(), 1)})
	}
	return list
}

// sealed asks every connection of this program's members for its key. A game
// without any is not sealed.
func (g *Game) sealed() bool {
	lines := 0
	for _, m := range g.members() {
		for l := range m.Lines() {
			if lines++; m.Lock(l.PID) == session.NoLock {
				return false
			}
		}
	}
	return lines > 0
}

// verified counts the lines of a session that nobody can be in between.
func verified(s *session.Session) (n int) {
	for l := range s.Lines() {
		if s.Lock(l.PID) == session.Verified {
			n++
		}
	}
	return n
}

// snapshotRate is how many snapshots a guest of this program gets in a second;
// where there is none, how many leave.
func (g *Game) snapshotRate(seconds float64) float64 {
	total, guests := 0, 0
	for _, m := range g.members() {
		if !m.Hosting() {
			total += m.Snapshots()
			guests++
		}
	}
	if guests == 0 {
		return float64(g.Player.Frames()) / seconds
	}
	return float64(total) / float64(guests) / seconds
}

func round(v float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(v*p) / p
}

// Write writes the report, as "json" (one line) or as text.
func (r Report) Write(w io.Writer, format string) error {
	if format == "json" {
		return json.NewEncoder(w).Encode(r)
	}
	_, err := fmt.Fprintf(w, `
players        %d, in %.1f s and %d frames (half took %d µs or less, 99 of 100 %d µs; %d allocations each)
reliable       %d sent, %d received, %d lost, %d out of order, %d disconnects
latest values  %.1f snapshots a second
line           %.1f kB/s up, %.1f kB/s down, round trip %.1f ms, clock ±%.1f ms
sealed         %s
levels         %d received
room           %s
end            %s
`, r.Players, r.Seconds, r.Frames, r.FrameP50, r.FrameP99, r.AllocsPerFrame,
		r.ReliableSent, r.ReliableReceived, r.Lost, r.Disordered, r.Disconnects,
		r.SnapshotsPerSecond, r.UpKBps, r.DownKBps, r.RTTp50, r.ClockWithin,
		r.sealedLine(), r.LevelsReceived, r.roomLine(), r.End)
	return err
}

// sealedLine tells whether anybody could listen.
func (r Report) sealedLine() string {
	if len(r.Peers) == 0 {
		return "nobody to talk to"
	}
	return fmt.Sprintf("%v, %d verified", r.Sealed, r.Verified)
}

// roomLine tells of the room, the ways to the peers and the hosts, in a line.
func (r Report) roomLine() string {
	line := cmp.Or(r.Room, "none")
	ways := map[string]int{}
	for _, p := range r.Peers {
		ways[p.Path]++
	}
	for _, way := range slices.Sorted(maps.Keys(ways)) {
		line += fmt.Sprintf(", %d %s", ways[way], way)
	}
	for _, h := range r.NewHosts {
		line += fmt.Sprintf(", then %s hosted", h.Name)
	}
	return line
}
