// Matchmaker is the server that friends' parties meet at: rooms and signalling
// over WebSocket, STUN and TURN, one binary, one port.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/matchmaker/s64"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var o options
	o.parse()
	cfg, err := o.server()
	if err != nil {
		return err
	}
	server, err := matchmaker.Start(cfg)
	if err != nil {
		return err
	}
	if o.masterAddr != "" {
		master, err := s64.Serve(o.masterAddr, o.masterFiles)
		if err != nil {
			return errors.Join(err, server.Close())
		}
		defer master.Close()
		cfg.Log.Info("master server for N64NL listens", "addr", master.Addr().String(), "files", o.masterFiles != "")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	cfg.Log.Info("stopping: rooms are told to come back")
	return server.Shutdown(2 * time.Second)
}
