package netmsg

import (
	"net/netip"
	"testing"
	"time"
)

// BenchmarkDrivenHostFrame measures what a frame costs a host with eleven
// guests on real sockets: what they do in a frame is allocParty's.
func BenchmarkDrivenHostFrame(b *testing.B) {
	p := &allocParty{mail: NewMailbox(0)}
	cfg := &Config{Plain: true, Driven: true, GoodRate: 10000}
	p.host = MustListen("127.0.0.1:0", p.mail, cfg)
	defer p.host.Close()
	for range 11 {
		g := MustListen("127.0.0.1:0", nil, cfg)
		defer g.Close()
		if _, err := g.Dial([]netip.AddrPort{p.host.Addr()}, DialOptions{}); err != nil {
			b.Fatal(err)
		}
		p.guests = append(p.guests, g)
	}
	for p.host.Len() < 11 {
		p.hostFrame(0)
		p.guestFrames(0)
	}
	b.ReportAllocs()
	var spent time.Duration
	for b.Loop() {
		p.guestFrames(0)
		start := time.Now()
		p.hostFrame(0)
		spent += time.Since(start)
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "µs/host-frame")
	b.ReportMetric(float64(p.host.Stats().Received)/float64(b.N), "datagrams/frame")
}
