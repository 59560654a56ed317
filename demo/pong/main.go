// Pong for two, over the network, in one file.
//
//	go run ./demo/pong              hosts, and shows a code
//	go run ./demo/pong R2M02-53B2Y  joins the friend who reads that code out
package main

import (
	"fmt"
	"image/color"
	"log"
	"os"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/ebitenutil"
	"github.com/hajimehoshi/ebiten/v2/vector"
	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

const (
	width, height            = 640, 360
	paddle, ball             = 60, 10 // sizes, in pixels
	reach                    = (paddle + ball) / 2
	kindPaddle    party.Kind = 2 // where the sender's paddle is
	kindBall      party.Kind = 3 // where the ball is, and the score
)

type game struct {
	party  *party.Party
	note   string
	paddle [2]float32 // middles; the host's is 0, on the left
	x, y   float32    // the ball
	vx, vy float32
	score  [2]int32
}

func (g *game) Update() error {
	me, friend := 0, 1
	if !g.party.Hosting() {
		me, friend = 1, 0
	}
	// What came in since the last frame.
	g.party.Begin(time.Second / ebiten.DefaultTPS)
	for m := range g.party.Inbox() {
		switch {
		case m.Kind == party.Hello && g.party.PeerCount() > 0:
			g.party.Refuse(m.From, "two are playing already")
		case m.Kind == party.Hello:
			g.party.Accept(m.From)
		case m.Kind == kindPaddle:
			g.paddle[friend] = m.Float32()
		case m.Kind == kindBall:
			g.x, g.y = m.Float32(), m.Float32()
			g.score = [2]int32{m.Int(), m.Int()}
		}
	}
	g.party.Update()

	// The game. The ball is the host's: one of the two must decide.
	if ebiten.IsKeyPressed(ebiten.KeyUp) {
		g.paddle[me] = max(g.paddle[me]-5, paddle/2)
	}
	if ebiten.IsKeyPressed(ebiten.KeyDown) {
		g.paddle[me] = min(g.paddle[me]+5, height-paddle/2)
	}
	if g.party.Hosting() && g.party.PeerCount() > 0 {
		g.moveBall()
	}

	// What the friend is to know. Of a latest value only the newest counts.
	w := g.party.Write(kindPaddle)
	w.Float32(g.paddle[me])
	w.SendAll(party.Latest(0))
	if g.party.Hosting() {
		w := g.party.Write(kindBall)
		w.Float32(g.x)
		w.Float32(g.y)
		w.Int(g.score[0])
		w.Int(g.score[1])
		w.SendAll(party.Latest(1))
	}
	g.party.End()

	// What became of the party.
	for f := range g.party.Facts() {
		switch f.Kind {
		case party.Joined:
			g.note = ""
		case party.Gone:
			g.note = "Your friend is gone. The code is still " + g.party.JoinCode()
		case party.Down:
			g.note = "It is over: " + f.Why.String() + " " + f.Text
		}
	}
	return nil
}

func (g *game) moveBall() {
	g.x, g.y = g.x+g.vx, g.y+g.vy
	if g.y < ball/2 && g.vy < 0 || g.y > height-ball/2 && g.vy > 0 {
		g.vy = -g.vy
	}
	side, wall := 0, g.x // whom it flies to, and how far it is
	if g.vx > 0 {
		side, wall = 1, width-g.x
	}
	off := g.y - g.paddle[side]
	if wall < 0 {
		g.score[1-side]++
		g.serve(4 - 8*float32(side))
	} else if wall > 15 && wall < 30 && off > -reach && off < reach {
		g.vx, g.vy = -1.05*g.vx, off/8
	}
}

func (g *game) serve(vx float32) { g.x, g.y, g.vx, g.vy = width/2, height/2, vx, 1 }

func (g *game) Draw(screen *ebiten.Image) {
	vector.FillRect(screen, 16, g.paddle[0]-paddle/2, 8, paddle, color.White, false)
	vector.FillRect(screen, width-24, g.paddle[1]-paddle/2, 8, paddle, color.White, false)
	vector.FillRect(screen, g.x-ball/2, g.y-ball/2, ball, ball, color.White, false)
	ebitenutil.DebugPrint(screen, fmt.Sprintf("%d : %d  %s", g.score[0], g.score[1], g.note))
}

func (g *game) Layout(int, int) (int, int) { return width, height }

func main() {
	g := &game{party: party.New(party.Config{}), paddle: [2]float32{height / 2, height / 2}}
	g.serve(4)
	var err error
	if len(os.Args) == 1 {
		err = g.party.Host(party.DefaultPort, 0)
		g.note = "Your code: " + g.party.JoinCode()
	} else if host, bad := codes.Parse(os.Args[1], party.DefaultPort); bad != nil {
		err = bad
	} else {
		g.party.Write(party.Hello).SetHello()
		err = g.party.Join(host)
	}
	if err != nil {
		log.Fatal(err)
	}
	ebiten.SetWindowTitle("Pong")
	ebiten.SetRunnableOnUnfocused(true)
	err = ebiten.RunGame(g)
	g.party.Leave() // or the friend would wait ten seconds
	if err != nil {
		log.Fatal(err)
	}
}
