package s64

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"net/netip"
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

// fakeHash is the hash that the vectors' servers name.
var fakeHash = [32]byte(must(hex.DecodeString("1d60bbb91c46633bf047173e798c0f31a53b3485133aa7cc848d2695c9e37323")))

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// oneFile are Files with one file of 5,000 bytes.
type oneFile [32]byte

func (f oneFile) Size(hash [32]byte) (int64, bool) { return 5000, hash == f }

// anyFile are Files that have all there are.
type anyFile struct{}

func (anyFile) Size([32]byte) (int64, bool) { return 5000, true }

// testMaster is a Master on a clock that the test moves.
type testMaster struct {
	*Master
	t   *testing.T
	now time.Duration
}

func newTestMaster(t *testing.T) *testMaster {
	return &testMaster{Master: NewMaster(oneFile(fakeHash)), t: t}
}

var server1, browser = netip.MustParseAddrPort("127.0.0.1:6461"), netip.MustParseAddrPort("127.0.0.1:50000")

func (m *testMaster) said(from netip.AddrPort, b []byte) { m.Receive(m.now, from, b) }

// sent gives all datagrams that go within the next minute, with the time moving
// to each deadline.
func (m *testMaster) sent() (all [][]byte) {
	for {
		var buf [MaxDatagram]byte
		if n, _ := m.Transmit(m.now, buf[:]); n > 0 {
			all = append(all, bytes.Clone(buf[:n]))
			continue
		}
		at := m.Deadline()
		if at > m.now+time.Minute {
			return all
		}
		if at <= m.now {
			m.t.Fatalf("at %v nothing is due, but the deadline is %v", m.now, at)
		}
		m.now = at
	}
}

// wantVectors fails unless exactly these datagrams went.
func (m *testMaster) wantVectors(names ...string) {
	m.t.Helper()
	v, got := vectors(m.t), m.sent()
	if len(got) != len(names) {
		m.t.Fatalf("sent %d datagrams %x, want %v", len(got), got, names)
	}
	for i, name := range names {
		if !bytes.Equal(got[i], v[name]) {
			m.t.Errorf("sent %x, want %s %x", got[i], name, v[name])
		}
	}
}
