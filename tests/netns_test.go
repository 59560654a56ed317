package tests

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Two hosts with a cable between them: network namespaces joined by a veth
// pair, each with an IPv4 and an IPv6 address.
type hosts struct {
	name  [2]string
	addr4 [2]string
	addr6 [2]string
}

// in gives the words in front of a command that runs on host i.
func (h *hosts) in(i int) []string { return []string{"ip", "netns", "exec", h.name[i]} }

// newHosts makes the two, or skips the test where that is not possible. The
// test's end removes them.
func newHosts(t *testing.T) *hosts {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("network namespaces are Linux's")
	}
	if os.Geteuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need ip, of the package iproute2")
	}
	h := &hosts{addr4: [2]string{"10.77.0.1", "10.77.0.2"}, addr6: [2]string{"fd77::1", "fd77::2"}}
	for i := range h.name {
		h.name[i] = fmt.Sprintf("partyline%d%c", os.Getpid(), 'a'+i)
	}
	if out, err := exec.Command("ip", "netns", "add", h.name[0]).CombinedOutput(); err != nil {
		t.Skipf("no network namespace to be had: %s", out)
	}
	t.Cleanup(func() { exec.Command("ip", "netns", "del", h.name[0]).Run() })
	run(t, "ip netns add "+h.name[1])
	t.Cleanup(func() { run(t, "ip netns del "+h.name[1]) })

	run(t, fmt.Sprintf("ip link add cable netns %s type veth peer name cable netns %s", h.name[0], h.name[1]))
	for i, name := range h.name {
		run(t, fmt.Sprintf("ip -n %s addr add %s/24 dev cable", name, h.addr4[i]))
		run(t, fmt.Sprintf("ip -n %s addr add %s/64 dev cable nodad", name, h.addr6[i]))
		run(t, fmt.Sprintf("ip -n %s link set lo up", name))
		run(t, fmt.Sprintf("ip -n %s link set cable up", name))
	}
	return h
}

func run(t *testing.T, command string) {
	t.Helper()
	words := strings.Fields(command)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", command, err, out)
	}
}

func TestTwoHostsTalkOverIPv4AndIPv6(t *testing.T) {
	h := newHosts(t)
	server := startRole(t, h.in(0), "echo server", ":27415")
	server.line("listening", patience)

	for _, addr := range []string{h.addr4[0] + ":27415", "[" + h.addr6[0] + "]:27415"} {
		client := startRole(t, h.in(1), "echo client", addr, "300")
		client.line("all came back", patience)
		client.wantEnd(patience)
		server.line("left Remote", patience)
	}

	server.letGo()
}

func TestServerHearsTheAddressOfEachHost(t *testing.T) {
	h := newHosts(t)
	server := startRole(t, h.in(0), "echo server", ":27415")
	server.line("listening", patience)

	for i, addr := range []string{h.addr4[0] + ":27415", "[" + h.addr6[0] + "]:27415"} {
		startRole(t, h.in(1), "echo client", addr, "1").wantEnd(patience)

		want := []string{h.addr4[1] + ":", "[" + h.addr6[1] + "]:"}[i]
		if got := server.line("joined", patience); !strings.HasPrefix(got, want) {
			t.Errorf("the server sees a client at %s, want %s", got, want)
		}
	}
}
