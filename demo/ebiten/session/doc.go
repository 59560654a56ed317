// Package session is the networking of Floe, on package party alone. It knows
// the rules (package arena) and no picture.
//
// Every member makes a [Session] and calls [Session.Frame] sixty times a second
// with what its player does; in between it reads [Session.Shown], which is the
// world to draw, and the players, the feed and the lines of the net graph.
//
// The host decides. Guests send their inputs, and the host its snapshots, as
// latest values: only the newest counts, and what is lost is not sent again.
// Joins, names, chat and results are reliable messages. A guest shows itself
// where it will be, by playing its unacknowledged inputs on top of the newest
// snapshot, and the others a moment late and smoothly, between two snapshots.
// When the host leaves, the party chooses an heir, which goes on from the newest
// snapshot it has.
//
// # Messages
//
// Beside the hello (a name), with numbers little-endian as party writes them:
//
//	kind       how        from        data
//	input      latest 0   guest       newest seq u16, then up to 10 inputs, the newest first
//	snapshot   latest 0   host        12 × seq u16 (the last input used of each place), then arena's snapshot
//	welcome    reliable   host        hash of the level, 32 bytes, then for each member: pid u16, number u32, name str
//	who        letter     host        pid u16, name str: a member has come
//	gone       letter     host        pid u16, why u8: a member has left
//	fell       letter     host        pid u16, by u16
//	round      letter     host        event u8, winner u16
//	chat       letter     any         the text
//	pulse      letter     any         ping u16 (ms), snapshots in the last second u8, loss u8 (%), path to the host u8 (party.Path)
//	ask        reliable   guest       nothing: the level of the welcome is wanted
//	level      channel 2  host        256 KiB of ice (package level)
//	here       letter     guest       name str: after the host has changed, its numbers go on from this one
//
// The level has a channel of its own, so that no letter waits for it; a guest
// plays on plain ice until it is whole.
//
// A letter is a reliable message that begins with a number u32, which counts
// its author's letters from 1; the host forwards a guest's letters to all other
// guests. So each member can tell whether a letter of anyone's is missing or
// out of order, which [Session.Tally] counts: a claim of reliability is worth
// what is counted against it.
package session
