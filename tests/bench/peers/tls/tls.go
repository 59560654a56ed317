// Package tls is TLS over TCP: what a stream does when nothing has to be in
// time. It has one connection and no values, and is there for bulk alone.
package tls

import (
	"bufio"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Library is crypto/tls.
var Library = peer.Library{
	Name: "tls-tcp", About: "crypto/tls, TLS 1.3 over TCP; each message with its length before it", TCP: true,
	Listen: listen, Dial: dial,
}

const buffered = 64 << 10 // bytes that are gathered before they are sealed

var errEvents = errors.New("tls-tcp: has no frames")

type endpoint struct {
	listener net.Listener
	handler  peer.Handler

	mu   sync.Mutex
	conn net.Conn
	out  *bufio.Writer
}

func listen(s peer.Setup) (peer.Endpoint, error) {
	if s.Handler == nil {
		return nil, errEvents
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, t, t, public, private)
	if err != nil {
		return nil, err
	}
	cert := tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}
	l, err := tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}})
	if err != nil {
		return nil, err
	}
	e := &endpoint{listener: l, handler: s.Handler}
	go func() {
		if c, err := l.Accept(); err == nil {
			e.begin(c)
		}
	}()
	return e, nil
}

func dial(port int, s peer.Setup) (peer.Endpoint, error) {
	if s.Handler == nil || s.Conns != 1 {
		return nil, errEvents
	}
	// It is this program's own server, on this machine.
	c, err := tls.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", port), &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		return nil, err
	}
	e := &endpoint{handler: s.Handler}
	go e.begin(c)
	return e, nil
}

func (e *endpoint) begin(c net.Conn) {
	e.mu.Lock()
	e.conn, e.out = c, bufio.NewWriterSize(c, buffered)
	e.mu.Unlock()
	e.tell(peer.Event{Kind: peer.Joined})
	r := bufio.NewReaderSize(c, buffered)
	buf := make([]byte, buffered)
	for {
		if _, err := io.ReadFull(r, buf[:2]); err != nil {
			return
		}
		n := binary.BigEndian.Uint16(buf)
		if _, err := io.ReadFull(r, buf[:n]); err != nil {
			return
		}
		e.tell(peer.Event{Kind: peer.Reliable, Data: buf[:n]})
	}
}

// tell calls the handler, and lets go what it has sent.
func (e *endpoint) tell(ev peer.Event) {
	e.handler(e, ev)
	e.Flush()
}

func (e *endpoint) Port() int { return e.listener.Addr().(*net.TCPAddr).Port }

func (e *endpoint) Poll(peer.Handler) {}

func (e *endpoint) Send(_ int, _ peer.Kind, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	var size [2]byte
	binary.BigEndian.PutUint16(size[:], uint16(len(data)))
	if _, err := e.out.Write(size[:]); err != nil {
		return err
	}
	_, err := e.out.Write(data)
	return err
}

func (e *endpoint) Flush() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.out.Buffered() > 0 {
		_ = e.out.Flush() // an error shows in the next Send
	}
}

func (e *endpoint) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.listener != nil {
		_ = e.listener.Close()
	}
	if e.conn != nil {
		_ = e.conn.Close()
	}
}
