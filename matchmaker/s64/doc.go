// Package s64 speaks the server packets of N64NL: a master server at which game
// servers of networked Nintendo 64 games register, a browser's client (list,
// discover, download), and what a game server does itself.
//
// [Master] and [Registrar] are plain data with the time passed in, as a duration
// since an epoch of the caller's. [Serve] puts a Master on a UDP socket and a
// TCP listener of the same port; [List], [Discover] and [Download] are a
// client's calls.
//
// # On the wire
//
// Every number has its most significant byte first.
//
//	offset size
//	0      3    "S64"
//	3      1    version, 1; a receiver takes 0 and 1
//	4      1    flags: 01 unreliable, 02 an acknowledgement is wanted at once
//	5      2    sequence number
//	7      2    ack: the highest number received
//	9      2    bits: bit n tells that ack-1-n was received too
//	11     1    length of the type
//	12     n    type, ASCII
//	12+n   2    length of the data
//	14+n        data; what follows is not looked at
//
// Types and their data; a text or hash has 4 bytes of length before it:
//
//	ACK          nothing: an acknowledgement
//	REGISTER     from a server: port (4), name, hash (32). From the master, empty: register again
//	HEARTBEAT    from a server: as REGISTER, or nothing
//	LIST         from a browser: nothing
//	SERVER       from the master: "ip:port", name, hash, 1 where the file can be had (1)
//	DONELISTING  from the master: nothing
//	DISCOVER     to a server: an identifier, the whole data. Back: identifier, name, players (4), limit (4)
//	DOWNLOAD     from a browser: a hash, the whole data. Back: size (4), chunk (4), or nothing
//
// REGISTER and HEARTBEAT ask for an acknowledgement at once and are sent again
// until it comes; everything else is sent unreliably. A file comes over TCP, at
// the master's port, as bare bytes.
//
// The protocol proves nobody's address or identity: a listing is a hint.
package s64
