// Package quic adapts quic-go: messages on one stream, each with its length
// before it, and values as datagrams.
package quic

import (
	"bufio"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"sync"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Library is quic-go as it is by default.
var Library = peer.Library{
	Name:   "quic-go",
	About:  "v0.65.0, TLS 1.3; one stream for messages, datagrams for values",
	Listen: listen, Dial: dial,
}

const (
	protocol   = "bench"
	longest    = 2048 // a message of the workloads, bytes
	ownSockets = 64   // so many clients have a socket each; more share one
)

var config = &quic.Config{EnableDatagrams: true, MaxIdleTimeout: time.Minute, KeepAlivePeriod: 10 * time.Second}

type endpoint struct {
	in         peer.Inbox
	transports []*quic.Transport
	listener   *quic.Listener

	mu    sync.Mutex
	conns []conn
	buf   []byte // what Send sends
}

type conn struct {
	conn   *quic.Conn
	stream *quic.Stream
}

// newTransport opens a socket.
func (e *endpoint) newTransport() (*quic.Transport, error) {
	sock, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	t := &quic.Transport{Conn: sock}
	e.transports = append(e.transports, t)
	return t, nil
}

func listen(s peer.Setup) (peer.Endpoint, error) {
	e := &endpoint{in: peer.Inbox{Handler: s.Handler}}
	t, err := e.newTransport()
	if err != nil {
		return nil, err
	}
	cert, err := newCertificate()
	if err != nil {
		return nil, err
	}
	e.listener, err = t.Listen(&tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{protocol}}, config)
	if err != nil {
		return nil, err
	}
	go e.accept()
	return e, nil
}

// newCertificate makes one that nobody but its key signed.
func newCertificate() (tls.Certificate, error) {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	t := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, t, t, public, private)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private}, err
}

func (e *endpoint) accept() {
	for {
		c, err := e.listener.Accept(context.Background())
		if err != nil {
			return
		}
		go func() {
			if s, err := c.AcceptStream(context.Background()); err == nil {
				e.begin(c, s, true)
			}
		}()
	}
}

func dial(port int, s peer.Setup) (peer.Endpoint, error) {
	e := &endpoint{in: peer.Inbox{Handler: s.Handler}}
	dialled := 0
	var failed error
	more := func(open int) {
		for ; failed == nil && dialled < s.Conns && dialled < open+64; dialled++ {
			if len(e.transports) == 0 || s.Conns <= ownSockets {
				if _, failed = e.newTransport(); failed != nil {
					return
				}
			}
			go e.dialOne(e.transports[len(e.transports)-1], port)
		}
	}
	if s.Handler != nil {
		more(0)
		return e, failed
	}
	if err := peer.AwaitOpen(e, s.Conns, more); err != nil {
		return nil, err
	}
	return e, failed
}

// dialOne opens a connection and says hello on its stream, which is a message
// of no bytes; the answer is another.
func (e *endpoint) dialOne(t *quic.Transport, port int) {
	to := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
	// It is this program's own server, on this machine.
	c, err := t.Dial(context.Background(), to, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}, config)
	if err != nil {
		return
	}
	s, err := c.OpenStream()
	if err != nil {
		return
	}
	if _, err := s.Write([]byte{0, 0}); err == nil {
		e.begin(c, s, false)
	}
}

// begin hears a connection.
func (e *endpoint) begin(c *quic.Conn, s *quic.Stream, server bool) {
	e.mu.Lock()
	number := len(e.conns)
	e.conns = append(e.conns, conn{c, s})
	e.mu.Unlock()
	go e.readValues(number, c)
	go e.readMessages(number, s, server)
}

func (e *endpoint) readValues(number int, c *quic.Conn) {
	for {
		data, err := c.ReceiveDatagram(context.Background())
		if err != nil {
			return
		}
		e.in.Put(e, peer.Event{Conn: number, Kind: peer.Latest, Data: data})
	}
}

func (e *endpoint) readMessages(number int, s *quic.Stream, server bool) {
	r := bufio.NewReaderSize(s, 4096)
	buf := make([]byte, longest)
	for {
		if _, err := io.ReadFull(r, buf[:2]); err != nil {
			return
		}
		n := binary.BigEndian.Uint16(buf)
		if _, err := io.ReadFull(r, buf[:n]); err != nil {
			return
		}
		if n > 0 {
			e.in.Put(e, peer.Event{Conn: number, Kind: peer.Reliable, Data: buf[:n]})
			continue
		}
		if server {
			_, _ = s.Write([]byte{0, 0})
		}
		e.in.Put(e, peer.Event{Conn: number, Kind: peer.Joined})
	}
}

func (e *endpoint) Port() int { return e.transports[0].Conn.LocalAddr().(*net.UDPAddr).Port }

func (e *endpoint) Poll(h peer.Handler) { e.in.Poll(e, h) }

func (e *endpoint) Send(number int, kind peer.Kind, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.conns[number]
	if kind == peer.Latest {
		return c.conn.SendDatagram(data)
	}
	e.buf = append(binary.BigEndian.AppendUint16(e.buf[:0], uint16(len(data))), data...)
	_, err := c.stream.Write(e.buf)
	return err
}

func (e *endpoint) Flush() {}

func (e *endpoint) Close() {
	e.mu.Lock()
	conns := e.conns
	e.mu.Unlock()
	for _, c := range conns {
		_ = c.conn.CloseWithError(0, "")
	}
	for _, t := range e.transports {
		_ = t.Close()
	}
}
