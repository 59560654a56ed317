package netmsg

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
