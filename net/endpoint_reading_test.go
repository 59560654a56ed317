package netmsg

import (
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// readingPair is a server and a client that run by themselves, joined, in a
// synctest bubble.
func readingPair(t *testing.T, cfg *Config) (n *fakeNet, server, client *Endpoint, s, c *listener) {
	n, s, c = newFakeNet(), &listener{}, &listener{}
	server = NewEndpoint(n.socket(fakeAddr(1)), s, cfg)
	client = NewEndpoint(n.socket(fakeAddr(2)), c, cfg)
	dialFake(t, client, 1)
	time.Sleep(100 * time.Millisecond)
	return n, server, client, s, c
}

func TestASendWakesTheEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, server, client, s, c := readingPair(t, plainConfig())
		defer server.Close()
		defer client.Close()
		sent := time.Now()
		c.conn(0).SendReliable([]byte("x"))
		for len(s.heard()) < 2 {
			time.Sleep(time.Millisecond)
		}
		if d := time.Since(sent); d > 40*time.Millisecond {
			t.Errorf("it took %v, more than a tick", d)
		}
	})
}

func TestAnEndpointWithoutConnectionsSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNet()
		e := NewEndpoint(n.socket(fakeAddr(1)), nil, plainConfig())
		time.Sleep(time.Hour)
		e.mu.Lock()
		armed := e.armed
		e.mu.Unlock()
		if armed != never {
			t.Errorf("an alarm is set for %v", armed)
		}
		e.Close()
	})
}

func TestAnEndpointWakesAsOftenAsItHasDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, server, client, _, _ := readingPair(t, plainConfig())
		sock := n.socks[fakeAddr(1)]
		before := sock.batches.Load()
		time.Sleep(10 * time.Second)
		if writes := sock.batches.Load() - before; writes < 95 || writes > 110 {
			t.Errorf("an idle connection was written for %d times in 10 s", writes)
		}
		client.Close()
		server.Close()
	})
}

func TestASuspendedEndpointReadsBeforeItJudges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, server, client, s, _ := readingPair(t, plainConfig())
		type held struct {
			from netip.AddrPort
			Datagram
		}
		var queue []held
		holding := true
		n.setTap(func(from netip.AddrPort, d Datagram) bool {
			if holding && d.Addr == fakeAddr(1) {
				d.Data = slices.Clone(d.Data)
				queue = append(queue, held{from, d})
				return false
			}
			return true
		})
		time.Sleep(200 * time.Millisecond) // some is held
		// The server's clock jumps, as a machine's that was asleep, and what has
		// come meanwhile is read a moment after its alarm has rung.
		server.mu.Lock()
		server.epoch = server.epoch.Add(-12 * time.Second)
		server.mu.Unlock()
		for judging := false; !judging; time.Sleep(time.Millisecond) {
			server.mu.Lock()
			judging = server.judgeAt != 0
			server.mu.Unlock()
		}
		n.mu.Lock()
		holding = false
		n.mu.Unlock()
		for _, h := range queue {
			n.send(h.from, h.Addr, h.Data)
		}
		time.Sleep(time.Second)
		s.want(t, "1 Joined")

		// One that hears nothing then ends all the same.
		n.mu.Lock()
		holding = true
		n.mu.Unlock()
		server.mu.Lock()
		server.epoch = server.epoch.Add(-12 * time.Second)
		server.mu.Unlock()
		time.Sleep(time.Second)
		s.want(t, "1 Joined", "1 left TimedOut")
		client.Close()
		server.Close()
	})
}

func TestEveryTimeOfTheConfigActs(t *testing.T) {
	for name, c := range map[string]struct {
		cfg  Config
		want func(t *testing.T, end time.Duration, packets int, heard []string)
	}{
		"timeout": {Config{Timeout: 2 * time.Second}, func(t *testing.T, end time.Duration, _ int, heard []string) {
			if end < 1900*time.Millisecond || end > 2200*time.Millisecond || !slices.Contains(heard, "1 left TimedOut") {
				t.Errorf("it ended after %v: %q", end, heard)
			}
		}},
		"no timeout": {Config{Timeout: -1}, func(t *testing.T, end time.Duration, _ int, heard []string) {
			if end != 0 {
				t.Errorf("it ended after %v: %q", end, heard)
			}
		}},
		"keep-alive": {Config{KeepAlive: 500 * time.Millisecond}, func(t *testing.T, _ time.Duration, packets int, _ []string) {
			if packets < 15 || packets > 18 {
				t.Errorf("%d packets in 8 s", packets)
			}
		}},
		"no keep-alive": {Config{KeepAlive: -1, Timeout: -1}, func(t *testing.T, _ time.Duration, packets int, _ []string) {
			if packets > 2 {
				t.Errorf("%d packets in 8 s", packets)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := c.cfg
				cfg.Plain = true
				n, server, client, s, _ := readingPair(t, &cfg)
				packets := 0
				cut := time.Now()
				n.setTap(func(_ netip.AddrPort, d Datagram) bool {
					if d.Addr == fakeAddr(2) && time.Since(cut) < 8*time.Second {
						packets++
					}
					return false
				})
				var end time.Duration
				for time.Since(cut) < 12*time.Second {
					time.Sleep(10 * time.Millisecond)
					if end == 0 && server.Len() == 0 {
						end = time.Since(cut)
					}
				}
				client.Close()
				server.Close()
				c.want(t, end, packets, s.heard())
			})
		})
	}
}

func TestAPeerThatNeverAcknowledgesEndsAsOverflow(t *testing.T) {
	w, _, s := rawServer(t, plainConfig())
	w.raw(t, 2).join(hexSalt)
	var err error
	sent := 0
	for ; err == nil; sent++ {
		err = s.conn(0).SendReliable([]byte("x"))
	}
	w.frame()
	if sent != 1025 {
		t.Errorf("send %d returned %v", sent, err)
	}
	s.want(t, "1 Joined", "1 left Overflow")
}
