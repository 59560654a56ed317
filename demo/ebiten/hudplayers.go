package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
	"github.com/partyline-go/partyline/party"
)

const (
	rowHeight = 24.0
	winsAt    = 132.0
	pushesAt  = 196.0
	lockAt    = 228.0
	pathAt    = 245.0
	listWidth = 362.0
	listHead  = 34.0
	listFoot  = 28.0
)

// drawPlayers shows everyone with score and ping, the best first, and returns
// where.
func drawPlayers(c *paint.Canvas, s *session.Session) paint.Rect {
	list := slices.Clone(s.Players())
	disc := func(pid party.PID) (arena.Disc, int) {
		if at := s.Shown().Place(uint16(pid)); at >= 0 {
			return s.Shown().Discs[at], at
		}
		return arena.Disc{}, -1
	}
	slices.SortStableFunc(list, func(a, b session.Player) int {
		da, _ := disc(a.PID)
		db, _ := disc(b.PID)
		return cmp.Or(cmp.Compare(db.Wins, da.Wins), cmp.Compare(db.Pushes, da.Pushes), cmp.Compare(a.PID, b.PID))
	})
	r := paint.Rect{X: c.W - margin - listWidth, Y: margin, W: listWidth, H: listHead + rowHeight*float64(len(list)) + listFoot}
	panel(c, r)
	small := paint.Style{Font: paint.Bold, Size: 12, Color: paint.Mist.Fade(0.8)}
	c.Text(fmt.Sprintf("%d PLAYERS", len(list)), paint.Point{X: r.X + 16, Y: r.Y + 20}, small)
	c.Text("PATH", paint.Point{X: r.X + pathAt, Y: r.Y + 20}, small)
	small.Anchor = 0.5
	c.Text("WINS", paint.Point{X: r.X + winsAt + 14, Y: r.Y + 20}, small)
	c.Text("PUSHED", paint.Point{X: r.X + pushesAt, Y: r.Y + 20}, small)
	small.Anchor = 1
	c.Text("PING", paint.Point{X: r.X + r.W - 14, Y: r.Y + 20}, small)
	for i := range list {
		d, at := disc(list[i].PID)
		row := paint.Rect{X: r.X, Y: r.Y + listHead + float64(i)*rowHeight, W: r.W, H: rowHeight}
		drawPlayer(c, row, &list[i], &d, at)
		drawLock(c, paint.Point{X: row.X + lockAt, Y: row.Mid().Y}, s.Lock(list[i].PID))
		drawPath(c, paint.Point{X: row.X + pathAt, Y: row.Mid().Y}, s.PathOf(&list[i]))
	}
	drawLocks(c, paint.Point{X: r.X + 23, Y: r.Y + r.H - listFoot/2})
	return r
}

// drawPath says by which way a player and the host reach each other.
func drawPath(c *paint.Canvas, at paint.Point, way party.Path) {
	st := paint.Style{Size: 13, Color: paint.Mist}
	switch way {
	case party.PathNone:
		return
	case party.Relayed:
		st.Color = paint.Fair
	}
	c.Text(way.String(), at, st)
}

// drawPlayer is one row of the list.
func drawPlayer(c *paint.Canvas, r paint.Rect, p *session.Player, d *arena.Disc, place int) {
	mid := r.Mid().Y
	alive := 1.0
	if d.State != arena.Skating {
		alive = 0.45
	}
	if p.Me {
		c.Box(paint.Rect{X: r.X + 6, Y: r.Y + 1, W: r.W - 12, H: r.H - 2}, 7, paint.White.Fade(0.13))
	}
	if place >= 0 {
		c.Ellipse(paint.Point{X: r.X + 23, Y: mid}, 7, 7, paint.DiscColor(place).Fade(alive))
		c.Ring(paint.Point{X: r.X + 23, Y: mid}, 5.5, 5.5, 1.2, paint.White.Fade(0.6*alive))
	}
	st := paint.Style{Size: 15, Color: paint.White.Fade(0.35 + 0.65*alive)}
	if p.Me {
		st.Font = paint.Bold
	}
	c.Text(c.Fit(p.Name, winsAt-48, st), paint.Point{X: r.X + 38, Y: mid}, st)
	for i := range arena.MatchWins {
		at := paint.Point{X: r.X + winsAt + 14*float64(i), Y: mid}
		if i < int(d.Wins) {
			c.Ellipse(at, 4.5, 4.5, paint.Gold)
		} else {
			c.Ring(at, 3.8, 3.8, 1.2, paint.Mist.Fade(0.45))
		}
	}
	st = paint.Style{Size: 14, Color: paint.Mist, Anchor: 0.5}
	c.Text(fmt.Sprint(d.Pushes), paint.Point{X: r.X + pushesAt, Y: mid}, st)
	st.Anchor = 1
	text := "host"
	if !p.Host {
		text, st.Color = pingText(p.Ping), pingColor(p.Ping)
	}
	c.Text(text, paint.Point{X: r.X + r.W - 14, Y: mid}, st)
}

func pingText(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%d ms", max(1, d.Round(time.Millisecond).Milliseconds()))
}

func pingColor(d time.Duration) paint.Color {
	switch {
	case d < 80*time.Millisecond:
		return paint.Good
	case d < 180*time.Millisecond:
		return paint.Fair
	}
	return paint.Bad
}
