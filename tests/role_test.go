package tests

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// roleVariable names the environment variable that makes this test program
// play one of roles instead of running its tests: real processes that a test
// starts, kills and puts into network namespaces.
const roleVariable = "PARTYLINE_TEST_ROLE"

// roles are the programs that this test program can be. Their arguments are
// os.Args[1:]. One ends when its standard input does, so that none outlives
// the test that started it.
var roles = map[string]func(args []string) error{
	"echo server":     echoServer,
	"echo client":     echoClient,
	"quiet client":    quietClient,
	"farewell server": farewellServer,
	"party guest":     partyGuest,
	"fetch":           fetch,
	"room player":     roomPlayer,
}

func TestMain(m *testing.M) {
	name, playing := os.LookupEnv(roleVariable)
	if !playing {
		os.Exit(m.Run())
	}
	play, ok := roles[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "no role %q\n", name)
		os.Exit(2)
	}
	if err := play(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// untilStdinEnds waits for the test to let go of this process.
func untilStdinEnds() {
	io.Copy(io.Discard, os.Stdin)
}

// A process is a role being played.
type process struct {
	t     *testing.T
	name  string
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string
	ended chan struct{} // closed when it has been waited for
}

// startRole starts a process; the test's end ends it. before goes in front of
// the command, "ip netns exec NAME" for one.
func startRole(t *testing.T, before []string, role string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	words := append(append(before[:len(before):len(before)], self), args...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	return startProcess(t, role, cmd)
}

// startProcess starts cmd. What it writes to standard output can be waited
// for, line by line; what it writes to standard error is shown if the test
// fails.
func startProcess(t *testing.T, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, name: name, cmd: cmd, lines: make(chan string, 1000), ended: make(chan struct{})}
	var complaints strings.Builder
	cmd.Stderr = &complaints
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdin = stdin
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		for scan := bufio.NewScanner(stdout); scan.Scan(); {
			p.lines <- scan.Text()
		}
		close(p.lines)
		cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() && complaints.Len() > 0 {
			t.Logf("%s said: %s", name, complaints.String())
		}
	})
	return p
}

// line waits for a line of the process that begins with prefix, and gives the
// rest of it.
func (p *process) line(prefix string, patience time.Duration) string {
	p.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				<-p.ended
				p.t.Fatalf("%s ended (%v) without a line %q", p.name, p.cmd.ProcessState, prefix)
			}
			if rest, found := strings.CutPrefix(line, prefix); found {
				return strings.TrimSpace(rest)
			}
		case <-limit:
			p.t.Fatalf("%s has not said %q for %v", p.name, prefix, patience)
		}
	}
}

// said looks through the lines that nobody has waited for, without waiting.
func (p *process) said(prefix string) (line string, found bool) {
	for {
		select {
		case line, ok := <-p.lines:
			if !ok || strings.HasPrefix(line, prefix) {
				return line, ok
			}
		default:
			return "", false
		}
	}
}

// letGo ends the process's standard input, and sees it end well.
func (p *process) letGo() {
	p.t.Helper()
	p.stdin.Close()
	p.wantEnd(patience)
}

func (p *process) wantEnd(patience time.Duration) {
	p.t.Helper()
	select {
	case <-p.ended:
		if !p.cmd.ProcessState.Success() {
			p.t.Fatalf("%s ended with %v", p.name, p.cmd.ProcessState)
		}
	case <-time.After(patience):
		p.t.Fatalf("%s has not ended for %v", p.name, patience)
	}
}

// kill is kill -9: the process has no last word.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.ended
}

// patience is how long a process may take for what takes no time: the machine
// may be busy with other tests.
const patience = 30 * time.Second
