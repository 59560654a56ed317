package tests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var natLab = flag.Bool("nat", false, "run the tests that build an internet of network namespaces: make test-nat")

// A lab is an internet of network namespaces: a matchmaker on a public network,
// and homes behind routers that the kernel's own NAT makes.
type lab struct {
	t      *testing.T
	prefix string // of the namespaces' names
	public string
	homes  int
	bin    string
}

// A routerKind is what a home's router does to UDP.
type routerKind string

const (
	fullCone       routerKind = "full cone"       // anybody may send to a port that is open
	portRestricted routerKind = "port-restricted" // only who was sent to, and from that port
	symmetric      routerKind = "symmetric"       // another port for everybody who is sent to
)

var routerKinds = []routerKind{fullCone, portRestricted, symmetric}

// A home is a router and the machines behind it, each a namespace.
type home struct {
	kind     routerKind
	router   string // its namespace
	address  string // the router's, outside
	machines []string
}

const (
	labAddress = "203.0.113.1" // the public network's own: of the matchmaker
	labURL     = "ws://" + labAddress + ":27400"
)

// newLab makes the public network, or skips the test where that is not
// possible. The test's end takes everything down.
func newLab(t *testing.T) *lab {
	t.Helper()
	if !*natLab {
		t.Skip("make test-nat runs it")
	}
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("network namespaces need Linux and root")
	}
	for tool, pkg := range map[string]string{"ip": "iproute2", "nft": "nftables"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the lab needs %s, of the package %s", tool, pkg)
		}
	}
	l := &lab{t: t, prefix: fmt.Sprintf("partyline%d", os.Getpid())}
	l.public = l.prefix + "public"
	if out, err := exec.Command("ip", "netns", "add", l.public).CombinedOutput(); err != nil {
		t.Skipf("no network namespace to be had: %s", out)
	}
	t.Cleanup(func() { exec.Command("ip", "netns", "del", l.public).Run() })
	const probe = "table ip probe { chain c { type nat hook postrouting priority 100; masquerade; }; }; delete table ip probe"
	if out, err := l.nft(l.public, probe); err != nil {
		t.Skipf("the kernel has no NAT to offer: %s", out)
	}
	l.ip(l.public, "link add wan type bridge")
	l.ip(l.public, "addr add "+labAddress+"/24 dev wan")
	l.ip(l.public, "link set wan up")
	l.ip(l.public, "link set lo up")
	return l
}

// ip runs an ip command in a namespace.
func (l *lab) ip(namespace, command string) {
	l.t.Helper()
	run(l.t, "ip -n "+namespace+" "+command)
}

func (l *lab) nft(namespace, rules string) (string, error) {
	cmd := exec.Command("ip", "netns", "exec", namespace, "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(rules)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// add makes a namespace.
func (l *lab) add(name string) string {
	l.t.Helper()
	name = l.prefix + name
	run(l.t, "ip netns add "+name)
	l.t.Cleanup(func() { run(l.t, "ip netns del "+name) })
	l.ip(name, "link set lo up")
	return name
}

// home makes a router of a kind and machines behind it.
func (l *lab) home(kind routerKind, machines int) *home {
	l.t.Helper()
	l.homes++
	n := l.homes
	router := l.add(fmt.Sprintf("router%d", n))
	h := &home{kind: kind, router: router, address: fmt.Sprintf("203.0.113.%d", 10*n)}
	l.ip(router, fmt.Sprintf("link add ext type veth peer name home%d netns %s", n, l.public))
	l.ip(l.public, fmt.Sprintf("link set home%d master wan up", n))
	l.ip(router, fmt.Sprintf("addr add %s/24 dev ext", h.address))
	l.ip(router, "link set ext up")
	l.ip(router, "link add lan type bridge")
	l.ip(router, fmt.Sprintf("addr add 10.0.%d.1/24 dev lan", n))
	l.ip(router, "link set lan up")
	for i := range machines {
		h.machines = append(h.machines, l.machine(router, n, i+2))
	}
	l.forward(router)
	if out, err := l.nft(router, kind.rules(fmt.Sprintf("10.0.%d.2", n))); err != nil {
		l.t.Fatalf("nft: %v: %s", err, out)
	}
	return h
}

// readdress gives a home's router another address, as a provider does over night;
// the kernel forgets whom the old one stood for.
func (l *lab) readdress(t *testing.T, h *home) {
	t.Helper()
	old := h.address
	h.address = old[:len(old)-1] + "9"
	run(t, fmt.Sprintf("ip -n %s addr del %s/24 dev ext", h.router, old))
	run(t, fmt.Sprintf("ip -n %s addr add %s/24 dev ext", h.router, h.address))
}

// forward has a namespace pass on what is not for itself.
func (l *lab) forward(namespace string) {
	l.t.Helper()
	cmd := exec.Command("ip", "netns", "exec", namespace, "tee", "/proc/sys/net/ipv4/ip_forward")
	cmd.Stdin = strings.NewReader("1")
	if out, err := cmd.CombinedOutput(); err != nil {
		l.t.Fatalf("%v: %s", err, out)
	}
}

// machine puts machine 10.0.n.i into the LAN of a router.
func (l *lab) machine(router string, n, i int) string {
	l.t.Helper()
	name := l.add(fmt.Sprintf("home%dm%d", n, i))
	l.ip(name, fmt.Sprintf("link add eth0 type veth peer name m%d netns %s", i, router))
	l.ip(router, fmt.Sprintf("link set m%d master lan up", i))
	l.ip(name, fmt.Sprintf("addr add 10.0.%d.%d/24 dev eth0", n, i))
	l.ip(name, "link set eth0 up")
	l.ip(name, fmt.Sprintf("route add default via 10.0.%d.1", n))
	return name
}

// rules are nftables'. A router that answers what nobody inside has asked for,
// or lets it start a connection of its own, would move the mapping of whoever
// is about to ask: so it drops that.
func (k routerKind) rules(first string) string {
	const closed = `
		chain input { type filter hook input priority 0; iifname ext ct state new drop; }
		chain forward { type filter hook forward priority 0; iifname ext ct state new drop; }`
	source, filter, inbound := "masquerade persistent", closed, ""
	switch k {
	case fullCone: // to the first machine, whatever port
		filter = ""
		inbound = "chain inbound { type nat hook prerouting priority -100; iifname ext meta l4proto udp dnat to " + first + "; }"
	case symmetric:
		source = "masquerade fully-random"
	}
	return "table ip filter {" + filter + "\n}\ntable ip nat {\n" +
		"chain outbound { type nat hook postrouting priority 100; oifname ext " + source + "; }\n" + inbound + "\n}\n"
}

// in gives the words in front of a command that runs in a namespace.
func in(namespace string) []string { return []string{"ip", "netns", "exec", namespace} }

// matchmaker starts the binary on the public network.
func (l *lab) matchmaker() {
	l.t.Helper()
	l.bin = filepath.Join(l.t.TempDir(), "matchmaker")
	run(l.t, "go build -o "+l.bin+" ../matchmaker/cmd/matchmaker")
	words := append(in(l.public), l.bin, "-addr", labAddress+":27400", "-max-opens", "-1")
	startProcess(l.t, "matchmaker", exec.Command(words[0], words[1:]...))
	startRole(l.t, in(l.public), "fetch", "http://"+labAddress+":27400/healthz").wantEnd(patience)
}

// metric asks the matchmaker for one of its figures.
func (l *lab) metric(t *testing.T, name string) string {
	t.Helper()
	return startRole(t, in(l.public), "fetch", "http://"+labAddress+":27400/metrics").line(name+" ", patience)
}
