package tests

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/partyline-go/partyline/party"
)

const (
	// What the design allows a join: over a direct path and over the relay.
	directWithin  = 3 * time.Second
	relayedWithin = 10 * time.Second

	// heirWithin is how long a party may be without a host that was killed.
	heirWithin = 20 * time.Second

	// loaded is what a machine that does much else may be late by.
	loaded = 5 * time.Second

	killRuns = 10
)

// punchable says whether two routers let each other's hosts meet: unless one
// gives another port to everybody, and the other wants to know that port.
func punchable(a, b routerKind) bool {
	return a == fullCone || b == fullCone || a == portRestricted && b == portRestricted
}

// A join is a row of the table that the lab prints.
type join struct {
	host, guest string
	path        string
	ms          int
}

// joins is the table; subtests that run together fill it.
type joins struct {
	sync.Mutex
	rows []join
}

func (j *joins) add(row join) {
	j.Lock()
	defer j.Unlock()
	j.rows = append(j.rows, row)
}

func (j *joins) log(t *testing.T) {
	slices.SortFunc(j.rows, func(a, b join) int { return strings.Compare(a.host+a.guest, b.host+b.guest) })
	t.Logf("%-16s %-24s %-8s %s", "host NAT", "guest NAT", "path", "ms to join")
	for _, r := range j.rows {
		t.Logf("%-16s %-24s %-8s %d", r.host, r.guest, r.path, r.ms)
	}
}

// host starts a host in a namespace and gives its room code.
func (l *lab) host(t *testing.T, namespace string) (host *process, code string) {
	t.Helper()
	host = startRole(t, in(namespace), "room player", labURL, "host")
	return host, host.line("room", patience)
}

// guest starts a guest and sees it join: as who, over what path, in how many
// milliseconds.
func (l *lab) guest(t *testing.T, namespace, code string, how ...string) (guest *process, pid, path string, ms int) {
	t.Helper()
	guest = startRole(t, in(namespace), "room player", append([]string{labURL, code}, how...)...)
	fields := strings.Fields(guest.line("joined", patience))
	ms, err := strconv.Atoi(fields[2])
	if err != nil {
		t.Fatal(err)
	}
	return guest, fields[0], fields[1], ms
}

func wantWithin(t *testing.T, ms int, limit time.Duration, what string) {
	t.Helper()
	if took := time.Duration(ms) * time.Millisecond; took > limit+loaded {
		t.Errorf("%s took %v, want at most %v", what, took, limit)
	}
}

func TestNATLab(t *testing.T) {
	l := newLab(t)
	l.matchmaker()
	hosts, guests := map[routerKind]*home{}, map[routerKind]*home{}
	for _, kind := range routerKinds {
		hosts[kind], guests[kind] = l.home(kind, 3), l.home(kind, 1)
	}
	var table joins

	t.Run("pairs", func(t *testing.T) {
		for _, kind := range routerKinds {
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				l.meet(t, hosts[kind], guests, &table)
			})
		}
	})
	table.log(t)
	t.Run("relay", func(t *testing.T) { l.relayCarries(t, hosts[fullCone], guests[fullCone]) })
	t.Run("another address", func(t *testing.T) {
		for _, kind := range []routerKind{fullCone, symmetric} {
			t.Run(string(kind), func(t *testing.T) {
				t.Parallel()
				l.readdressed(t, hosts[symmetric], guests[kind])
			})
		}
	})
	t.Run("killed hosts", func(t *testing.T) {
		for i := range killRuns {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				l.outlive(t, i, hosts, guests)
			})
		}
	})
}

// meet has guests behind every kind of router, and one from next door, join a
// host.
func (l *lab) meet(t *testing.T, at *home, guests map[routerKind]*home, table *joins) {
	host, code := l.host(t, at.machines[0])
	for _, kind := range routerKinds {
		guest, pid, path, ms := l.guest(t, guests[kind].machines[0], code)
		want, within := party.Direct.String(), directWithin
		if !punchable(at.kind, kind) {
			want, within = party.Relayed.String(), relayedWithin
		}
		if path != want {
			t.Errorf("host %s, guest %s: the path is %s, want %s", at.kind, kind, path, want)
		}
		wantWithin(t, ms, within, fmt.Sprintf("host %s, guest %s: the join", at.kind, kind))
		host.line("heard "+pid, patience)
		guest.line("heard 1", patience)
		table.add(join{string(at.kind), string(kind), path, ms})
	}
	_, pid, path, ms := l.guest(t, at.machines[1], code)
	if path != party.Local.String() {
		t.Errorf("both behind one %s NAT: the path is %s, want %s", at.kind, path, party.Local)
	}
	wantWithin(t, ms, directWithin, "the join from next door")
	host.line("heard "+pid, patience)
	table.add(join{string(at.kind), "(the same NAT)", path, ms})
}

