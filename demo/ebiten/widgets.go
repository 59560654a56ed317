package main

import (
	"github.com/partyline-go/partyline/demo/ebiten/paint"
)

// panel draws the dark ground that text lies on.
func panel(c *paint.Canvas, r paint.Rect) {
	c.Box(paint.Rect{X: r.X, Y: r.Y + 3, W: r.W, H: r.H}, 12, paint.Ink.Fade(0.25))
	c.Box(r, 12, paint.Ink.Fade(0.66))
	c.Frame(r, 12, 1, paint.White.Fade(0.1))
}

// An item is a line of a menu.
type item struct {
	label string
	value string // shown at the right; "" for a plain button
	do    func() // ok or a click
	turn  func(by int)
}

// A menu is a column of buttons, for keys, gamepad, mouse and touch alike.
type menu struct {
	items []item
	at    int // which is chosen
	rects []paint.Rect
}

const (
	itemWidth  = 380
	itemHeight = 54
	itemStep   = 64
)

// place puts the menu's buttons in a column whose top middle is at p.
func (m *menu) place(p paint.Point) {
	m.rects = m.rects[:0]
	for i := range m.items {
		m.rects = append(m.rects, paint.Rect{X: p.X - itemWidth/2, Y: p.Y + float64(i)*itemStep, W: itemWidth, H: itemHeight})
	}
}

// update moves the choice and does what is asked.
func (m *menu) update(h *hands) {
	n := len(m.items)
	switch {
	case h.up:
		m.at = (m.at + n - 1) % n
	case h.down:
		m.at = (m.at + 1) % n
	}
	clicked := false
	for i, r := range m.rects {
		if h.pressed && r.Holds(h.pointer) {
			m.at, clicked = i, true
		}
	}
	it := m.items[m.at]
	switch {
	case it.turn != nil && h.left:
		it.turn(-1)
	case it.turn != nil && (h.right || h.ok):
		it.turn(1)
	case it.turn != nil && clicked:
		by := 1
		if h.pointer.X < m.rects[m.at].Mid().X {
			by = -1
		}
		it.turn(by)
	case it.do != nil && (h.ok || clicked):
		it.do()
	}
}

// hover lets the mouse choose by moving.
func (m *menu) hover(h *hands, moved bool) {
	for i, r := range m.rects {
		if moved && r.Holds(h.pointer) {
			m.at = i
		}
	}
}

func (m *menu) draw(c *paint.Canvas) {
	for i, r := range m.rects {
		it, chosen := m.items[i], i == m.at
		ground, ink := paint.Ink.Fade(0.6), paint.White
		if chosen {
			ground, ink = paint.Gold, paint.Ink
		}
		c.Box(paint.Rect{X: r.X, Y: r.Y + 4, W: r.W, H: r.H}, 14, paint.Ink.Fade(0.3))
		c.Box(r, 14, ground)
		st := paint.Style{Font: paint.Bold, Size: 22, Color: ink, Anchor: 0.5}
		if it.value == "" {
			c.Text(it.label, r.Mid(), st)
			continue
		}
		st.Anchor = 0
		c.Text(it.label, paint.Point{X: r.X + 24, Y: r.Mid().Y}, st)
		st.Anchor = 1
		value := it.value
		if it.turn != nil {
			value = "‹  " + value + "  ›"
		}
		c.Text(value, paint.Point{X: r.X + r.W - 24, Y: r.Mid().Y}, st)
	}
}

// A line is a line of text being typed.
type line struct {
	text  []rune
	limit int // bytes
}

// update takes what was typed.
func (l *line) update(h *hands) {
	for _, r := range h.typed {
		l.add(r)
	}
	if h.erase && len(l.text) > 0 {
		l.text = l.text[:len(l.text)-1]
	}
}

func (l *line) add(r rune) {
	if len(string(l.text))+len(string(r)) <= l.limit {
		l.text = append(l.text, r)
	}
}

func (l *line) set(s string) {
	l.text = l.text[:0]
	for _, r := range s {
		l.add(r)
	}
}

func (l *line) String() string { return string(l.text) }
