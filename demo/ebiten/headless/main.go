// Headless plays Floe without a window: the same session, a brain for the
// player, and a table in the terminal. It shows what the network does on a
// machine that has no display.
//
//	go run ./demo/ebiten/headless -bots 11 -for 15s -loss 0.05 -latency 40ms -jitter 20ms
//	go run ./demo/ebiten/headless -host -matchmaker ws://127.0.0.1:27400 -for 60s
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
	"github.com/partyline-go/partyline/demo/ebiten/launch"
	"github.com/partyline-go/partyline/demo/ebiten/session"
)

func main() {
	o, err := launch.Parse("headless", os.Args[1:], false, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2)
	}
	if err := play(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// withoutDisplay is how long a game lasts that nobody can watch, if no flag says.
const withoutDisplay = 30 * time.Second

func play(o launch.Options) error {
	out := newScreen(os.Stdout)
	if o.For == 0 && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		o.For = withoutDisplay
		out.say(fmt.Sprintf("no display: playing for %v (-for says otherwise)", o.For))
	}
	g, err := launch.Start(o, out.say)
	if err != nil {
		return errors.New(session.ErrorWords(err))
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)

	brain := arena.NewBrain(o.Seed ^ 0xb0a7)
	pace := launch.NewPace()
	frame := func() {
		pace.Wait()
		g.Frame(brain.Think(g.Player.Shown(), g.Player.Place()))
		if err := g.KeepSeat(); err != nil {
			out.say("cannot keep the seat: " + err.Error())
		}
		out.show(g.Player)
	}
	if url := g.Matchmaker(); url != "" {
		out.say("matchmaker " + url)
	}
	joined := false
	for end := time.Now().Add(o.For); (o.For == 0 || time.Now().Before(end)) && !asked(stop); {
		frame()
		joined = joined || g.Player.Status() == session.Playing
		if g.Player.Status() == session.Ended {
			break
		}
	}
	r := g.Finish(frame)
	out.close()
	if err := r.Write(os.Stdout, o.Report); err != nil {
		return err
	}
	if !joined {
		return errors.New(r.End)
	}
	return nil
}

// asked says whether the user wants the program to end.
func asked(stop <-chan os.Signal) bool {
	select {
	case <-stop:
		return true
	default:
		return false
	}
}
