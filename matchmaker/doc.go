// Package matchmaker lets parties meet by a room's code: the server that they
// meet at, and what a party needs of it as its client. What the two say to each
// other is in PROTOCOL.md, beside this file.
//
// The server is two layers. A [Directory] is the table of rooms, plain data with
// the time passed in. A [Server] puts one on real sockets, on one port: WebSocket
// and HTTP, STUN, and a TURN relay. [Start] makes one; matchmaker/cmd/matchmaker
// is it as a program.
//
//	s, err := matchmaker.Start(matchmaker.ServerConfig{})
//	cfg := party.Config{SignalURL: s.URL()}
//
// A party speaks to it over a [Line], which [Dial] gives, asks STUN with
// [BindingRequest], and gets an address at the relay by [AllocateRelay]. None of
// these waits. A game needs none of them: party.Config.SignalURL does it all.
//
// Nobody has to trust the matchmaker with what is played: it introduces the two
// ends of a connection, names the host's key, and carries what goes over its
// relay sealed. It is trusted with the host's key, as a join code's reader trusts
// the friend who read it aloud.
package matchmaker
