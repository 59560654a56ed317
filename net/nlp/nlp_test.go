package nlp

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vectors are datagrams of real programs by name.
func vectors(t testing.TB) map[string][]byte {
	t.Helper()
	f, err := os.Open("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := make(map[string][]byte)
	for s := bufio.NewScanner(f); s.Scan(); {
		part := strings.Split(s.Text(), " | ")
		if len(part) != 3 || strings.HasPrefix(s.Text(), "#") {
			continue
		}
		if all[part[0]], err = hex.DecodeString(part[2]); err != nil {
			t.Fatalf("%s: %v", part[0], err)
		}
	}
	return all
}

// testSession is a Session on a clock that the test moves.
type testSession struct {
	*Session
	t   *testing.T
	now time.Duration
}

func newTestSession(t *testing.T) *testSession { return &testSession{NewSession(0), t, 0} }

// sent gives the packets that are due now.
func (s *testSession) sent() (all []Packet) {
	s.t.Helper()
	for {
		var buf [MaxDatagram]byte
		n := s.Transmit(s.now, buf[:])
		if n == 0 {
			if at := s.Deadline(); at <= s.now {
				s.t.Fatalf("at %v nothing is due, but the deadline is %v", s.now, at)
			}
			return all
		}
		p, ok := Parse(buf[:n])
		if !ok {
			s.t.Fatalf("sent what it would not read: %x", buf[:n])
		}
		p.Data = bytes.Clone(p.Data)
		all = append(all, p)
	}
}

func (s *testSession) receive(p Packet) {
	s.t.Helper()
	p.Version = Version
	b, err := p.Append(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if !s.Receive(s.now, b) {
		s.t.Fatalf("refused %+v", p)
	}
}

// got gives the numbers of the packets for the game.
func (s *testSession) got() (seqs []uint16) {
	for e := range s.Events() {
		if e.Kind == Arrived {
			seqs = append(seqs, e.Packet.Seq)
		}
	}
	return seqs
}

// link carries datagrams with loss, repeats and reordering from a seed.
type link struct {
	random *rand.Rand
	loss   float64
	fly    []flying
}

type flying struct {
	at   time.Duration
	data []byte
}

func (l *link) send(now time.Duration, b []byte) {
	if l.random.Float64() < l.loss {
		return
	}
	for n := 1 + l.random.IntN(10)/9; n > 0; n-- {
		l.fly = append(l.fly, flying{now + time.Duration(20+l.random.IntN(60))*time.Millisecond, bytes.Clone(b)})
	}
}

func (l *link) arrived(now time.Duration) (all [][]byte) {
	kept := l.fly[:0]
	for _, f := range l.fly {
		if f.at <= now {
			all = append(all, f.data)
		} else {
			kept = append(kept, f)
		}
	}
	l.fly = kept
	return all
}
