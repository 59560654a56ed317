package main

import (
	"strings"

	"github.com/partyline-go/partyline/demo/ebiten/launch"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// An entry is where a code is typed or pasted. The keys on the screen are for
// fingers and gamepads.
type entry struct {
	title *title
	code  line
	wrong string // why the code cannot be one
	next  scene
	keys  []key
	at    int // the chosen key
}

// A key is one on the screen.
type key struct {
	label string
	rect  paint.Rect
	do    func()
}

// symbols are what codes are made of; an address needs dots and colons, which
// are left to keyboards.
const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const (
	keysInRow = 8
	longest   = 80 // of what can be typed: an invitation fits
)

func newEntry(t *title) *entry {
	return &entry{title: t, code: line{limit: longest}}
}

func (e *entry) update(a *app) scene {
	e.title.show.step()
	e.next = e
	if len(a.hands.typed) > 0 || a.hands.erase {
		e.wrong = ""
	}
	e.code.update(&a.hands)
	if a.hands.paste {
		a.board.ask()
	}
	if pasted := a.board.poll(); pasted != "" {
		e.code.set(pasted)
		e.wrong = ""
	}
	if a.board.Note != "" {
		e.wrong, a.board.Note = a.board.Note, ""
	}
	e.layKeys(a)
	e.choose(a)
	if a.hands.back {
		return e.title
	}
	return e.next
}

// join tries what was typed.
func (e *entry) join(a *app) {
	text := strings.TrimSpace(e.code.String())
	if _, err := session.ParseCode(text); err != nil {
		e.wrong = errorWords(err)
		return
	}
	o := a.options
	o.Host, o.Join, o.Bots = false, text, 0
	if o.Matchmaker == launch.Embedded {
		o.Matchmaker = "" // one that is started here knows no friend's room
	}
	e.next = a.start(o)
}

// layKeys puts the keys on the screen.
func (e *entry) layKeys(a *app) {
	const w, h, gap = 58.0, 46.0, 8.0
	width := float64(a.width) / a.scale()
	height := float64(a.height) / a.scale()
	left, top := width/2-(keysInRow*(w+gap)-gap)/2, height*0.47
	e.keys = e.keys[:0]
	for i, s := range symbols {
		r := paint.Rect{X: left + float64(i%keysInRow)*(w+gap), Y: top + float64(i/keysInRow)*(h+gap), W: w, H: h}
		e.keys = append(e.keys, key{string(s), r, func() { e.code.add(s); e.wrong = "" }})
	}
	wide := 2*w + gap
	for i, k := range []key{
		{label: "Back", do: func() { e.next = e.title }},
		{label: "Delete", do: func() { e.code.update(&hands{erase: true}); e.wrong = "" }},
		{label: "Paste", do: func() { a.board.ask() }},
		{label: "Join", do: func() { e.join(a) }},
	} {
		k.rect = paint.Rect{X: left + float64(i)*(wide+gap), Y: top + 4*(h+gap) + gap, W: wide, H: h + 6}
		e.keys = append(e.keys, k)
	}
}

// choose moves over the keys and presses them. Enter joins, unless the arrows or
// a gamepad have moved to another key.
func (e *entry) choose(a *app) {
	h := &a.hands
	last := len(e.keys) - 1
	if e.at == 0 {
		e.at = last
	}
	switch {
	case h.left:
		e.at = max(1, e.at) - 1
	case h.right:
		e.at = min(e.at+1, last)
	case h.up && e.at >= len(symbols):
		e.at = len(symbols) - keysInRow + 2*(e.at-len(symbols))
	case h.up:
		e.at = max(e.at-keysInRow, e.at%keysInRow)
	case h.down && e.at < len(symbols)-keysInRow:
		e.at += keysInRow
	case h.down && e.at < len(symbols):
		e.at = len(symbols) + e.at%keysInRow/2
	}
	for i := range e.keys {
		if h.pressed && e.keys[i].rect.Holds(h.pointer) {
			e.at = i
			e.keys[i].do()
			return
		}
	}
	if len(h.typed) > 0 {
		e.at = last
	}
	if h.ok {
		e.keys[e.at].do()
	}
}

func (e *entry) draw(a *app, c *paint.Canvas) {
	e.title.show.draw(a, c)
	c.Dim(paint.Ink.Fade(0.6))
	mid := c.W / 2
	c.Text("Type or paste the code that your friend's game shows", paint.Point{X: mid, Y: c.H * 0.17},
		paint.Style{Size: 24, Color: paint.White, Anchor: 0.5})
	c.Text("a room code, a join code, an invitation, or an address like 192.168.1.20", paint.Point{X: mid, Y: c.H*0.17 + 32},
		paint.Style{Size: 16, Color: paint.Mist, Anchor: 0.5})
	field := paint.Rect{X: mid - 300, Y: c.H * 0.27, W: 600, H: 78}
	panel(c, field)
	c.Frame(field, 12, 2, paint.Gold.Fade(0.8))
	st := paint.Style{Font: paint.Mono, Size: 42, Color: paint.Gold, Anchor: 0.5}
	text := strings.ToUpper(e.code.String()) + "|"
	for c.Width(text, st) > field.W-30 {
		st.Size *= 0.9
	}
	c.Text(text, field.Mid(), st)
	c.Shadowed(e.wrong, paint.Point{X: mid, Y: field.Y + field.H + 24}, paint.Style{Font: paint.Bold, Size: 17, Color: paint.Bad, Anchor: 0.5})
	for i, k := range e.keys {
		ground, ink := paint.Ink.Fade(0.75), paint.White
		if i == e.at {
			ground, ink = paint.Gold, paint.Ink
		}
		c.Box(k.rect, 10, ground)
		c.Text(k.label, k.rect.Mid(), paint.Style{Font: paint.Bold, Size: 20, Color: ink, Anchor: 0.5})
	}
}
