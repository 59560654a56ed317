package main

import (
	"fmt"

	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A nearby is the list of parties on the title screen, for those who have no
// code: right and left go to it and back, the rest is as in a menu.
type nearby struct {
	look   *session.Nearby // nil: none yet
	games  []session.NearbyGame
	words  string // instead of games
	at     int
	chosen bool // the keys are the list's
	rows   []paint.Rect
	frame  paint.Rect
}

const (
	nearbyRows   = 7 // that are shown
	nearbyRow    = 40.0
	nearbyHead   = 46.0
	nearbyWidth  = 330.0
	nearbyNarrow = 1150.0 // a screen so wide has room for it beside the menu
)

// update takes in what the master server lists and what the player picks. True:
// the player's hands were the list's.
func (n *nearby) update(a *app, t *title) bool {
	if a.options.Listing.Browse == "" {
		return false
	}
	if n.look == nil {
		n.look = session.LookAround(a.options.Listing.Browse)
	}
	n.refresh()
	n.at = max(0, min(n.at, len(n.games)-1))
	n.chosen = n.chosen && len(n.games) > 0
	n.place(float64(a.width)/a.scale(), float64(a.height)/a.scale())
	h := &a.hands
	for i, r := range n.rows {
		if !r.Holds(h.pointer) || !h.pressed && !a.moved() {
			continue
		}
		n.at, n.chosen = n.first()+i, true
		if h.pressed {
			n.join(a, t)
			return true
		}
	}
	if !n.chosen {
		n.chosen = h.right && len(n.games) > 0 && t.menu.items[t.menu.at].turn == nil
		return n.chosen
	}
	switch {
	case h.left, h.back, a.moved() && !n.frame.Holds(h.pointer):
		n.chosen = false
		return !a.moved()
	case h.up:
		n.at = max(0, n.at-1)
	case h.down:
		n.at = min(n.at+1, len(n.games)-1)
	case h.ok:
		n.join(a, t)
	}
	return true
}

// refresh takes what was found. Who was chosen stays chosen, wherever he is.
func (n *nearby) refresh() {
	var before string
	if n.at < len(n.games) {
		before = n.games[n.at].Addr
	}
	games, asked, err := n.look.Games()
	for i := range games {
		if games[i].Addr == before {
			n.at = i
		}
	}
	n.games = games
	switch {
	case len(games) > 0:
		n.words = ""
	case err != nil:
		n.words = "the list does not answer"
	case !asked:
		n.words = "looking around ..."
	default:
		n.words = "nobody, at the moment"
	}
}

// join sets out for the chosen game.
func (n *nearby) join(a *app, t *title) {
	o := a.options
	o.Host, o.Join, o.Bots = false, n.games[n.at].Addr, 0
	t.next = a.start(o)
}

// first is the first game that is shown, so that the chosen one is.
func (n *nearby) first() int { return max(0, n.at-nearbyRows+1) }

// place lays the list at the right of the menu, or below it where the screen is
// narrow.
func (n *nearby) place(w, h float64) {
	shown := max(1, min(len(n.games), nearbyRows))
	r := paint.Rect{X: w/2 + itemWidth/2 + 36, Y: h * 0.38, W: min(nearbyWidth, w/2-itemWidth/2-56), H: nearbyHead + nearbyRow*float64(shown) + 12}
	if w < nearbyNarrow {
		r.W = min(nearbyWidth, w-24)
		r.X, r.Y = w/2-r.W/2, h*0.38+itemStep*5+8
	}
	n.frame, n.rows = r, n.rows[:0]
	for i := range min(len(n.games), nearbyRows) {
		n.rows = append(n.rows, paint.Rect{X: r.X + 8, Y: r.Y + nearbyHead + nearbyRow*float64(i), W: r.W - 16, H: nearbyRow - 4})
	}
}

func (n *nearby) draw(c *paint.Canvas) {
	if n.look == nil {
		return
	}
	n.place(c.W, c.H)
	panel(c, n.frame)
	c.Text("PARTIES NEAR YOU", paint.Point{X: n.frame.X + 18, Y: n.frame.Y + 24}, paint.Style{Font: paint.Bold, Size: 13, Color: paint.Mist})
	if n.words != "" {
		c.Text(n.words, paint.Point{X: n.frame.X + 18, Y: n.frame.Y + nearbyHead + nearbyRow/2}, paint.Style{Size: 16, Color: paint.Mist.Fade(0.8)})
	}
	for i, r := range n.rows {
		n.drawGame(c, r, n.first()+i)
	}
}

func (n *nearby) drawGame(c *paint.Canvas, r paint.Rect, i int) {
	g, ink := &n.games[i], paint.White
	if n.chosen && i == n.at {
		c.Box(r, 9, paint.Gold)
		ink = paint.Ink
	}
	at := paint.Point{X: r.X + 12, Y: r.Mid().Y}
	name := paint.Style{Font: paint.Bold, Size: 17, Color: ink}
	c.Text(c.Fit(g.Name, r.W-140, name), at, name)
	small := paint.Style{Size: 15, Color: ink.Fade(0.85), Anchor: 1}
	at.X = r.X + r.W - 74
	c.Text(fmt.Sprintf("%d/%d", g.Players, g.Max), at, small)
	at.X = r.X + r.W - 12
	c.Text(fmt.Sprintf("%d ms", g.Ping.Milliseconds()), at, small)
}

// close ends the looking around.
func (n *nearby) close() {
	if n.look != nil {
		n.look.Close()
		n.look = nil
	}
}
