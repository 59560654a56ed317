package session

import (
	"bytes"
	"net/netip"
	"slices"
	"testing"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/tests/simnet"
)

func TestNoDatagramHoldsANameOrALineOfChatOrThePictureOfTheIce(t *testing.T) {
	const name, line = "Wilhelmina", "meet me on the northern edge"
	tb := newTable(t, 1, netmsg.LinkConfig{Latency: 20 * time.Millisecond, Loss: 0.05})
	host := tb.members[0]
	var capture [][]byte
	tb.net.Watch = func(_, _ netip.AddrPort, data []byte) simnet.Fate {
		capture = append(capture, bytes.Clone(data))
		return simnet.Fate{}
	}
	guest := tb.join(name)
	tb.until(10*time.Second, "it has joined", func() bool { return guest.Status() == Playing && len(host.Players()) == 3 })
	tb.until(10*time.Second, "all have the level", tb.haveLevel)

	if err := guest.Say(line); err != nil {
		t.Fatal(err)
	}
	tb.run(2 * time.Second)

	other := tb.members[1]
	if said := name + ": " + line; !slices.Contains(notes(host), said) || !slices.Contains(notes(other), said) {
		t.Fatalf("it was not heard: %q, %q", notes(host), notes(other))
	}
	secrets := map[string][]byte{
		"the name": []byte(name), "the host's name": []byte("Host"), "the other's name": []byte("Guest 1"),
		"the chat": []byte(line), "a word of it": []byte("northern"), "the ice": host.Level().Bytes()[:24],
	}
	for what, secret := range secrets {
		for _, d := range capture {
			if bytes.Contains(d, secret) {
				t.Fatalf("%s is in a datagram of %d", what, len(capture))
			}
		}
	}
	if len(capture) < 500 {
		t.Errorf("only %d datagrams were seen", len(capture))
	}
}
