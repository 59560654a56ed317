package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// The test binary is also the program, for tests of real processes.
func TestMain(m *testing.M) {
	if os.Getenv("FLOE_PLAYS") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// A process is the program, running.
type process struct {
	*exec.Cmd
	lines chan string
	all   []string
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...), lines: make(chan string, 1000)}
	p.Env = append(os.Environ(), "FLOE_PLAYS=1", "DISPLAY=", "WAYLAND_DISPLAY=")
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stderr = p.Stdout
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	go p.read(out)
	return p
}

func (p *process) read(out io.Reader) {
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.lines <- lines.Text()
	}
	close(p.lines)
}

// line waits for a line that contains something, and gives it.
func (p *process) line(t *testing.T, part string, within time.Duration) string {
	t.Helper()
	limit := time.After(within)
	for {
		select {
		case l, open := <-p.lines:
			p.all = append(p.all, l)
			if strings.Contains(l, part) {
				return l
			}
			if !open {
				t.Fatalf("it ended without %q:\n%s", part, strings.Join(p.all, "\n"))
			}
		case <-limit:
			t.Fatalf("%v without %q:\n%s", within, part, strings.Join(p.all, "\n"))
		}
	}
}

const patient = 30 * time.Second // for a machine that is busy

func TestElevenBotsPlayOverABadLineAndTheReportAddsUp(t *testing.T) {
	p := start(t, strings.Fields("-bots 11 -for 4s -loss 0.05 -latency 40ms -jitter 20ms -report json -port 0 -seed 3")...)

	last := p.line(t, `{"players"`, patient)
	if err := p.Wait(); err != nil {
		t.Fatalf("%v:\n%s", err, strings.Join(p.all, "\n"))
	}

	if rest, open := <-p.lines; open {
		t.Errorf("after the report comes %q", rest)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		t.Fatalf("%v: %s", err, last)
	}
	for name, want := range map[string]float64{"players": 12, "lost": 0, "disordered": 0, "disconnects": 0, "allocs_per_frame": 0} {
		if r[name] != want {
			t.Errorf("%s is %v, want %v", name, r[name], want)
		}
	}
	// How many have the whole ice by then is the machine's affair; that all get it
	// is shown on a clock that does not hurry.
	if n, _ := r["levels_received"].(float64); n < 1 || n > 11 {
		t.Errorf("levels_received is %v, want 1 to 11", n)
	}
	if r["sealed"] != true {
		t.Errorf("sealed is %v", r["sealed"])
	}
	if r["reliable_sent"] != r["reliable_received"] || r["reliable_sent"].(float64) < 66 {
		t.Errorf("%v letters sent, %v received", r["reliable_sent"], r["reliable_received"])
	}
}

func TestBotsJoinByTheRoomCodeOverABadLine(t *testing.T) {
	t.Parallel()
	p := start(t, strings.Fields("-bots 3 -matchmaker embedded -for 4s -loss 0.05 -latency 40ms -report json -port 0 -seed 3")...)
	code := strings.TrimPrefix(p.line(t, "room ", patient), "room ")

	last := p.line(t, `{"players"`, patient)

	var r struct {
		Players, Lost int
		Room          string
		Peers         []struct{ Path string }
	}
	if err := json.Unmarshal([]byte(last), &r); err != nil {
		t.Fatalf("%v: %s", err, last)
	}
	if r.Players != 4 || r.Lost != 0 || r.Room != code || len(r.Peers) != 3 {
		t.Errorf("in room %s: %+v", code, r)
	}
	for _, peer := range r.Peers {
		if peer.Path != "local" {
			t.Errorf("a bot came by path %q", peer.Path)
		}
	}
}

func TestAKilledGuestIsBackAtOnceInItsOwnPlace(t *testing.T) {
	t.Parallel()
	seat := filepath.Join(t.TempDir(), "seat")
	host := start(t, strings.Fields("-host -name Hanna -for 2m")...)
	code := strings.TrimPrefix(host.line(t, "join code", patient), "join code ")
	guest := start(t, "-join", code, "-name", "Gert", "-seat", seat, "-for", "2m")
	host.line(t, "Gert joined", patient)
	for deadline := time.Now().Add(patient); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(seat); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("no seat was kept")
		}
	}

	guest.Process.Kill() // kill -9
	guest.Wait()
	back := start(t, "-join", code, "-name", "Gert", "-seat", seat, "-for", "2m")

	host.line(t, "Gert is coming back", patient)
	host.line(t, "Gert joined", patient)
	back.line(t, "2 players", patient)
}

func TestAGameOutlivesItsKilledHostUnderTheSameRoomCode(t *testing.T) {
	t.Parallel()
	server, err := matchmaker.Start(matchmaker.ServerConfig{Addr: "127.0.0.1:0", AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	play := func(args ...string) *process {
		return start(t, append(args, "-matchmaker", server.URL(), "-port", "0", "-for", "2m")...)
	}
	host := play("-host", "-name", "Hanna")
	code := strings.TrimPrefix(host.line(t, "room ", patient), "room ")
	var guests []*process
	for _, name := range []string{"Gert", "Bea"} { // one after the other: Gert is the heir
		guests = append(guests, play("-join", code, "-name", name))
		host.line(t, name+" joined", patient)
		guests[len(guests)-1].line(t, "room "+code, patient)
	}

	host.Process.Kill() // kill -9
	host.Wait()
	heir := guests[0]
	heir.line(t, "room "+code, patient)
	heir.line(t, "Gert is the host now", patient)
	guests[1].line(t, "Gert is the host now", patient)
	late := play("-join", code, "-name", "Late")

	heir.line(t, "Late joined", patient)
	guests[1].line(t, "Late joined", patient)
	late.line(t, "room "+code, patient)
	guests[1].Process.Signal(os.Interrupt)
	report := guests[1].line(t, "room           "+code, patient)
	if !strings.Contains(report, "1 local") || !strings.Contains(report, "then Gert hosted") {
		t.Errorf("the report says %q", report)
	}
}

func TestAJoinThatFailsIsToldInWords(t *testing.T) {
	p := start(t, "-join", "no code at all", "-for", "2s")

	p.line(t, "A code has 8, 10, 30, 34 or 54 symbols: this one has 11.", patient)

	if err := p.Wait(); err == nil {
		t.Error("it ended as if all were well")
	}
}

func TestARoomCodeThatNeverWasIsToldInWords(t *testing.T) {
	t.Parallel()
	server, err := matchmaker.Start(matchmaker.ServerConfig{Addr: "127.0.0.1:0", NoRelay: true})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	p := start(t, "-join", "7K3M-Q0ZD", "-matchmaker", server.URL(), "-for", "20s")

	p.line(t, "Asking the matchmaker", patient)
	p.line(t, "Nobody has a game with that code.", patient)

	if err := p.Wait(); err == nil {
		t.Error("it ended as if all were well")
	}
}
