package matchmaker

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The load that one core has to bear: rooms that are open, and beside them joins
// and opens that must not wait. The server is a process of its own.

const (
	loadRooms   = 10_000
	loadJoins   = 500 // a second
	loadOpens   = 50  // a second, beside them
	loadTime    = 10 * time.Second
	loadWorkers = 64
)

// loadRole names the environment variable that makes this test program the
// server of BenchmarkLoad.
const loadRole = "PARTYLINE_LOAD_SERVER"

// serveLoad is that server: it says its address, and to every line that it is
// told how large its heap is. It ends with its standard input.
func serveLoad() error {
	runtime.GOMAXPROCS(1)
	s, err := Start(ServerConfig{Addr: "127.0.0.1:0", Limits: Limits{Sockets: -1, Rooms: -1, OpensPerMin: -1}})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println(s.Addr())
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapAlloc, m.StackInuse)
	}
	return nil
}

// A loadServer is that process.
type loadServer struct {
	addr string
	in   io.Writer
	out  *bufio.Scanner
}

func startLoadServer(b *testing.B) *loadServer {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), loadRole+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	s := &loadServer{in: in, out: bufio.NewScanner(out)}
	if !s.out.Scan() {
		b.Fatal("the server has not started")
	}
	s.addr = s.out.Text()
	return s
}

// memory is the server's heap after a collection, and its goroutines' stacks.
func (s *loadServer) memory(b *testing.B) (heap, stacks int) {
	b.Helper()
	fmt.Fprintln(s.in)
	if !s.out.Scan() {
		b.Fatal("the server is gone")
	}
	if _, err := fmt.Sscan(s.out.Text(), &heap, &stacks); err != nil {
		b.Fatal(err)
	}
	return heap, stacks
}

// A bareSocket is a WebSocket without goroutines and buffers, so that ten
// thousand of them leave the machine to the server. (RFC 6455)
type bareSocket struct {
	net.Conn
	in *bufio.Reader
}

func dialBare(addr string) (*bareSocket, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &bareSocket{c, bufio.NewReaderSize(c, 512)}
	fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", addr)
	answer, err := http.ReadResponse(s.in, nil)
	if err == nil && answer.StatusCode != http.StatusSwitchingProtocols {
		err = errors.New(answer.Status)
	}
	if err != nil {
		c.Close()
		return nil, err
	}
	return s, nil
}

// say sends one message. A client has to mask what it sends; its mask is zero.
func (s *bareSocket) say(m Message) error {
	data := m.Encode()
	frame := []byte{0x81, 0x80 | 126, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint16(frame[2:], uint16(len(data)))
	_, err := s.Write(append(frame, data...))
	return err
}

// hear waits for one message of a kind.
func (s *bareSocket) hear(want Kind) (Message, error) {
	s.SetReadDeadline(time.Now().Add(30 * time.Second))
	var head [2]byte
	if _, err := io.ReadFull(s.in, head[:]); err != nil {
		return Message{}, err
	}
	size := int(head[1])
	if size == 126 {
		var long [2]byte
		if _, err := io.ReadFull(s.in, long[:]); err != nil {
			return Message{}, err
		}
		size = int(binary.BigEndian.Uint16(long[:]))
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(s.in, data); err != nil {
		return Message{}, err
	}
	m, err := Parse(data)
	if err == nil && m.T != want {
		err = fmt.Errorf("heard %q %q, want %q", m.T, m.Text, want)
	}
	return m, err
}

// A loadRoom is a room that is open, and the socket that holds it.
type loadRoom struct {
	*bareSocket
	code string
}

func openLoadRoom(addr string) (r loadRoom, err error) {
	if r.bareSocket, err = dialBare(addr); err != nil {
		return r, err
	}
	open := openRoom(1)
	open.Players = 1
	open.Cands = cands("192.168.1.20:27415", "203.0.113.7:27415")
	if err := r.say(open); err != nil {
		return r, err
	}
	m, err := r.hear(RoomIs)
	r.code = m.Code
	return r, err
}

// joinLoadRoom is what a newcomer does: a connection, a join, an answer.
func joinLoadRoom(addr, code string) error {
	s, err := dialBare(addr)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.say(Message{T: Join, Code: code, Proto: 1, Key: keyOf(2), Cands: cands("192.168.7.7:5000", "203.0.113.9:5000")}); err != nil {
		return err
	}
	_, err = s.hear(Peer)
	return err
}

// each does something n times, in loadWorkers goroutines, and gives the first
// error.
func each(n int, do func(i int) error) error {
	var group sync.WaitGroup
	errs := make(chan error, loadWorkers)
	next := make(chan int, n)
	for i := range n {
		next <- i
	}
	close(next)
	for range loadWorkers {
		group.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(errs)
	return <-errs
}

// at does something so many times a second, each in its own goroutine, and gives
// how long each took, sorted.
func at(perSecond int, do func(i int) error) ([]time.Duration, error) {
	n := perSecond * int(loadTime/time.Second)
	took := make([]time.Duration, n)
	errs := make(chan error, n)
	var group sync.WaitGroup
	began := time.Now()
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(perSecond))))
		group.Go(func() {
			start := time.Now()
			errs <- do(i)
			took[i] = time.Since(start)
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return took, err
		}
	}
	slices.Sort(took)
	return took, nil
}

