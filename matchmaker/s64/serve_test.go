package s64

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// startServer serves a directory with files of the given sizes and gives their
// hashes.
func startServer(t *testing.T, sizes ...int) (*Server, [][32]byte, string) {
	t.Helper()
	dir := t.TempDir()
	var hashes [][32]byte
	for i, n := range sizes {
		data := bytes.Repeat([]byte{byte(i + 1)}, n)
		if err := os.WriteFile(filepath.Join(dir, string(rune('a'+i))), data, 0o600); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, sha256.Sum256(data))
	}
	s, err := Serve("127.0.0.1:0", dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, hashes, dir
}

func TestVectorsAreAnsweredOverARealSocket(t *testing.T) {
	s, _, _ := startServer(t)
	v := vectors(t)
	c, err := net.Dial("udp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	buf := make([]byte, MaxDatagram)
	for _, step := range [][]string{
		{"bad.truncated"}, {"bad.magic"}, {"bad.version2"},
		{"heartbeat.empty", "heartbeat.reply1", "heartbeat.reply2"},
		{"bad.shortregister", "bad.shortregister.rep"},
		{"bad.unknowntype", "bad.unknowntype.reply"},
		{"list.request", "list.done"},
		{"register.request", "register.ack"},
		{"heartbeat.full", "heartbeat.full.ack"},
		{"download.request", "download.missing"},
	} {
		c.Write(v[step[0]])
		for _, want := range step[1:] {
			n, err := c.Read(buf)
			if err != nil || !bytes.Equal(buf[:n], v[want]) {
				t.Fatalf("%s was answered %x (%v), want %s %x", step[0], buf[:n], err, want, v[want])
			}
		}
	}
}

func TestRowZ22FilesOfEverySizeArriveWhole(t *testing.T) {
	s, hashes, _ := startServer(t, 0, 1, chunk, chunk+1, 5000, 1<<20)
	for i, hash := range hashes {
		path := filepath.Join(t.TempDir(), "out")
		var last int64
		err := Download(context.Background(), s.Addr().String(), hash, path, func(got, size int64) { last = got })
		if err != nil {
			t.Fatalf("file %d: %v", i, err)
		}
		data, _ := os.ReadFile(path)
		if sha256.Sum256(data) != hash || last != int64(len(data)) {
			t.Fatalf("file %d: %d bytes, progress %d", i, len(data), last)
		}
	}
}

func TestRowZ22SeveralClientsFetchAtOnce(t *testing.T) {
	s, hashes, _ := startServer(t, 1<<20, 1<<19, 1<<20, 100)
	var all sync.WaitGroup
	for i := range 8 {
		path := filepath.Join(t.TempDir(), "out")
		all.Go(func() {
			if err := fetch(context.Background(), s.Addr().String(), hashes[i%len(hashes)], path, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestFileThatIsNotThereOrHasChangedIsNotToBeHad(t *testing.T) {
	s, hashes, dir := startServer(t, 100)
	out := filepath.Join(t.TempDir(), "out")
	if err := Download(context.Background(), s.Addr().String(), [32]byte{1}, out, nil); !errors.Is(err, ErrNoFile) {
		t.Fatal(err)
	}
	os.WriteFile(filepath.Join(dir, "a"), []byte("changed"), 0o600)
	if err := Download(context.Background(), s.Addr().String(), hashes[0], out, nil); !errors.Is(err, ErrNoFile) {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Fatal("a file appeared")
	}
}

func TestLinksOutOfTheDirectoryAreNotServed(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	os.WriteFile(secret, []byte("secret"), 0o600)
	dir := t.TempDir()
	if err := os.Symlink(secret, filepath.Join(dir, "link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	d, err := OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, ok := d.Size(sha256.Sum256([]byte("secret"))); ok {
		t.Fatal("what a link leads to is served")
	}
}

// A master that sends a wrong byte is found out, and nothing is left behind.
func TestRowZ23WrongByteOfAHostileMasterIsAnError(t *testing.T) {
	want := bytes.Repeat([]byte("x"), 3000)
	_, hashes, _ := startServer(t, 3000)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var sending sync.WaitGroup
	defer sending.Wait()
	defer l.Close()
	sending.Go(func() {
		c, err := l.Accept()
		if err == nil {
			c.Write(want)
			c.Close()
		}
	})
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	out := filepath.Join(t.TempDir(), "out")
	err = save(c, 3000, hashes[0], out, nil)
	if err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Dir(out)); len(left) != 0 {
		t.Fatalf("left behind: %v", left)
	}
}

func TestConnectionThatAskedForNothingGetsNothing(t *testing.T) {
	s, _, _ := startServer(t, 100)
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	if n, _ := c.Read(make([]byte, 10)); n != 0 {
		t.Fatalf("%d bytes", n)
	}
}

// gameServer answers DISCOVER on a socket of its own, first with a wrong
// identifier.
func gameServer(t *testing.T) net.PacketConn {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	t.Cleanup(func() { c.Close(); running.Wait() })
	running.Go(func() {
		buf := make([]byte, MaxDatagram)
		for {
			n, from, err := c.ReadFrom(buf)
			if err != nil {
				return
			}
			wrong, _ := Packet{Version: 1, Flags: Unreliable, Type: DiscoverIt, Data: appendPresence(nil, []byte("wrong"), Presence{Name: "impostor"})}.Append(nil)
			c.WriteTo(wrong, from)
			if b, ok := AnswerDiscover(buf[:n], Presence{Name: "Ann", Players: 2, Max: 4}); ok {
				c.WriteTo(b, from)
			}
		}
	})
	return c
}

func TestRowsZ20Z23RegisteredServerIsListedAndDiscovered(t *testing.T) {
	s, hashes, _ := startServer(t, 10)
	game := gameServer(t)
	port := uint16(game.LocalAddr().(*net.UDPAddr).Port)
	r := NewRegistrar(Registration{Port: port, Name: "Fake.n64", Hash: hashes[0]}, 0)
	c, err := net.Dial("udp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(20 * time.Second))
	buf := make([]byte, MaxDatagram)
	c.Write(buf[:r.Transmit(0, buf)])
	n, err := c.Read(buf)
	if err != nil || !r.Receive(0, buf[:n]) || !r.Registered {
		t.Fatalf("registered %v: %v", r.Registered, err)
	}

	list, err := List(context.Background(), s.Addr().String())
	if err != nil || len(list) != 1 || list[0].Addr != game.LocalAddr().String() || !list[0].Downloadable {
		t.Fatalf("listed %+v: %v", list, err)
	}
	p, ping, err := Discover(context.Background(), list[0].Addr)
	if want := (Presence{Name: "Ann", Players: 2, Max: 4}); err != nil || p != want || ping <= 0 {
		t.Fatalf("discovered %+v in %v: %v", p, ping, err)
	}
}

func TestQuestionToNobodyEndsWithTheContext(t *testing.T) {
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := List(ctx, c.LocalAddr().String()); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
}
