package tests

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

// partyGuest CODE SEATFILE joins a party and stays in it. The seat is kept in
// the file, and shown when there is one already.
func partyGuest(args []string) error {
	target, err := codes.Parse(args[0], 0)
	if err != nil {
		return err
	}
	seat, err := os.ReadFile(args[1])
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	p := party.New(party.Config{Seat: seat})
	if err := p.Join(target); err != nil {
		return err
	}
	go func() {
		untilStdinEnds()
		os.Exit(0)
	}()
	for range time.Tick(time.Second / 60) {
		p.Begin(time.Second / 60)
		p.Update()
		p.End()
		for f := range p.Facts() {
			if f.Kind == party.Joined {
				if err := os.WriteFile(args[1], p.Seat(), 0o600); err != nil {
					return err
				}
			}
			fmt.Println(f.Kind, f.PID, f.Why.String())
		}
	}
	return nil
}

// A liveHost is a host on a real socket, whose frames a test draws.
type liveHost struct {
	*party.Party
	t     *testing.T
	facts []string
}

func newLiveHost(t *testing.T, cfg party.Config) *liveHost {
	t.Helper()
	h := &liveHost{Party: party.New(cfg), t: t}
	if err := h.Host(0, 1); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Leave)
	return h
}

func (h *liveHost) addr() string { return fmt.Sprintf("127.0.0.1:%d", h.Port()) }

// until draws frames until the host has heard a fact.
func (h *liveHost) until(fact string) {
	h.t.Helper()
	for limit := time.Now().Add(patience); !slices.Contains(h.facts, fact); time.Sleep(time.Second / 60) {
		if time.Now().After(limit) {
			h.t.Fatalf("no %q for %v, but %q", fact, patience, h.facts)
		}
		h.Begin(time.Second / 60)
		for m := range h.Inbox() {
			if m.Kind == party.Hello {
				h.Accept(m.From)
			}
		}
		h.Update()
		h.End()
		for f := range h.Facts() {
			h.facts = append(h.facts, fmt.Sprint(f.Kind, " ", f.PID, " ", f.Why.String()))
		}
	}
}

func TestGuestThatIsKilledAndStartedAgainTakesItsGhostsPlace(t *testing.T) {
	seat := filepath.Join(t.TempDir(), "seat")
	h := newLiveHost(t, party.Config{})
	first := startRole(t, nil, "party guest", h.addr(), seat)
	h.until("Joined 2 none")

	first.line("Joined 2", patience)
	first.kill()
	killed := time.Now()
	second := startRole(t, nil, "party guest", h.addr(), seat)
	h.until("Joined 3 none")

	second.line("Joined 3", patience)
	want := []string{"Joined 2 none", "Gone 2 replaced", "Joined 3 none"}
	if !slices.Equal(h.facts, want) {
		t.Errorf("the host hears %q, want %q", h.facts, want)
	}
	if took := time.Since(killed); took >= party.SilenceTimeout {
		t.Errorf("it took %v, no less than a silence", took)
	}
}

func TestGuestThatIsKilledIsGoneAfterTheSilence(t *testing.T) {
	const silence = 2 * time.Second
	h := newLiveHost(t, party.Config{SilenceTimeout: silence})
	guest := startRole(t, nil, "party guest", h.addr(), filepath.Join(t.TempDir(), "seat"))
	h.until("Joined 2 none")

	guest.kill()
	killed := time.Now()
	h.until("Gone 2 silent")

	if took := time.Since(killed); took < silence-time.Second {
		t.Errorf("it is gone %v after it was killed, want %v", took, silence)
	}
}
