package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A screen shows a session: on a terminal a table that is drawn again and again
// in its place, elsewhere one line for each thing that happens.
type screen struct {
	out   io.Writer
	live  bool
	drawn int      // lines of the table on the terminal
	notes uint64   // of the feed, that were written
	last  []string // what was said, for under the table
	code  string   // that was written
	room  string   // room code that was written
	stage string   // of a join, that was written
}

func newScreen(f *os.File) *screen {
	info, err := f.Stat()
	return &screen{out: f, live: err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"}
}

// say shows a line that is no part of the session.
func (c *screen) say(line string) {
	if !c.live {
		fmt.Fprintln(c.out, line)
		return
	}
	c.last = append(c.last, line)
	if len(c.last) > 6 {
		c.last = c.last[1:]
	}
}

const (
	tableEvery  = session.TicksPerSecond / 5
	statusEvery = 5 * session.TicksPerSecond
)

// show shows what is new, and from time to time how things stand.
func (c *screen) show(s *session.Session) {
	if code := s.Code(); code != c.code {
		c.code = code
		if code != "" {
			c.say("join code " + code)
		}
		if s.Hosting() {
			c.say("invitation " + s.Invitation())
		}
	}
	if stage := s.JoinWords(); stage != c.stage {
		if c.stage = stage; stage != "" {
			c.say(stage + "…")
		}
	}
	for ; c.notes < s.Feed().Count(); c.notes++ {
		if n := s.Feed().Note(c.notes); n != nil {
			c.sayNote(n)
		}
	}
	if room := s.Room(); room != c.room && !s.Hosting() {
		c.sayRoom(room)
	}
	switch {
	case c.live && s.Frames()%tableEvery == 0:
		c.draw(table(s))
	case !c.live && s.Frames()%statusEvery == 0:
		fmt.Fprintln(c.out, status(s))
	}
}

// sayNote shows a note of the feed.
func (c *screen) sayNote(n *session.Note) {
	if n.Kind == session.NoteRoomOpen {
		c.sayRoom(n.Text())
		return
	}
	c.say(n.String())
}

// sayRoom shows a room's code, on a line of its own that a program can read.
func (c *screen) sayRoom(code string) {
	if c.room = code; code != "" {
		c.say("room " + code)
	}
}

// draw puts lines in the place of those drawn last.
func (c *screen) draw(lines []string) {
	var b strings.Builder
	if c.drawn > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", c.drawn)
	}
	lines = append(lines, "")
	lines = append(lines, c.last...)
	for _, l := range lines {
		b.WriteString("\x1b[2K" + short(l) + "\n")
	}
	b.WriteString("\x1b[J")
	c.drawn = len(lines)
	io.WriteString(c.out, b.String())
}

// short cuts a line to what fits a terminal: one that wraps would be two.
func short(line string) string {
	const most = 79
	if r := []rune(line); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return line
}

// close leaves the terminal as it stands, for what is written after.
func (c *screen) close() { c.drawn = 0 }

// status is how things stand, in a line.
func status(s *session.Session) string {
	if s.Status() == session.Joining {
		return "joining: " + s.JoinWords() + "…"
	}
	w := s.Shown()
	players := fmt.Sprintf("%d players", len(s.Players()))
	if len(s.Players()) == 1 {
		players = "1 player"
	}
	line := fmt.Sprintf("%s, round %d, %v, %d on the ice; %s",
		players, w.Round, w.Phase, w.Standing(), traffic(s))
	if got, total := s.LevelProgress(); got < total {
		line += fmt.Sprintf("; level %d %%", got*100/total)
	}
	return line
}

func traffic(s *session.Session) string {
	var up, down float64
	for l := range s.Lines() {
		now := l.Now()
		up, down = up+now.Up, down+now.Down
	}
	return fmt.Sprintf("%.1f kB/s up, %.1f down", up, down)
}

// table is how things stand, in lines.
func table(s *session.Session) []string {
	head := "FLOE"
	if c := s.Code(); c != "" {
		head += "   join code " + c
	}
	if c := s.Room(); c != "" {
		head += "   room " + c
	}
	lines := []string{head, status(s), s.ClockWords(), "",
		fmt.Sprintf(columns, "player", "lock", "path", "ping", "loss", "snap/s", "wins", "pushes", "")}
	for i := range s.Players() {
		lines = append(lines, row(s, &s.Players()[i]))
	}
	return lines
}

// columns is a line of the table.
const columns = "%-17.17s %-8s %-7s %6s %5v %6s %4v %6v  %s"

// row is a player's line of the table.
func row(s *session.Session, p *session.Player) string {
	name := p.Name
	if p.Me {
		name += " (you)"
	}
	path, ping, loss, snaps := "host", "", "", ""
	if !p.Host {
		path = s.PathOf(p).String()
		ping = fmt.Sprintf("%d ms", p.Ping.Milliseconds())
		loss = fmt.Sprintf("%.0f %%", p.Loss*100)
		snaps = fmt.Sprint(p.Snapshots)
	}
	wins, pushes, where := uint8(0), uint8(0), ""
	if at := s.Shown().Place(uint16(p.PID)); at >= 0 {
		d := &s.Shown().Discs[at]
		wins, pushes, where = d.Wins, d.Pushes, whereabouts(d)
	}
	return fmt.Sprintf(columns, name, s.Lock(p.PID), path, ping, loss, snaps, wins, pushes, where)
}

func whereabouts(d *arena.Disc) string {
	switch d.State {
	case arena.Skating:
		return "on the ice"
	case arena.Sinking:
		return "in the water"
	}
	return "out"
}
