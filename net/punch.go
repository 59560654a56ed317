package netmsg

// A Punch opens the sender's NAT towards the receiver, and may tell it the
// sender's address. It is never answered. id was agreed through a matchmaker.
func appendPunch(b []byte, id [8]byte) []byte {
	b = append(appendHello(b, helloPunch), 0, 0, 0)
	return append(b, id[:]...)
}

func parsePunch(b []byte) (id [8]byte, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloPunch || len(b) != punchSize {
		return id, false
	}
	return [8]byte(b[8:]), b[5]|b[6]|b[7] == 0
}
