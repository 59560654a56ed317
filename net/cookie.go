package netmsg

import (
	"encoding/binary"
	"io"
	"net/netip"
	"time"

	"github.com/dchest/siphash"
)

// A cookie proves that a client receives at the address it sends from, at no
// cost of memory: the server can make it again from the Response. It is
// SipHash-2-4 of the address, the core of the Request and the time in steps,
// under a key that only the server has.

const (
	cookieStep    = 10 * time.Second  // a cookie is good for its own step and the next
	cookieKeyLife = 600 * time.Second // a key makes cookies for so long
	cookieOverlap = 20 * time.Second  // and is good for so long after
	cookieInput   = 61                // bytes: label (8), address (16), port (2), core (27), step (8)
)

// A cookieJar makes cookies and knows them again.
type cookieJar struct {
	key, before [16]byte
	since       time.Duration // key makes cookies since then; before did until then
	hasBefore   bool
	random      io.Reader
}

func newCookieJar(key [16]byte, random io.Reader, now time.Duration) cookieJar {
	return cookieJar{key: key, since: now, random: random}
}

// make makes the cookie of a Request whose core came from an address.
func (j *cookieJar) make(now time.Duration, from netip.AddrPort, core []byte) uint64 {
	j.rotate(now)
	return cookieOf(j.key, from, core, cookieStepOf(now))
}

// check says whether cookie is one made for these in this step or the one
// before, by this key or, shortly after its end, the one before.
func (j *cookieJar) check(now time.Duration, from netip.AddrPort, core []byte, cookie uint64) bool {
	j.rotate(now)
	step := cookieStepOf(now)
	if cookie == cookieOf(j.key, from, core, step) || cookie == cookieOf(j.key, from, core, step-1) {
		return true
	}
	if !j.hasBefore || now-j.since > cookieOverlap {
		return false
	}
	return cookie == cookieOf(j.before, from, core, step) || cookie == cookieOf(j.before, from, core, step-1)
}

// rotate draws the next key when this one's life is over. A source that fails
// leaves the old one in use.
func (j *cookieJar) rotate(now time.Duration) {
	if now-j.since < cookieKeyLife {
		return
	}
	var next [16]byte
	if _, err := io.ReadFull(j.random, next[:]); err != nil {
		return
	}
	j.key, j.before, j.hasBefore = next, j.key, true
	j.since = now
}

func cookieStepOf(now time.Duration) uint64 { return uint64(now / cookieStep) }

func cookieOf(key [16]byte, from netip.AddrPort, core []byte, step uint64) uint64 {
	var b [cookieInput]byte
	copy(b[:], "NMS2cook")
	address := from.Addr().As16()
	copy(b[8:], address[:])
	binary.BigEndian.PutUint16(b[24:], from.Port())
	copy(b[26:], core)
	binary.BigEndian.PutUint64(b[53:], step)
	return siphash.Hash(binary.LittleEndian.Uint64(key[:]), binary.LittleEndian.Uint64(key[8:]), b[:])
}
