package netmsg

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestZeroFieldsMeanTheDefaults(t *testing.T) {
	for _, c := range []*Config{nil, {}} {
		s := c.settle()
		type numbers struct{ packet, clients, good, bad, streams, message, queued int }
		if got, want := (numbers{s.MaxPacket, s.MaxClients, s.GoodRate, s.BadRate, s.MaxStreams, s.MaxMessage, s.MaxQueued}),
			(numbers{1200, 64, 30, 10, 64, 65535, 8 << 20}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		type times struct{ badRTT, keepAlive, timeout, resend, retry, connect, stall time.Duration }
		if got, want := (times{s.BadRTT, s.KeepAlive, s.Timeout, s.ResendMin, s.ConnectRetry, s.ConnectTimeout, s.StallTimeout}),
			(times{250 * time.Millisecond, 100 * time.Millisecond, 10 * time.Second, 40 * time.Millisecond, 250 * time.Millisecond, 5 * time.Second, time.Minute}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if s.Random == nil {
			t.Error("there is no source of random numbers")
		}
	}
}

func TestWhatIsSetStaysAndWhatIsNegativeStaysOff(t *testing.T) {
	c := Config{GoodRate: 60, BadRate: -1, KeepAlive: -1, Timeout: 2 * time.Second, MaxClients: -1}
	s := c.settle()

	if s.GoodRate != 60 || s.BadRate != -1 || s.KeepAlive != -1 || s.Timeout != 2*time.Second || s.MaxClients != -1 {
		t.Errorf("got %+v", *s)
	}
	if c.settled || c.BadRTT != 0 {
		t.Error("the caller's Config was changed")
	}
	if s.settle() != s {
		t.Error("a settled Config was settled again")
	}
}

func TestSizesPlainMessagesAndValuesMayHave(t *testing.T) {
	for _, c := range []struct {
		cfg               *Config
		reliable, largest int
	}{
		{&Config{Plain: true}, 1173, 1171},
		{&Config{Plain: true, MaxPacket: 600}, 573, 571},
		{&Config{Plain: true, MaxPacket: 64}, 37, 35},
		{&Config{Plain: true, MaxPacket: 65507}, 16383, 16383},
	} {
		if r, l := c.cfg.MaxReliable(), c.cfg.MaxLatest(); r != c.reliable || l != c.largest {
			t.Errorf("MaxPacket %d: got %d and %d, want %d and %d", c.cfg.MaxPacket, r, l, c.reliable, c.largest)
		}
	}
}

func TestLargestValueIsWhatMaxLatestSays(t *testing.T) {
	for _, cfg := range []*Config{
		nil,
		{MaxPacket: 64},
		{MaxPacket: 600},
		{MaxPacket: 9000, MaxValue: -1},
		{MaxValue: -1},
		{MaxValue: 2000},
		{Plain: true, MaxPacket: 64},
	} {
		p := NewSimPair(cfg, LinkConfig{}, LinkConfig{}, 1) // nothing is lost
		most := cfg.MaxLatest()
		if err := p.A.SendLatest(1, make([]byte, most)); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
		var refused *RefusedError
		if err := p.A.SendLatest(2, make([]byte, most+1)); !errors.As(err, &refused) || refused.Limit != most {
			t.Errorf("%+v: a byte more than %d: %v", cfg, most, err)
		}
		p.Advance(2 * time.Second)
		got := -1
		for e := range p.EventsB() {
			if e.Kind == Update {
				got = len(e.Data)
			}
		}
		if got != most {
			t.Errorf("%+v: %d bytes arrived of %d", cfg, got, most)
		}
	}
}

func TestValidateNamesTheFieldThatIsOutOfItsLimits(t *testing.T) {
	for field, c := range map[string]*Config{
		"MaxPacket":  {MaxPacket: 63},
		"MaxPacket ": {MaxPacket: 65508},
		"GoodRate":   {GoodRate: 10001},
		"BadRate":    {BadRate: 10001},
		"MaxStreams": {MaxStreams: 4097},
		"Identity":   {Identity: make([]byte, 31)},
		"ServerKey":  {ServerKey: make([]byte, 33)},
		"TokenKey":   {TokenKey: make([]byte, 1)},
		"KeepAlive":  {Timeout: 50 * time.Millisecond},
	} {
		err := c.Validate()
		if err == nil || !strings.Contains(err.Error(), "Config."+strings.TrimSpace(field)) {
			t.Errorf("%s: got %v", field, err)
		}
	}
	for _, c := range []*Config{nil, {}, {MaxPacket: -1, GoodRate: -1, MaxStreams: -1, KeepAlive: -1, Timeout: -1}, {MaxPacket: 600}} {
		if err := c.Validate(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestWhereNoErrorCanBeReturnedTheNearestAllowedValueIsUsed(t *testing.T) {
	s := (&Config{MaxPacket: 1 << 20, GoodRate: 1 << 20, MaxStreams: 1 << 20}).settle()
	if s.MaxPacket != 65507 || s.GoodRate != 10000 || s.MaxStreams != 4096 {
		t.Errorf("got %d, %d, %d", s.MaxPacket, s.GoodRate, s.MaxStreams)
	}
	if s := (&Config{MaxPacket: 5}).settle(); s.MaxPacket != 64 {
		t.Errorf("got %d, want 64", s.MaxPacket)
	}
}

func TestWhatIsAsLargeAsCanBeMeansNever(t *testing.T) {
	eachProtocol(t, func(t *testing.T, plain bool) {
		const ever = math.MaxInt64
		cfg := &Config{
			Plain: plain, MaxClients: math.MaxInt, BadRTT: ever, Timeout: ever, KeepAlive: time.Hour,
			ResendMin: ever, ConnectRetry: ever, ConnectTimeout: ever, StallTimeout: ever,
		}
		if err := cfg.Validate(); err != nil {
			t.Fatal(err)
		}
		w := newStepWorld(t)
		w.now = time.Hour // a clock that has run: sums with it must not run over
		server := w.endpoint(1, nil, cfg)

		for i := range 70 {
			w.dial(t, w.endpoint(10+i, nil, cfg), 1)
		}
		w.runFor(time.Second)
		first := server.Stats().Sent
		w.runFor(time.Second)

		if server.Len() != 70 || server.Stats().Sent > first+2*70 {
			t.Errorf("%d of 70 are connected, and while nobody said anything %d datagrams went", server.Len(), server.Stats().Sent-first)
		}
	})
}