// relayCarries: who wants the relay only has it, and the relay says so.
func (l *lab) relayCarries(t *testing.T, at, from *home) {
	host, code := l.host(t, at.machines[0])
	before := l.figure(t, "partyline_relay_bytes_total")

	guest, pid, path, ms := l.guest(t, from.machines[0], code, "relay")
	host.line("heard "+pid, patience)
	guest.line("heard 1", patience)

	if path != party.Relayed.String() {
		t.Errorf("the path is %s, want %s", path, party.Relayed)
	}
	wantWithin(t, ms, relayedWithin, "the join")
	carried := l.figure(t, "partyline_relay_bytes_total") - before
	if n := l.figure(t, "partyline_relay_allocations"); carried < 1000 || n < 1 {
		t.Errorf("the relay carried %v bytes for %v players", carried, n)
	}
	t.Logf("relay only, though both are full cone: %d ms to join, %v bytes carried", ms, carried)
}

// readdressed: a guest whose router gets another address goes on, directly at
// once, over the relay by another allocation.
func (l *lab) readdressed(t *testing.T, at, from *home) {
	host, code := l.host(t, at.machines[0])
	guest, pid, path, _ := l.guest(t, from.machines[0], code)
	host.line("heard "+pid, patience)
	time.Sleep(7 * time.Second) // it has hung up at the matchmaker

	l.readdress(t, from)
	changed := time.Now()
	if path == party.Relayed.String() {
		guest.line("silent", patience)
		guest.line("again", patience)
		t.Logf("host %s, guest %s (%s): the guest hears its host again %v after its router got another address",
			at.kind, from.kind, path, time.Since(changed).Round(time.Millisecond))
	}
	time.Sleep(party.SilenceTimeout + time.Second)
	for _, p := range []*process{host, guest} {
		if down, found := p.said("down"); found {
			t.Errorf("%s says %q", p.name, down)
		}
	}
}

func (l *lab) figure(t *testing.T, name string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(l.metric(t, name), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// outlive kills a host with two guests, for real. The two go on under one of
// them, and a fourth joins by the same code.
func (l *lab) outlive(t *testing.T, run int, hosts, guests map[routerKind]*home) {
	kind := func(n int) routerKind { return routerKinds[n%len(routerKinds)] }
	at, one, two, fourth := hosts[kind(run)], guests[kind(run/3)], guests[kind(run+run/3)], guests[kind(run+1)]
	if run == killRuns-1 {
		one, two = at, at // all behind one router
	}
	host, code := l.host(t, at.machines[0])
	a, pidA, pathA, _ := l.guest(t, one.machines[len(one.machines)-1], code)
	b, pidB, pathB, _ := l.guest(t, two.machines[len(two.machines)/2], code)
	host.line("heard "+pidB, patience)

	host.kill()
	killed := time.Now()
	heirA := a.line("newhost", heirWithin+loaded)
	heirB := b.line("newhost", heirWithin+loaded)
	took := time.Since(killed)

	if heirA != heirB || heirA != pidA && heirA != pidB {
		t.Errorf("pid %s says that %s is host, pid %s says %s", pidA, heirA, pidB, heirB)
	}
	heir, other, otherPID := a, b, pidB
	if heirA == pidB {
		heir, other, otherPID = b, a, pidA
	}
	heir.line("heard "+otherPID, patience)
	other.line("heard "+heirA, patience)
	_, pid, path, ms := l.guest(t, fourth.machines[0], code)
	heir.line("heard "+pid, patience)
	t.Logf("host %s; guests %s (%s), %s (%s): pid %s is host after %v; a fourth behind %s is in by the same code after %d ms (%s)",
		at.kind, one.kind, pathA, two.kind, pathB, heirA, took.Round(time.Millisecond), fourth.kind, ms, path)
}
