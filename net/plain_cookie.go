package netmsg

import (
	"net/netip"
	"time"
)

// plainCookieStep is how long a cookie is made the same way; one is accepted in its
// own step and the next.
const plainCookieStep = 10 * time.Second

// plainCookie is the cookie for a client's salt at an address in a time step:
// SipHash-2-4 of the address as text behind its length, the salt and the step.
func plainCookie(key [16]byte, from netip.AddrPort, salt, step uint64) uint64 {
	var room [96]byte
	b := from.AppendTo(room[:2])
	PutU16(b[:0], uint16(len(b)-2))
	return SipHash24(key, PutU64(PutU64(b, salt), step))
}

// plainCookieGood says whether cookie is the one of now's step or the one
// before. It takes as long whatever the cookie is.
func plainCookieGood(key [16]byte, now time.Duration, from netip.AddrPort, salt, cookie uint64) bool {
	step := plainCookieStepAt(now)
	this := plainCookie(key, from, salt, step) ^ cookie
	before := plainCookie(key, from, salt, step-1) ^ cookie
	return isZero(this)|isZero(before) == 1
}

// isZero is 1 if v is 0, else 0, without a branch.
func isZero(v uint64) uint64 { return ^(v | -v) >> 63 }

func plainCookieStepAt(now time.Duration) uint64 { return uint64(now / plainCookieStep) }
