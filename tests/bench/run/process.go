// Package run runs workloads in processes of their own, and says which.
package run

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"runtime/pprof"
	"time"

	"github.com/partyline-go/partyline/tests/bench/load"
	"github.com/partyline-go/partyline/tests/bench/peer"
	"github.com/partyline-go/partyline/tests/bench/relay"
)

// SideCommand is the argument that makes this program one side of a run.
const SideCommand = "side"

// An order is what a side reads first, and a report what it says: its port,
// then its figures.
type order struct {
	Role string
	Job  load.Job
}

type report struct {
	Port    int          `json:",omitempty"`
	Figures load.Figures `json:",omitempty"`
	Error   string       `json:",omitempty"`
}

const (
	roleHost   = "host"
	roleClient = "client"
	roleRelay  = "relay"
)

// Side is the main function of a side: it reads its order, runs until the work
// is over or its input ends, and reports.
func Side(all []peer.Library, in io.Reader, out io.Writer) {
	say := json.NewEncoder(out)
	r := bufio.NewReader(in)
	var o order
	line, err := r.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &o)
	}
	if err != nil {
		_ = say.Encode(report{Error: err.Error()}) // whoever started it sees it end
		return
	}
	stop := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, r)
		close(stop)
	}()
	ready := func(port int) { _ = say.Encode(report{Port: port}) }
	f, err := play(all, o, load.Stage{Ready: ready, Stop: stop})
	if err != nil {
		_ = say.Encode(report{Error: fmt.Sprintf("%s: %v", o.Role, err)})
		return
	}
	_ = say.Encode(report{Figures: f})
}

func play(all []peer.Library, o order, s load.Stage) (load.Figures, error) {
	if o.Role == roleRelay {
		return playRelay(o.Job, s)
	}
	l, err := load.Library(all, o.Job.Peer)
	if err != nil {
		return nil, err
	}
	if o.Job.Profile != "" {
		end, err := profile(o.Job.Profile + "." + o.Role)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	w := load.Workloads[o.Job.Workload]
	if o.Role == roleHost {
		return w.Host(l, o.Job, s)
	}
	return w.Client(l, o.Job, s)
}

// profile writes a processor profile until end is called.
func profile(file string) (end func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close() // a profile that was cut shows when it is read
	}, nil
}

func playRelay(j load.Job, s load.Stage) (load.Figures, error) {
	r, err := relay.Start(j.Port, *j.Link, j.Seed)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s.Ready(r.Port())
	<-s.Stop
	return load.Figures{
		"client_kB_s": r.Up().Rate() / 1e3, "host_kB_s": r.Down().Rate() / 1e3,
		"client_bytes": r.Up().Bytes(), "host_bytes": r.Down().Bytes(),
	}, nil
}

// A process is one side, as this program sees it.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
}

// begin starts a side.
func begin(role string, j load.Job) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, SideCommand)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, out: json.NewDecoder(out)}
	if err := json.NewEncoder(in).Encode(order{role, j}); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// next gives what the side says next.
func (p *process) next() (report, error) {
	var r report
	if err := p.out.Decode(&r); err != nil {
		return r, fmt.Errorf("a side ended without a word: %w", err)
	}
	if r.Error != "" {
		return r, errors.New(r.Error)
	}
	return r, nil
}

// stop ends the side's input, and gives its figures.
func (p *process) stop() (load.Figures, error) {
	_ = p.in.Close() // it may have ended
	r, err := p.next()
	return r.Figures, err
}

// endPatience is how long a side may take to end.
const endPatience = 10 * time.Second

// kill makes sure that the process is gone.
func (p *process) kill() {
	_ = p.in.Close()
	late := time.AfterFunc(endPatience, func() { _ = p.cmd.Process.Kill() })
	_ = p.cmd.Wait()
	late.Stop()
}

// Once runs a job once and gives the figures of all its sides.
func Once(j load.Job) (load.Figures, error) {
	host, err := begin(roleHost, j)
	if err != nil {
		return nil, err
	}
	defer host.kill()
	opened, err := host.next()
	if err != nil {
		return nil, err
	}
	j.Port = opened.Port

	var between *process
	if j.Link != nil {
		if between, err = begin(roleRelay, j); err != nil {
			return nil, err
		}
		defer between.kill()
		if opened, err = between.next(); err != nil {
			return nil, err
		}
		j.Port = opened.Port
	}

	client, err := begin(roleClient, j)
	if err != nil {
		return nil, err
	}
	defer client.kill()
	first, second := host, client
	if load.Workloads[j.Workload].ClientEnds {
		first, second = client, host
	}
	return gather(first, second, between)
}

// gather waits for the side that ends the run, and stops the others.
func gather(first, second, between *process) (load.Figures, error) {
	all := load.Figures{}
	r, err := first.next()
	if err != nil {
		return nil, err
	}
	maps.Copy(all, r.Figures)
	for _, p := range []*process{second, between} {
		if p == nil {
			continue
		}
		f, err := p.stop()
		if err != nil {
			return nil, err
		}
		maps.Copy(all, f)
	}
	return all, nil
}
