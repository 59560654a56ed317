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
	width, height = 640, 360
	paddle, ball  = 60, 10 // sizes, in pixels
	tick          = time.Second / ebiten.DefaultTPS
)

// What this game says over the network. Kind 1 is party.Hello.
const (
	kindPaddle party.Kind = 2 // y: where the sender's paddle is
	kindBall   party.Kind = 3 // x, y, and both scores: the host's alone
)

type game struct {
	party  *party.Party
	y      [2]float32 // the paddles' middles; 0 is the host's, on the left
	x, by  float32    // the ball
	vx, vy float32
	score  [2]int32
	note   string
}

func (g *game) Update() error {
	me, other := 0, 1
	if !g.party.Hosting() {
		me, other = 1, 0
	}

	// What came in since the last frame.
	g.party.Begin(tick)
	for m := range g.party.Inbox() {
		switch m.Kind {
		case party.Hello:
			if g.party.PeerCount() > 0 {
				g.party.Refuse(m.From, "two are playing already")
			} else {
				g.party.Accept(m.From)
			}
		case kindPaddle:
			g.y[other] = m.Float32()
		case kindBall:
			g.x, g.by = m.Float32(), m.Float32()
			g.score = [2]int32{m.Int(), m.Int()}
		}
	}
	g.party.Update()

	// The game.
	if ebiten.IsKeyPressed(ebiten.KeyUp) {
		g.y[me] = max(g.y[me]-5, paddle/2)
	}
	if ebiten.IsKeyPressed(ebiten.KeyDown) {
		g.y[me] = min(g.y[me]+5, height-paddle/2)
	}
	if g.party.Hosting() && g.party.PeerCount() > 0 {
		g.moveBall()
	}

	// What the other is to know. Only the newest counts, so nothing piles up.
	w := g.party.Write(kindPaddle)
	w.Float32(g.y[me])
	w.SendAll(party.Latest(0))
	if g.party.Hosting() {
		w := g.party.Write(kindBall)
		w.Float32(g.x)
		w.Float32(g.by)
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
			g.note = "The other player has left. Your code: " + g.party.JoinCode()
		case party.Down:
			g.note = fmt.Sprintf("It is over: %v %s", f.Why, f.Text)
		}
	}
	return nil
}

// moveBall is the host's: one of the two must decide.
func (g *game) moveBall() {
	g.x, g.by = g.x+g.vx, g.by+g.vy
	if g.by < ball/2 && g.vy < 0 || g.by > height-ball/2 && g.vy > 0 {
		g.vy = -g.vy
	}
	for i, wall := range [2]float32{20, width - 20} {
		toward := g.vx*(wall-width/2) > 0
		if toward && abs(g.x-wall) < 8 && abs(g.by-g.y[i]) < paddle/2+ball {
			g.vx = -g.vx * 1.04
			g.vy = (g.by - g.y[i]) / 8
		}
	}
	if g.x < 0 || g.x > width {
		winner := 0
		if g.x < 0 {
			winner = 1
		}
		g.score[winner]++
		g.serve()
	}
}

func (g *game) serve() {
	g.x, g.by, g.vy = width/2, height/2, 1
	g.vx = 4 - 8*float32((g.score[0]+g.score[1])%2)
}

func abs(v float32) float32 { return max(v, -v) }

func (g *game) Draw(screen *ebiten.Image) {
	for i, x := range [2]float32{20, width - 20} {
		vector.FillRect(screen, x-4, g.y[i]-paddle/2, 8, paddle, color.White, false)
	}
	vector.FillRect(screen, g.x-ball/2, g.by-ball/2, ball, ball, color.White, false)
	ebitenutil.DebugPrintAt(screen, fmt.Sprintf("%d : %d", g.score[0], g.score[1]), width/2-15, 10)
	ebitenutil.DebugPrintAt(screen, g.note, 40, height-20)
}

func (g *game) Layout(int, int) (int, int) { return width, height }

func main() {
	g := &game{party: party.New(party.Config{NoHandOff: true}), y: [2]float32{height / 2, height / 2}}
	g.serve()
	if len(os.Args) < 2 {
		if err := g.party.Host(party.DefaultPort, 0); err != nil {
			log.Fatal(err)
		}
		g.note = "Your code: " + g.party.JoinCode()
	} else {
		host, err := codes.Parse(os.Args[1], party.DefaultPort)
		if err != nil {
			log.Fatal(err)
		}
		g.party.Write(party.Hello).SetHello()
		if err := g.party.Join(host); err != nil {
			log.Fatal(err)
		}
		g.note = "Joining …"
	}
	ebiten.SetWindowTitle("Pong")
	ebiten.SetRunnableOnUnfocused(true)
	if err := ebiten.RunGame(g); err != nil {
		log.Fatal(err)
	}
}
