package world

import (
	"net/netip"
	"time"

	"github.com/pion/stun/v4"

	"github.com/partyline-go/partyline/matchmaker"
)

// A Service is what a matchmaker's machine offers: the matchmaker itself, STUN
// and a relay, all at one address.
type Service struct {
	*Matchmaker
	Relay *Relay

	host *Host
}

// secret is what the matchmaker and the relay share.
const secret = "of the world"

// NewService puts one into the Internet. Everything in it is on.
func (w *World) NewService(addr string) *Service {
	h := w.Internet.Host(addr)
	s := &Service{host: h, Relay: newRelay(h)}
	w.services = append(w.services, s)
	at := netip.AddrPortFrom(h.addr, matchmaker.DefaultPort).String()
	s.Matchmaker = newMatchmaker(h, matchmaker.Relay{
		STUN:   []string{"stun:" + at},
		TURN:   []string{"turn:" + at + "?transport=udp", "turn:" + at + "?transport=tcp"},
		Secret: secret,
	})
	h.Serve(matchmaker.DefaultPort, s.receive)
	return s
}

// Host is the machine of the service.
func (s *Service) Host() *Host { return s.host }

// URL is what a party's SignalURL is set to.
func (s *Service) URL() string {
	return "ws://" + netip.AddrPortFrom(s.host.addr, matchmaker.DefaultPort).String()
}

// receive takes a datagram: a STUN request, or what a relay's client says.
func (s *Service) receive(at *Socket, from netip.AddrPort, data []byte) {
	if stun.IsMessage(data) {
		answerBinding(at, from, data)
		return
	}
	s.Relay.receive(relayClientAt{socket: at, addr: from}, data)
}

// answerBinding tells whoever asks its address. (RFC 8489)
func answerBinding(at *Socket, from netip.AddrPort, data []byte) {
	request := new(stun.Message)
	if stun.Decode(data, request) != nil || request.Type != stun.BindingRequest {
		return
	}
	answer, err := stun.Build(request, stun.BindingSuccess,
		&stun.XORMappedAddress{IP: from.Addr().AsSlice(), Port: int(from.Port())}, stun.Fingerprint)
	if err != nil {
		panic(err) // an address that STUN cannot say
	}
	at.Send(from, answer.Raw)
}

// unix is the Unix time at a time of the world's.
func unix(now time.Duration) int64 { return 1_800_000_000 + int64(now/time.Second) }
