package netmsg

import "fmt"

// A denial is why a server takes nobody, or not this client. Anybody on the
// path can write one: it is a hint.
type denial uint8

const (
	deniedRevision denial = iota + 1 // no common revision
	deniedFull                       // no free place
	deniedApp                        // another app id
	deniedDemand                     // token or pattern not acceptable
	deniedBusy                       // busy
	deniedShutdown                   // shutting down
)

func (d denial) String() string {
	switch d {
	case deniedRevision:
		return "no common revision of the protocol"
	case deniedFull:
		return fullText
	case deniedApp:
		return "another application"
	case deniedDemand:
		return "token or pattern not acceptable"
	case deniedBusy:
		return "busy"
	case deniedShutdown:
		return "shutting down"
	}
	return fmt.Sprintf("denial(%d)", uint8(d))
}

// status is the Admission status that says the same; 0: none does.
func (d denial) status() uint16 {
	switch d {
	case deniedFull:
		return AdmitFull
	case deniedDemand:
		return AdmitToken
	}
	return 0
}

func appendDenied(b []byte, why denial, salt [8]byte) []byte {
	b = append(appendHello(b, helloDenied), revision, revision, byte(why))
	return append(b, salt[:]...)
}

func parseDenied(b []byte) (why denial, salt [8]byte, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloDenied || len(b) != deniedSize {
		return 0, salt, false
	}
	why = denial(b[7])
	return why, [8]byte(b[8:]), deniedRevision <= why && why <= deniedShutdown && b[5] <= b[6]
}
