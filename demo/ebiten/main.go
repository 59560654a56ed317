// Ebiten is Floe, the demo of Partyline: up to twelve discs on a floe of ice
// that breaks up, pushing each other off. One player hosts, the others join by a
// code that can be read aloud.
//
//	go run ./demo/ebiten                      # host, with eleven bots
//	go run ./demo/ebiten -host                # host and wait for friends
//	go run ./demo/ebiten -join R2M02-53B2Y    # join a friend
//	go run ./demo/ebiten -browse HOST:6464    # see who plays near you, at a master server
//	go run ./demo/ebiten -host -matchmaker wss://play.example.com # a room code too
//
// Package arena holds the rules and package session all the networking; this
// directory and package paint draw, and read the player's hands.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/hajimehoshi/ebiten/v2"

	"github.com/partyline-go/partyline/demo/ebiten/launch"
)

func main() {
	o, err := launch.Parse("ebiten", os.Args[1:], true, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2)
	}
	a := newApp(o)
	ebiten.SetWindowTitle("Floe")
	ebiten.SetWindowSize(1280, 720)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	ebiten.SetWindowClosingHandled(true)
	ebiten.SetRunnableOnUnfocused(true) // the others play on
	if err := ebiten.RunGame(a); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if err := a.after(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
