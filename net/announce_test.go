package netmsg

import (
	"testing"
	"time"
)

func TestEachSideAnnouncesWhatItsConfigSays(t *testing.T) {
	usual := defaultParams
	usual.maxDatagram, usual.window, usual.maxAckDelay = 1_472, 1_048_576, 250*time.Millisecond
	with := func(change func(*params)) params { p := usual; change(&p); return p }
	for name, c := range map[string]struct {
		cfg    Config
		server bool
		takes  int
		want   params
	}{
		"server":             {Config{}, true, 0, usual},
		"client":             {Config{}, false, 0, with(func(p *params) { p.moves = true })},
		"host":               {Config{Roams: true}, true, 0, with(func(p *params) { p.moves = true })},
		"small socket":       {Config{}, true, 1_150, with(func(p *params) { p.maxDatagram = 1_200 })},
		"large packets":      {Config{MaxPacket: 9_000}, true, 0, with(func(p *params) { p.maxDatagram = 9_000 })},
		"large messages":     {Config{MaxMessage: 1 << 20}, true, 0, with(func(p *params) { p.maxMessage, p.window = 1<<20, 2<<20 })},
		"too large messages": {Config{MaxMessage: 1 << 28}, true, 0, with(func(p *params) { p.maxMessage, p.window = 1<<24, 2<<24 })},
		"many clients":       {Config{MaxClients: 257}, true, 0, with(func(p *params) { p.window = 131_072 })},
		"any clients":        {Config{MaxClients: -1}, true, 0, with(func(p *params) { p.window = 131_072 })},
		"short timeout":      {Config{Timeout: 10 * time.Millisecond}, true, 0, with(func(p *params) { p.idleTimeout = time.Second })},
		"no timeout":         {Config{Timeout: -1}, true, 0, with(func(p *params) { p.idleTimeout = 120 * time.Second })},
		"odd timeout":        {Config{Timeout: 1500*time.Millisecond + 7}, true, 0, with(func(p *params) { p.idleTimeout = 1500 * time.Millisecond })},
		"streams":            {Config{MaxStreams: 768}, true, 0, with(func(p *params) { p.maxStreams = 768 })},
		"limits that are off": {Config{MaxMessage: -1, MaxStreams: -1, MaxValue: -1}, true, 0, with(func(p *params) {
			p.maxMessage, p.window, p.maxStreams, p.maxLatest = 1<<24, 2<<24, 4_096, 65_535
		})},
		"values": {Config{MaxValue: 100_000}, true, 0, with(func(p *params) { p.maxLatest = 65_535 })},
	} {
		got := announced(&c.cfg, c.server, c.takes)
		if !sameParams(got, c.want) || !got.inRange() {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}
