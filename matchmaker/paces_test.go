package matchmaker

import (
	"net/netip"
	"testing"
	"time"
)

func TestPacesForgetTheQuietAndStayBounded(t *testing.T) {
	p := newPaces(2)
	at := func(i int) netip.Addr { return netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 1}) }
	for i := range maxPrefixes + 10 {
		p.take(0, at(i))
	}
	if n := len(p.buckets.known); n != maxPrefixes {
		t.Errorf("%d networks are remembered, want %d", n, maxPrefixes)
	}
	if p.take(0, at(maxPrefixes+10)) {
		t.Error("those beyond do not share one pace")
	}

	if !p.take(3*time.Second, at(maxPrefixes+11)) || len(p.buckets.known) != 1 {
		t.Errorf("%d networks are remembered after a quiet time, want the new one", len(p.buckets.known))
	}
}
