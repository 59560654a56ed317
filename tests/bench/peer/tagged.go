package peer

// Hello opens a connection for the bench where the library itself has no
// handshake: each side says it once.
var Hello = []byte{byte(Joined)}

// AppendTagged writes data behind b for a library that knows one kind of data
// alone: the first byte says the Kind.
func AppendTagged(b []byte, kind Kind, data []byte) []byte {
	return append(append(b, byte(kind)), data...)
}

// Untag reads what AppendTagged has written, or a Hello; data is one byte at
// least.
func Untag(conn int, data []byte) Event {
	return Event{Conn: conn, Kind: Kind(data[0]), Data: data[1:]}
}
