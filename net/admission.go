package netmsg

import (
	"net/netip"
	"strings"
)

// An Applicant is a client that asks to be taken, as Config.Admit sees it.
// What it says may be a replay of an earlier client's words until the
// connection is open: it is good for the verdict, and for nothing that changes
// the world. Its slices are good until Admit returns.
type Applicant struct {
	Addr   netip.AddrPort
	Hello  []byte       // the client's Config.Hello
	Key    []byte       // the static public key that it proved, 32 bytes; nil: none
	Token  *TokenClaims // of the connect token that it proved; nil: none
	Proven bool         // it proved a psk: the secret's, its pair's or its token's
}

// An Admission is the verdict on an Applicant. The zero Admission takes it.
// The client hears it sealed, so nobody can forge it.
type Admission struct {
	Status  uint8  // AdmitOK, another Admit constant, or 64 to 255: the application's own
	Text    string // why not, for the client's Left: at most 200 bytes; not sent with AdmitOK
	Welcome []byte // for the client, with AdmitOK: at most 512 bytes
}

// Statuses of an Admission. The client's Left says Denied, and the status as
// its Code.
const (
	AdmitOK      = 0 // taken
	AdmitFull    = 1 // no place is free; the library's own when MaxClients are there
	AdmitRefused = 2 // the application would not take it
	AdmitKey     = 3 // not with this static key
	AdmitToken   = 4 // not with this token

	minOwnStatus = 64 // the application's own statuses begin here
)

// verdict is what goes into an Accept. What cannot be sent as it is becomes a
// refusal that says so: an Admit that asks for it is wrong, and the client
// must not be taken without the welcome it was to have.
func (a Admission) verdict() (status uint8, welcome, text []byte) {
	switch {
	case len(a.Welcome) > maxAppData:
		return AdmitRefused, nil, []byte("the server's welcome is too large")
	case len(a.Text) > maxText:
		return AdmitRefused, nil, []byte("the server's reason is too long to say")
	case a.Status > AdmitToken && a.Status < minOwnStatus:
		return AdmitRefused, nil, []byte("the server's reason is not one of the protocol's")
	case a.Status == AdmitOK:
		return AdmitOK, a.Welcome, nil
	}
	return a.Status, nil, []byte(a.Text)
}

const fullText = "full"

// statusText is what a refusal says: the server's words, else what the status
// means.
func statusText(status uint8, text []byte) string {
	if len(text) > 0 {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	switch status {
	case AdmitFull:
		return fullText
	case AdmitRefused:
		return "refused"
	case AdmitKey:
		return "not with this key"
	case AdmitToken:
		return "not with this token"
	}
	return ""
}
