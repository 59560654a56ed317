// Package codes turns the address of a host into a code that one friend can
// read aloud to another, and reads whatever the other types or pastes.
//
// There are three kinds, all written in the 32 symbols of [Alphabet], the most
// significant first, and told apart by their length:
//
//	room code           8 symbols  7K3M-Q0ZD            a room that the matchmaker knows
//	join code, IPv4    10 symbols  R2M02-53B2Y          an address and a port
//	join code, IPv6    30 symbols  400GV-E0000-…        the same
//	invitation     34, 54 symbols  a join code and the host's key
//
// # Bits
//
// A join code is one number: the address, then 16 bits of port, then a check
// of 2 bits (IPv4) or 6 bits (IPv6). The check is worked out over the symbols
// with the check bits at 0, from the first to the last, starting at c = 0:
//
//	IPv4  c = g[c] xor ((s xor s>>2 xor s>>4) and 3), g = {0, 2, 3, 1}
//	IPv6  c = ((c<<1 or c>>5) and 63) xor s
//
// It finds 77 % of the single mistyped symbols of an IPv4 code and 99.9 % of an
// IPv6 code's. Every address and every port from 1 to 65,535 has a code.
//
// An invitation is a join code followed by 12 symbols of the fingerprint of
// the host's key and 12 symbols of a secret, 60 bits each.
//
// # Display and reading
//
// Codes are given out in capitals and in groups: a room code by fours, the
// others by fives. [Parse] forgives what happens to a code on its way: small
// letters, spaces of every kind, line breaks, dashes, quotes, and I, L and O
// where 1, 1 and 0 were meant. What it gives, shown again by [Target.String],
// is what was given out.
package codes
