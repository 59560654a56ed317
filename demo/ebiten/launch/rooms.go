package launch

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/matchmaker"
)

// Embedded as Options.Matchmaker starts a matchmaker in this program, for its
// own network.
const Embedded = "embedded"

// checkMatchmaker finds what is no matchmaker.
func (o *Options) checkMatchmaker() error {
	switch {
	case o.Matchmaker == "":
		return nil
	case o.Matchmaker == Embedded && o.Join != "":
		return fmt.Errorf("-matchmaker %s starts one that knows no room to join: give the URL that the host shows", Embedded)
	case o.Matchmaker == Embedded:
		return nil
	}
	u, err := url.Parse(o.Matchmaker)
	if err != nil || u.Scheme != "ws" && u.Scheme != "wss" || u.Host == "" {
		return fmt.Errorf("-matchmaker %q: it is a URL like ws://127.0.0.1:%d or wss://play.example.com, or %q",
			o.Matchmaker, matchmaker.DefaultPort, Embedded)
	}
	return nil
}

// findMatchmaker takes the matchmaker of the options, or starts one.
func (g *Game) findMatchmaker() error {
	g.signal = g.options.Matchmaker
	if g.signal != Embedded {
		return nil
	}
	here := lanAddr()
	server, err := matchmaker.Start(matchmaker.ServerConfig{Addr: ":0", PublicIP: here, AllowPrivate: true})
	if err != nil {
		return err
	}
	g.server = server
	g.signal = "ws://" + netip.AddrPortFrom(here, server.Addr().Port()).String()
	return nil
}

// Matchmaker is the URL that friends give with a room code; "" without one.
func (g *Game) Matchmaker() string { return g.signal }

// lanAddr is where others on this machine's network reach it; without a network
// the machine itself.
func lanAddr() netip.Addr {
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if p, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(p.IP); ok && ip.Unmap().Is4() && ip.IsGlobalUnicast() {
				return ip.Unmap()
			}
		}
	}
	return netip.AddrFrom4([4]byte{127, 0, 0, 1})
}

// callBots sends the bots that wait for a room code, as soon as there is one, or
// to the host's address when there will be none.
func (g *Game) callBots() {
	if !g.waiting {
		return
	}
	to := codes.Target{Room: g.Player.Room()}
	var err error
	switch {
	case to.Room != "":
	case g.Player.RoomTrouble() == "":
		return
	default:
		to, err = g.here()
	}
	g.waiting = false
	if err == nil {
		err = g.invite(to)
	}
	if err != nil {
		g.tell("The bots cannot come: " + err.Error())
	}
}
