package netmsg

import (
	"errors"
	"testing"
	"time"
)

func TestASealedConnectionDeliversOnEveryChannelOverABadLink(t *testing.T) {
	link := LinkConfig{Loss: 0.2, Duplicate: 0.1, Reorder: 0.1, ReorderDelay: 30 * ms, Latency: 40 * ms, Jitter: 20 * ms}
	p := newSealedPair(t, nil, link, 1)
	var sent [4][][]byte
	for i := range 300 {
		for ch := range sent {
			b := noiseBytes(1+(i*37)%3000, uint64(i*4+ch))
			sent[ch] = append(sent[ch], b)
			if err := p.A.SendOn(Channel(ch), b); err != nil {
				t.Fatal(err)
			}
		}
		p.frame()
	}
	p.run(10 * time.Second)

	p.wantOpen()
	for _, ch := range []Channel{Ordered1, Ordered2, Ordered3} {
		wantMessages(t, messagesOn(p.heardB, ch), sent[ch])
	}
	wantSameSet(t, messagesOn(p.heardB, Unordered), sent[Unordered])
	if s := p.A.Stats(); s.Unacked != 0 {
		t.Errorf("%d messages are not acknowledged", s.Unacked)
	}
}

func wantSameSet(t *testing.T, got, want [][]byte) {
	t.Helper()
	left := map[string]int{}
	for _, b := range want {
		left[string(b)]++
	}
	for _, b := range got {
		left[string(b)]--
	}
	for b, n := range left {
		if n != 0 {
			t.Fatalf("a message of %d bytes came %d times too few", len(b), n)
		}
	}
}

func TestMessagesOfEverySizeArriveWhole(t *testing.T) {
	p := newSealedPair(t, nil, LinkConfig{Loss: 0.05, Latency: 20 * ms}, 2)
	const payload = 1200 - sealedExtra
	var sent [][]byte
	for _, n := range []int{0, 1, 63, 64, 255, 256, 257, 1165, 1166, 1170, 1171, payload - 1, payload, payload + 1, 2*payload - 1, 2 * payload, 2*payload + 1, 65_534, 65_535} {
		b := noiseBytes(n, uint64(n))
		sent = append(sent, b)
		if err := p.A.SendReliable(b); err != nil {
			t.Fatalf("%d bytes: %v", n, err)
		}
		p.frame()
	}
	var refused *RefusedError
	if err := p.A.SendReliable(make([]byte, 65_536)); !errors.As(err, &refused) || refused.Limit != 65_535 || refused.Why != TooLarge {
		t.Errorf("65,536 bytes: %v", err)
	}
	p.run(5 * time.Second)

	p.wantOpen()
	wantMessages(t, messagesOn(p.heardB, Ordered1), sent)
}
