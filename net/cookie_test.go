package netmsg

import (
	"net/netip"
	"testing"
	"time"
)

var (
	cookieFrom = netip.MustParseAddrPort("198.51.100.20:4242")
	cookieCore = filled(helloCoreSize, 0)
)

func testJar(seed byte) cookieJar {
	return newCookieJar([16]byte(filled(16, seed)), seeded(seed), 0)
}

func (j *cookieJar) good(now time.Duration, cookie uint64) bool {
	return j.check(now, cookieFrom, cookieCore, cookie)
}

func TestAnNMS2CookieIsGoodForItsStepAndTheNext(t *testing.T) {
	j := testJar(1)
	for _, c := range []struct {
		made, used time.Duration
		want       bool
	}{
		{20 * time.Second, 20 * time.Second, true},
		{20 * time.Second, 40*time.Second - 1, true},
		{20 * time.Second, 40 * time.Second, false},
		{30*time.Second - 1, 40*time.Second - 1, true},
		{30*time.Second - 1, 40 * time.Second, false},
		{20 * time.Second, 50 * time.Second, false},
		{30 * time.Second, 30*time.Second - 1, false},
	} {
		if got := j.good(c.used, j.make(c.made, cookieFrom, cookieCore)); got != c.want {
			t.Errorf("made at %v, used at %v: good %v, want %v", c.made, c.used, got, c.want)
		}
	}
}

func TestACookieIsOfOneServerAddressPortAndRequest(t *testing.T) {
	j, other := testJar(1), testJar(2)
	cookie := j.make(0, cookieFrom, cookieCore)
	if other.good(0, cookie) {
		t.Error("good at another server")
	}
	if j.check(0, netip.MustParseAddrPort("198.51.100.21:4242"), cookieCore, cookie) || j.check(0, netip.MustParseAddrPort("198.51.100.20:4243"), cookieCore, cookie) {
		t.Error("good from another address")
	}
	for i := range cookieCore {
		core := filled(helloCoreSize, 0)
		core[i] ^= 1
		if j.check(0, cookieFrom, core, cookie) {
			t.Errorf("good with byte %d of the core changed", i)
		}
	}
	if !j.check(0, netip.MustParseAddrPort("[::ffff:198.51.100.20]:4242"), cookieCore, cookie) {
		t.Error("not good from the same address written as IPv6")
	}
}

func TestTheCookieKeyChangesEvery600sAndTheOldOneServes20sMore(t *testing.T) {
	j := testJar(1)
	first := j.key
	early := j.make(599*time.Second, cookieFrom, cookieCore)
	if !j.good(600*time.Second, early) || j.key == first {
		t.Error("the key did not change, or the change broke a handshake")
	}
	if !j.good(609*time.Second, early) {
		t.Error("the old key is dropped within its overlap")
	}

	// Under the old key, but of the current step: the age is not the matter.
	forged := cookieOf(first, cookieFrom, cookieCore, cookieStepOf(621*time.Second))
	if j.good(621*time.Second, forged) {
		t.Error("the old key serves after 20 s")
	}

	second := j.key
	j.make(1200*time.Second, cookieFrom, cookieCore)
	if now := 1205 * time.Second; !j.good(now, cookieOf(second, cookieFrom, cookieCore, cookieStepOf(now))) ||
		j.good(now, cookieOf(first, cookieFrom, cookieCore, cookieStepOf(now))) {
		t.Error("the key before is not good, or the one before that is")
	}
}

func TestHandshakesGoOnWhileTheCookieKeyChanges(t *testing.T) {
	g := openGate(t, nil)
	g.advance(599_950 * time.Millisecond)
	client := newGateClient(t, g, "198.51.100.20:1", 2, Config{})
	r := client.response(599_950 * time.Millisecond)
	if v, _ := client.give(600_050*time.Millisecond, r); !v.Joined {
		t.Errorf("%+v", g.stats)
	}
}
