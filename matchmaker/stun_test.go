package matchmaker

import (
	"net"
	"net/netip"
	"testing"

	"github.com/pion/stun/v4"
)

func TestABindingAnswerTellsTheAddressSeenAndNothingElseDoes(t *testing.T) {
	id := TransactionID{1, 2, 3}
	question := stun.New()
	if err := stun.Decode(BindingRequest(id), question); err != nil || question.Type != stun.BindingRequest || question.TransactionID != id {
		t.Fatalf("the question is %v, %v", question, err)
	}
	answer := stun.MustBuild(question, stun.BindingSuccess,
		&stun.XORMappedAddress{IP: net.IPv4(203, 0, 113, 9), Port: 4321}, stun.Fingerprint)
	got, seen, ok := ParseBinding(answer.Raw)
	if !ok || got != id || seen != netip.MustParseAddrPort("203.0.113.9:4321") {
		t.Errorf("read %v %v %v", got, seen, ok)
	}

	spoiled := append([]byte(nil), answer.Raw...)
	spoiled[len(spoiled)-9] ^= 1 // before the fingerprint
	for what, datagram := range map[string][]byte{
		"the question":          BindingRequest(id),
		"a spoiled answer":      spoiled,
		"a truncated answer":    answer.Raw[:len(answer.Raw)-1],
		"nothing":               nil,
		"an answer, no address": stun.MustBuild(question, stun.BindingSuccess).Raw,
		"an error":              stun.MustBuild(question, stun.BindingError, stun.CodeBadRequest).Raw,
	} {
		if _, _, ok := ParseBinding(datagram); ok {
			t.Errorf("%s was taken for an answer", what)
		}
	}
}

func TestServersAreReadFromTheirURIs(t *testing.T) {
	for uri, want := range map[string]serverURL{
		"stun:203.0.113.1:27400":                {host: "203.0.113.1", port: 27400},
		"turn:relay.example:3478":               {host: "relay.example", port: 3478},
		"turn:203.0.113.1:27400?transport=tcp":  {host: "203.0.113.1", port: 27400, tcp: true},
		"turns:relay.example:443?transport=tcp": {host: "relay.example", port: 443, tcp: true, tls: true},
	} {
		if got, err := parseServer(uri); err != nil || got != want {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
	for _, uri := range []string{"", "203.0.113.1:27400", "http://203.0.113.1", "turn:", "turn:h:99999"} {
		if got, err := parseServer(uri); err == nil {
			t.Errorf("%q was taken: %+v", uri, got)
		}
	}
}

// FuzzBinding: whatever a STUN server, or somebody in its place, answers.
func FuzzBinding(f *testing.F) {
	question := stun.New()
	stun.Decode(BindingRequest(TransactionID{7}), question)
	f.Add(BindingRequest(TransactionID{7}))
	f.Add(stun.MustBuild(question, stun.BindingSuccess, &stun.XORMappedAddress{IP: net.IPv4(192, 0, 2, 1), Port: 9}, stun.Fingerprint).Raw)
	f.Add(stun.MustBuild(question, stun.BindingSuccess, &stun.XORMappedAddress{IP: net.ParseIP("2001:db8::1"), Port: 9}).Raw)
	f.Add(stun.MustBuild(question, stun.BindingError, stun.CodeBadRequest).Raw)
	f.Fuzz(func(t *testing.T, datagram []byte) {
		before := string(datagram)
		_, seen, ok := ParseBinding(datagram)
		if string(datagram) != before {
			t.Fatal("reading it has changed it")
		}
		if ok && (!seen.IsValid() || seen.Port() == 0 || seen.Addr().Is4In6()) {
			t.Fatalf("an address that nobody can use: %v", seen)
		}
	})
}
