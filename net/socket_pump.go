package netmsg

import "sync"

// pumpRoom is how many datagrams a pump holds for the next frame: what a
// party's peers send in the time of a watchdog's turn, many times over. More
// are lost, as in a full socket.
const pumpRoom = 1024

// A pump makes a frameSocket of any Socket: a goroutine reads ahead, and the
// frame takes what it has. It is for sockets that can only be waited on.
type pump struct {
	Socket
	closing chan struct{}
	ended   chan struct{}

	mu   sync.Mutex
	held []Datagram // a ring of n datagrams from head on; buffers stay in their places
	head int
	n    int
}

// withoutWaiting gives sockets that a frame can use.
func withoutWaiting(socks []Socket, size int) []Socket {
	able := make([]Socket, len(socks))
	for i, sock := range socks {
		able[i] = sock
		if _, ok := sock.(frameSocket); !ok {
			able[i] = newPump(sock, size)
		}
	}
	return able
}

// neverCuts says so if the socket within does.
func (p *pump) neverCuts() bool {
	w, ok := p.Socket.(wholeSocket)
	return ok && w.neverCuts()
}

func newPump(sock Socket, size int) *pump {
	p := &pump{Socket: sock, closing: make(chan struct{}), ended: make(chan struct{}), held: make([]Datagram, pumpRoom)}
	go p.read(newBatch(firstBatch, size))
	return p
}

func (p *pump) read(batch []Datagram) {
	defer close(p.ended)
	for n := nextRead(p.Socket, batch, p.closing); n > 0; n = nextRead(p.Socket, batch, p.closing) {
		p.put(batch[:n])
	}
}

// put keeps copies of what was read, as far as there is room.
func (p *pump) put(batch []Datagram) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := range batch {
		if p.n == len(p.held) {
			return
		}
		d := &p.held[(p.head+p.n)%len(p.held)]
		d.Addr = batch[i].Addr
		d.Data = append(d.Data[:0], batch[i].Data...)
		p.n++
	}
}

func (p *pump) tryReadBatch(b []Datagram) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(b), p.n)
	for i := range n {
		d := &p.held[(p.head+i)%len(p.held)]
		b[i].Addr = d.Addr
		b[i].Data = append(b[i].Data[:0], d.Data...)
	}
	p.head = (p.head + n) % len(p.held)
	p.n -= n
	if p.n == 0 {
		p.head = 0 // the first buffers serve again, and the rest is never made
	}
	return n, nil
}

func (p *pump) tryWriteBatch(b []Datagram) (int, error) { return p.Socket.WriteBatch(b) }

// Close closes the socket and waits for the reader, which that ends.
func (p *pump) Close() error {
	close(p.closing)
	err := p.Socket.Close()
	awaitClosed(p.ended, closePatience)
	return err
}
