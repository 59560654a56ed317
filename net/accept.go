package netmsg

// appendAcceptHeader appends an Accept without its Noise message 2, which
// follows.
func appendAcceptHeader(b []byte, salt [8]byte) []byte {
	b = append(appendHello(b, helloAccept), revision, 0, 0)
	return append(b, salt[:]...)
}

// parseAccept reads an Accept; noise is a slice of b.
func parseAccept(b []byte) (salt [8]byte, noise []byte, ok bool) {
	if kind, ok := helloKind(b); !ok || kind != helloAccept || len(b) < minAcceptSize || len(b) > maxAcceptSize {
		return salt, nil, false
	}
	return [8]byte(b[8:]), b[acceptHeader:], b[5] == revision && b[6]|b[7] == 0
}
