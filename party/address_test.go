package party

import (
	"net/netip"
	"testing"
)

func TestBestAddressIsTheOneThatOthersUse(t *testing.T) {
	list := func(pairs ...string) (all []localAddr) {
		for i := 0; i < len(pairs); i += 2 {
			all = append(all, localAddr{pairs[i], netip.MustParseAddr(pairs[i+1])})
		}
		return all
	}
	for _, c := range []struct {
		name  string
		all   []localAddr
		route string
		want  string
	}{
		{"the default route's", list("lo", "127.0.0.1", "eth0", "192.168.1.20", "eth1", "10.0.0.5"), "10.0.0.5", "10.0.0.5"},
		{"not a bridge's, even first", list("docker0", "172.17.0.1", "virbr0", "10.9.0.1", "vboxnet0", "192.168.56.1", "eth0", "192.168.1.20"), "", "192.168.1.20"},
		{"not a bridge's by its network", list("Ethernet 2", "192.168.56.1", "Ethernet", "192.168.1.20"), "", "192.168.1.20"},
		{"a bridge's if there is nothing else", list("lo", "127.0.0.1", "docker0", "172.17.0.1", "eth0", "169.254.3.4"), "", "172.17.0.1"},
		{"a public one before a private one", list("eth0", "192.168.1.20", "eth1", "203.0.113.7"), "", "203.0.113.7"},
		{"IPv4 before IPv6", list("eth0", "2001:db8::1", "eth0", "192.168.1.20"), "", "192.168.1.20"},
		{"IPv6 before a bridge's", list("docker0", "172.17.0.1", "eth0", "2001:db8::1"), "", "2001:db8::1"},
		{"loopback at last", list("lo", "::1", "lo", "127.0.0.1"), "", "127.0.0.1"},
		{"never link-local", list("eth0", "169.254.7.7", "eth0", "fe80::1"), "169.254.7.7", "invalid IP"},
		{"none of none", nil, "", "invalid IP"},
	} {
		var route netip.Addr
		if c.route != "" {
			route = netip.MustParseAddr(c.route)
		}
		if got := bestAddr(c.all, route).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
