package matchmaker

import (
	"fmt"
	"net/netip"

	"github.com/pion/stun/v4"
)

// A TransactionID tells the answers of a STUN server apart: 12 random bytes.
type TransactionID = [stun.TransactionIDSize]byte

// BindingRequest is the datagram that asks a STUN server at which address it
// sees its sender. (RFC 8489)
func BindingRequest(id TransactionID) []byte {
	m := stun.MustBuild(stun.NewTransactionIDSetter(id), stun.BindingRequest, stun.Fingerprint)
	return m.Raw
}

// ParseBinding reads a STUN server's answer. It returns false for any other
// datagram, and for an answer that names no address.
func ParseBinding(datagram []byte) (id TransactionID, seen netip.AddrPort, ok bool) {
	m := stun.New()
	if !stun.IsMessage(datagram) || stun.Decode(datagram, m) != nil || m.Type != stun.BindingSuccess {
		return id, seen, false
	}
	if m.Contains(stun.AttrFingerprint) && stun.Fingerprint.Check(m) != nil {
		return id, seen, false
	}
	var mapped stun.XORMappedAddress
	if mapped.GetFrom(m) != nil {
		return id, seen, false
	}
	ip, ok := netip.AddrFromSlice(mapped.IP)
	if !ok || mapped.Port <= 0 || mapped.Port > 65535 {
		return id, seen, false
	}
	return m.TransactionID, netip.AddrPortFrom(ip.Unmap(), uint16(mapped.Port)), true
}

// mostLonger is how many bytes an answer may have over its question: whoever
// forges a question's source gains nothing by it.
const mostLonger = 20

// BindingAnswer is what a STUN server answers to a datagram from an address. It
// returns false if the datagram is no question, or one so short that the answer
// would have over 20 bytes more (one of 20 bytes over IPv6).
func BindingAnswer(datagram []byte, from netip.AddrPort) (answer []byte, ok bool) {
	question := stun.New()
	if !stun.IsMessage(datagram) || stun.Decode(datagram, question) != nil || question.Type != stun.BindingRequest {
		return nil, false
	}
	seen := &stun.XORMappedAddress{IP: from.Addr().Unmap().AsSlice(), Port: int(from.Port())}
	parts := []stun.Setter{question, stun.BindingSuccess, seen}
	if question.Contains(stun.AttrFingerprint) && from.Addr().Unmap().Is4() {
		parts = append(parts, stun.Fingerprint)
	}
	m, err := stun.Build(parts...)
	if err != nil || len(m.Raw) > len(datagram)+mostLonger {
		return nil, false
	}
	return m.Raw, true
}

// serverURL is a STUN or TURN server as a URI names it.
type serverURL struct {
	host string // a name or an address
	port uint16
	tcp  bool
	tls  bool
}

// parseServer reads a URI of RFC 7064 or 7065: "stun:host:port",
// "turn:host:port?transport=tcp".
func parseServer(uri string) (serverURL, error) {
	u, err := stun.ParseURI(uri)
	if err != nil {
		return serverURL{}, fmt.Errorf("matchmaker: server %q: %w", uri, err)
	}
	if u.Port <= 0 || u.Port > 65535 || u.Host == "" {
		return serverURL{}, fmt.Errorf("matchmaker: server %q has no host or port", uri)
	}
	return serverURL{
		host: u.Host,
		port: uint16(u.Port),
		tcp:  u.Proto == stun.ProtoTypeTCP,
		tls:  u.Scheme == stun.SchemeTypeTURNS || u.Scheme == stun.SchemeTypeSTUNS,
	}, nil
}

// STUNHost gives the host, a name or an address, and the port that a URI like
// "stun:host:port" names.
func STUNHost(uri string) (host string, port uint16, err error) {
	s, err := parseServer(uri)
	return s.host, s.port, err
}
