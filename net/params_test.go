package netmsg

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func sameParams(a, b params) bool {
	return cmp.Equal(a, b, cmp.AllowUnexported(params{}), cmpopts.EquateEmpty())
}

func TestParamsLeftOutHaveTheirDefaults(t *testing.T) {
	if b := appendParams(nil, &defaultParams); len(b) != 0 {
		t.Errorf("the defaults are announced as % x", b)
	}
	if p, ok := parseParams(nil); !ok || !sameParams(p, defaultParams) {
		t.Errorf("nothing reads as %+v, %v", p, ok)
	}
}

func TestParamsComeBackAsTheyWereAnnounced(t *testing.T) {
	want := params{
		maxDatagram: 65_507, maxMessage: 16_777_216, window: 67_108_864,
		idleTimeout: 120 * time.Second, maxAckDelay: 0, maxStreams: 4_096, maxLatest: 65_535,
		moves: true, clock: 1<<64 - 1, hasClock: true,
		appData: bytes.Repeat([]byte{7}, maxAppData), text: bytes.Repeat([]byte{'x'}, maxText),
	}

	b := appendParams(nil, &want)

	if got, ok := parseParams(b); !ok || !sameParams(got, want) {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestParamsOutOfRangeOrOrderAreMalformed(t *testing.T) {
	number := func(id byte, v int) []byte { return appendNumber(nil, id, v, -1) }
	text := func(id byte, n int) []byte { return appendBytes(nil, id, make([]byte, n)) }
	for name, b := range map[string][]byte{
		"max_datagram too small":     number(paramMaxDatagram, 1_199),
		"max_datagram too large":     number(paramMaxDatagram, 65_508),
		"max_message too small":      number(paramMaxMessage, 1_023),
		"max_message too large":      slices.Concat(number(paramMaxMessage, 16_777_217), number(paramWindow, 67_108_864)),
		"max_message over its share": number(paramMaxMessage, 131_073),
		"window under two messages":  number(paramWindow, 131_069),
		"window too large":           number(paramWindow, 67_108_865),
		"idle_timeout too short":     number(paramIdleTimeout, 999),
		"idle_timeout too long":      number(paramIdleTimeout, 120_001),
		"max_ack_delay too long":     number(paramMaxAckDelay, 251),
		"no streams":                 number(paramMaxStreams, 0),
		"too many streams":           number(paramMaxStreams, 4_097),
		"max_latest too small":       number(paramMaxLatest, 1_023),
		"max_latest too large":       number(paramMaxLatest, 65_536),
		"clock of seven bytes":       text(paramServerClock, 7),
		"app data too long":          text(paramAppData, 513),
		"text too long":              text(paramText, 201),
		"repeated id":                slices.Concat(number(paramMaxStreams, 5), number(paramMaxStreams, 5)),
		"descending id":              slices.Concat(number(paramMaxStreams, 5), number(paramMaxAckDelay, 5)),
		"number not shortest":        {paramMaxStreams, 2, 0x40, 5},
		"number of no bytes":         {paramMaxAckDelay, 0},
		"number with a byte more":    {paramMaxStreams, 2, 5, 0},
		"length past the end":        {paramAppData, 3, 1, 2},
		"id alone":                   {paramAppData},
		"id not shortest":            {0x40, paramMaxStreams, 1, 5},
	} {
		if p, ok := parseParams(b); ok {
			t.Errorf("%s: % x reads as %+v", name, b, p)
		}
	}
}

func TestParamsAtTheEdgeOfTheirRangesAreTaken(t *testing.T) {
	low := params{
		maxDatagram: 1_200, maxMessage: 1_024, window: 2_048, idleTimeout: time.Second,
		maxStreams: 1, maxLatest: 1_024,
	}
	if got, ok := parseParams(appendParams(nil, &low)); !ok || !sameParams(got, low) {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func TestUnknownParamsAndFeaturesAreSkipped(t *testing.T) {
	b := []byte{0, 2, 0xFF, 0xFF, paramFeatures, 1, 0x3E, 12, 1, 9, 0x7F, 0xFF, 0}
	if got, ok := parseParams(b); !ok || !sameParams(got, defaultParams) {
		t.Errorf("got %+v, %v", got, ok)
	}
}

func FuzzParams(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{paramMaxMessage, 4, 0x80, 0, 0xFF, 0xFF, paramAppData, 5, 'h', 'e', 'l', 'l', 'o'})
	f.Add([]byte{paramFeatures, 1, 1, paramServerClock, 8, 0, 0, 0, 0, 0, 0, 0, 1, paramText, 1, 'x'})
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := parseParams(b)
		if !ok {
			return
		}
		if !p.inRange() {
			t.Fatalf("%x: %+v is out of range", b, p)
		}
		if again, ok := parseParams(appendParams(nil, &p)); !ok || !sameParams(again, p) {
			t.Errorf("%x: %+v comes back as %+v, %v", b, p, again, ok)
		}
	})
}
