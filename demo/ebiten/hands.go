package main

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
)

// A hands is what the player does this frame, whatever with: keyboard, mouse,
// gamepad or touch.
type hands struct {
	// For menus: what was pressed just now.
	up, down, left, right, ok, back bool
	pointer                         paint.Point // mouse or finger
	pressed                         bool        // the pointer, just now

	// For text.
	typed []rune
	erase bool
	paste bool

	// For the game.
	stick  arena.Vec // at most 1 long
	charge bool

	touching bool // the last thing used was a finger
	thumb    thumb
	pads     []ebiten.GamepadID
	touches  []ebiten.TouchID
}

// A thumb is a stick on the screen: it begins where the finger came down.
type thumb struct {
	on       bool
	id       ebiten.TouchID
	from, at paint.Point
}

// thumbReach is how far, in points, a finger moves for a full push.
const thumbReach = 55

// look takes in what the player does. w is the width of the picture in points,
// scale what a point is in pixels.
func (h *hands) look(w, scale float64) {
	*h = hands{typed: h.typed[:0], thumb: h.thumb, touching: h.touching, pads: h.pads[:0], touches: h.touches[:0]}
	h.keys()
	h.mouse(scale)
	h.gamepads()
	h.fingers(w, scale)
	if h.stick.Len() > 1 {
		h.stick = h.stick.Unit()
	}
}

// input is the game's.
func (h *hands) input() arena.Input { return arena.Steer(h.stick, h.charge) }

func (h *hands) keys() {
	just := inpututil.IsKeyJustPressed
	h.up, h.down = just(ebiten.KeyUp), just(ebiten.KeyDown) || just(ebiten.KeyTab)
	h.left, h.right = just(ebiten.KeyLeft), just(ebiten.KeyRight)
	h.ok = just(ebiten.KeyEnter) || just(ebiten.KeyNumpadEnter)
	h.back = just(ebiten.KeyEscape)
	h.typed = ebiten.AppendInputChars(h.typed)
	h.erase = repeats(ebiten.KeyBackspace)
	command := ebiten.IsKeyPressed(ebiten.KeyControl) || ebiten.IsKeyPressed(ebiten.KeyMeta)
	h.paste = command && just(ebiten.KeyV)
	if command {
		h.typed = h.typed[:0]
	}
	h.stick = arena.Vec{
		X: held(ebiten.KeyRight, ebiten.KeyD) - held(ebiten.KeyLeft, ebiten.KeyA),
		Y: held(ebiten.KeyDown, ebiten.KeyS) - held(ebiten.KeyUp, ebiten.KeyW),
	}
	h.charge = ebiten.IsKeyPressed(ebiten.KeySpace) || ebiten.IsKeyPressed(ebiten.KeyShift)
	if len(inpututil.AppendJustPressedKeys(nil)) > 0 {
		h.touching = false
	}
}

// repeats says that a key was pressed just now, or has been held long enough to
// count again.
func repeats(k ebiten.Key) bool {
	d := inpututil.KeyPressDuration(k)
	return d == 1 || d > 25 && d%3 == 0
}

func held(keys ...ebiten.Key) float64 {
	for _, k := range keys {
		if ebiten.IsKeyPressed(k) {
			return 1
		}
	}
	return 0
}

func (h *hands) mouse(scale float64) {
	x, y := ebiten.CursorPosition()
	h.pointer = paint.Point{X: float64(x) / scale, Y: float64(y) / scale}
	h.pressed = inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft)
}

// deadZone is how far a stick may be off its middle by itself.
const deadZone = 0.2

func (h *hands) gamepads() {
	h.pads = ebiten.AppendGamepadIDs(h.pads)
	for _, id := range h.pads {
		if !ebiten.IsStandardGamepadLayoutAvailable(id) {
			continue
		}
		stick := arena.Vec{
			X: ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickHorizontal),
			Y: ebiten.StandardGamepadAxisValue(id, ebiten.StandardGamepadAxisLeftStickVertical),
		}
		if stick.Len() > deadZone {
			h.stick, h.touching = stick, false
		}
		just := func(b ebiten.StandardGamepadButton) bool {
			return inpututil.IsStandardGamepadButtonJustPressed(id, b)
		}
		h.up = h.up || just(ebiten.StandardGamepadButtonLeftTop)
		h.down = h.down || just(ebiten.StandardGamepadButtonLeftBottom)
		h.left = h.left || just(ebiten.StandardGamepadButtonLeftLeft)
		h.right = h.right || just(ebiten.StandardGamepadButtonLeftRight)
		h.ok = h.ok || just(ebiten.StandardGamepadButtonRightBottom)
		h.back = h.back || just(ebiten.StandardGamepadButtonRightRight) || just(ebiten.StandardGamepadButtonCenterRight)
		h.charge = h.charge || ebiten.IsStandardGamepadButtonPressed(id, ebiten.StandardGamepadButtonRightBottom) ||
			ebiten.IsStandardGamepadButtonPressed(id, ebiten.StandardGamepadButtonFrontBottomRight)
	}
}

// fingers: the left half of the screen is a stick, the right half the button; a
// finger that comes down is also a pointer that presses.
func (h *hands) fingers(w, scale float64) {
	at := func(id ebiten.TouchID) paint.Point {
		x, y := ebiten.TouchPosition(id)
		return paint.Point{X: float64(x) / scale, Y: float64(y) / scale}
	}
	h.touches = inpututil.AppendJustPressedTouchIDs(h.touches)
	for _, id := range h.touches {
		h.pointer, h.pressed, h.touching = at(id), true, true
		if h.pointer.X < w/2 && !h.thumb.on {
			h.thumb = thumb{true, id, h.pointer, h.pointer}
		}
	}
	if h.thumb.on && inpututil.IsTouchJustReleased(h.thumb.id) {
		h.thumb.on = false
	}
	h.touches = ebiten.AppendTouchIDs(h.touches[:0])
	for _, id := range h.touches {
		switch {
		case h.thumb.on && id == h.thumb.id:
			h.thumb.at = at(id)
			way := h.thumb.at.Sub(h.thumb.from).Scale(1.0 / thumbReach)
			h.stick = arena.Vec{X: way.X, Y: way.Y}
		case at(id).X >= w/2:
			h.charge = true
		}
	}
}

// draw shows the stick under the finger.
func (h *hands) draw(c *paint.Canvas) {
	if !h.touching || !h.thumb.on {
		return
	}
	way := h.thumb.at.Sub(h.thumb.from)
	if l := math.Hypot(way.X, way.Y); l > thumbReach {
		way = way.Scale(thumbReach / l)
	}
	c.Ring(h.thumb.from, thumbReach, thumbReach, 3, paint.White.Fade(0.35))
	c.Ellipse(h.thumb.from.Add(way), 24, 24, paint.White.Fade(0.45))
}