func p99(sorted []time.Duration) float64 { return sorted[len(sorted)*99/100].Seconds() * 1000 }

// BenchmarkLoad prints, of a server that has one core: the 99th percentile of an
// open and of a join, connection included, while 500 guests a second join 10,000
// open rooms whose hosts refresh; and the memory of a room, with and without its
// host's WebSocket.
func BenchmarkLoad(b *testing.B) {
	s := startLoadServer(b)
	rooms := make([]loadRoom, loadRooms)
	emptyHeap, emptyStacks := s.memory(b)
	if err := each(loadRooms, func(i int) (err error) { rooms[i], err = openLoadRoom(s.addr); return err }); err != nil {
		b.Fatal(err)
	}
	heap, stacks := s.memory(b)
	b.Cleanup(func() {
		for _, r := range rooms {
			r.Close()
		}
	})
	stop := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() { refreshLoad(rooms, stop) })

	var opens []time.Duration
	var openErr error
	background.Go(func() {
		opens, openErr = at(loadOpens, func(int) error {
			r, err := openLoadRoom(s.addr)
			if err == nil {
				r.Close()
			}
			return err
		})
	})
	joins, err := at(loadJoins, func(i int) error { return joinLoadRoom(s.addr, rooms[i%loadRooms].code) })
	close(stop)
	background.Wait()
	if err := errors.Join(err, openErr); err != nil {
		b.Fatal(err)
	}

	b.ReportMetric(0, "ns/op")
	b.ReportMetric(p99(opens), "open-p99-ms")
	b.ReportMetric(p99(joins), "join-p99-ms")
	b.ReportMetric(float64(joins[len(joins)/2].Microseconds())/1000, "join-p50-ms")
	b.ReportMetric(roomBytes(), "B/room")
	b.ReportMetric(float64(heap-emptyHeap)/loadRooms, "heap-B/host")
	b.ReportMetric(float64(stacks-emptyStacks)/loadRooms, "stack-B/host")
}

// refreshLoad lets every host say, each 15 s, that it is there.
func refreshLoad(rooms []loadRoom, stop chan struct{}) {
	for began, n := time.Now(), 0; ; n++ {
		select {
		case <-stop:
			return
		case <-time.After(time.Until(began.Add(time.Duration(n) * refreshEvery / loadRooms))):
			rooms[n%loadRooms].say(Message{T: Refresh, Players: 2})
		}
	}
}

// roomBytes is what a room costs a Directory, with the entry of its host's
// socket.
func roomBytes() float64 {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	unix := func(now time.Duration) int64 { return int64(now / time.Second) }
	d := NewDirectory(Limits{Rooms: -1, OpensPerMin: -1}, Relay{}, rand.NewChaCha8([32]byte{1}), unix)
	before := heap()
	for i := range loadRooms {
		id := SocketID(i + 1)
		d.Connected(0, id, netip.AddrFrom4([4]byte{10, byte(i >> 8), byte(i), 1}))
		open := openRoom(1)
		open.Name, open.Cands = strings.Repeat("x", maxName), slices.Repeat(cand("203.0.113.7:27415"), MaxCandidates)
		d.Receive(0, id, open.Encode())
		d.Actions()
	}
	after := heap()
	if rooms, _ := d.Len(); rooms != loadRooms {
		panic(fmt.Sprintf("%d rooms", rooms))
	}
	return float64(after-before) / loadRooms
}
