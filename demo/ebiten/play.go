package main

import (
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/launch"
	"github.com/partyline-go/partyline/demo/ebiten/paint"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

// A play is a game, or the way into one.
type play struct {
	options launch.Options
	game    *launch.Game
	rink    paint.Rink
	chat    *line // being typed; nil: not
	graph   bool  // the net graph is shown
	lag     launch.Lag
	notice  string
	noticed time.Time
	code    paint.Rect // where the join code is shown: a press copies it
	room    paint.Rect // and the room code
	list    paint.Rect // where the players are: a press shows the net graph
	exit    paint.Rect // where fingers leave
	leaving time.Time  // until when leaving needs no second word
}

// tell shows a line for some seconds.
func (p *play) tell(notice string) { p.notice, p.noticed = notice, time.Now() }

func (p *play) update(a *app) scene {
	s := p.game.Player
	p.keys(a)
	var in arena.Input
	if p.chat == nil {
		in = a.hands.input()
	}
	for range a.ticks() {
		p.game.Frame(in)
		p.rink.Step(s.Shown())
	}
	if err := p.game.KeepSeat(); err != nil {
		p.tell("The seat cannot be kept: " + err.Error())
	}
	a.board.poll()
	if a.board.Note != "" {
		p.tell(a.board.Note)
		a.board.Note = ""
	}
	switch {
	case s.Status() == session.Ended:
		words, _ := s.End()
		p.game.Close()
		return newOver(p.options, words)
	case a.hands.back && p.chat != nil:
		p.chat = nil
	case p.leaves(a):
		p.game.Close()
		return newTitle(a.options)
	}
	return p
}

// leaves says whether the player wants to leave, which must be said twice.
func (p *play) leaves(a *app) bool {
	touched := a.hands.pressed && p.exit.Holds(a.hands.pointer)
	if !a.hands.back && !touched {
		return false
	}
	if p.game.Player.Status() == session.Joining || time.Now().Before(p.leaving) {
		return true
	}
	p.leaving = time.Now().Add(noticeFor)
	p.tell("Once more leaves the game")
	return false
}

// keys does what the keys beside the game's own are for.
func (p *play) keys(a *app) {
	if inpututil.IsKeyJustPressed(ebiten.KeyF3) || a.hands.pressed && p.list.Holds(a.hands.pointer) {
		p.graph = !p.graph
	}
	if a.hands.pressed && p.code.Holds(a.hands.pointer) {
		a.board.copy(p.game.Player.Code())
	}
	if a.hands.pressed && p.room.Holds(a.hands.pointer) {
		a.board.copy(p.game.Player.Room())
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyF4) {
		p.lag = p.game.Lag()
		p.tell("Lag simulator: " + p.lag.Name)
	}
	switch {
	case p.chat != nil:
		p.typeChat(a)
	case inpututil.IsKeyJustPressed(ebiten.KeyEnter) || inpututil.IsKeyJustPressed(ebiten.KeyT):
		p.chat = &line{limit: session.MaxChat}
	case inpututil.IsKeyJustPressed(ebiten.KeyC):
		a.board.copy(p.game.Player.Code())
	case inpututil.IsKeyJustPressed(ebiten.KeyR) && p.game.Player.Room() != "":
		a.board.copy(p.game.Player.Room())
	case inpututil.IsKeyJustPressed(ebiten.KeyI) && p.game.Player.Hosting():
		a.board.copy(p.game.Player.Invitation())
	}
}

// typeChat takes a line of chat and says it.
func (p *play) typeChat(a *app) {
	p.chat.update(&a.hands)
	if !a.hands.ok {
		return
	}
	if text := p.chat.String(); text != "" {
		if err := p.game.Player.Say(text); err != nil {
			p.tell("Not said: " + errorWords(err))
		}
	}
	p.chat = nil
}

func (p *play) draw(a *app, c *paint.Canvas) {
	s := p.game.Player
	t := a.sinceTick()
	p.rink.Lay(s.Level())
	p.rink.Draw(c, cameraFor(c), s.Shown(), s.Place(), t, p.label)
	if s.Status() == session.Joining {
		drawJoining(c, s, p.options.Join)
		return
	}
	p.code = drawCode(c, s)
	p.room = drawRoom(c, s, p.game.Matchmaker())
	p.list = drawPlayers(c, s)
	drawFeed(c, s, p.chat, p.hint(a))
	drawRound(c, s)
	drawLevel(c, s)
	if p.graph {
		drawNetGraph(c, s)
	}
	p.exit = paint.Rect{}
	if a.hands.touching {
		p.exit = drawExit(c)
	}
	p.drawNotices(c)
}

// hint says what the keys are for.
func (p *play) hint(a *app) string {
	switch {
	case a.hands.touching:
		return "left: steer · right: hold to charge, let go to dash"
	case p.lag.Name != "" && p.lag.Name != launch.Lags[0].Name:
		return "F4 lag simulator: " + p.lag.Name
	case p.game.Player.Frames() < hintFor:
		return "WASD or arrows skate · hold Space to charge, let go to dash"
	}
	return "Enter chat · F3 net graph · F4 lag · Esc leave"
}

// hintFor is how many frames a newcomer is told how to play.
const hintFor = 20 * session.TicksPerSecond

// label is the name over a disc.
func (p *play) label(place int) string {
	if who := p.game.Player.Player(place); who != nil {
		return who.Name
	}
	return ""
}

const noticeFor = 4 * time.Second

// drawNotices shows what was told, or that the host is silent.
func (p *play) drawNotices(c *paint.Canvas) {
	notice := ""
	if time.Since(p.noticed) < noticeFor {
		notice = p.notice
	}
	if quiet := p.game.Player.Silence(); quiet > time.Second {
		notice = "Waiting for the host…"
	}
	if notice == "" {
		return
	}
	st := paint.Style{Font: paint.Bold, Size: 18, Color: paint.Gold, Anchor: 0.5}
	w := c.Width(notice, st) + 40
	r := paint.Rect{X: c.W/2 - w/2, Y: c.H - 92, W: w, H: 38}
	panel(c, r)
	c.Text(notice, r.Mid(), st)
}
