// Package kcp adapts kcp-go. It has messages that arrive, in order, and nothing
// else, so values go as messages.
package kcp

import (
	"fmt"
	"net"
	"sync"

	"github.com/xtaci/kcp-go/v5"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

// Library is kcp-go with the settings that its authors advise for games, sealed
// with AES.
var Library = peer.Library{
	Name:   "kcp-go",
	About:  "v5.7.5, AES-128-GCM with a key known beforehand; NoDelay(1, 10, 2, 1), window 1024, values as messages",
	Listen: listen, Dial: dial,
}

type endpoint struct {
	in       peer.Inbox
	listener *kcp.Listener

	mu       sync.Mutex
	sessions []*kcp.UDPSession
	buf      []byte // what Send sends
}

func newEndpoint(s peer.Setup) *endpoint {
	return &endpoint{in: peer.Inbox{Handler: s.Handler}}
}

func newCrypt() kcp.BlockCrypt {
	c, err := kcp.NewAESGCMCrypt(make([]byte, 16))
	if err != nil {
		panic(err) // only for a key of another length
	}
	return c
}

const socketBuffer = 4 << 20

func listen(s peer.Setup) (peer.Endpoint, error) {
	e := newEndpoint(s)
	var err error
	if e.listener, err = kcp.ListenWithOptions("127.0.0.1:0", newCrypt(), 0, 0); err != nil {
		return nil, err
	}
	if err := e.listener.SetReadBuffer(socketBuffer); err != nil {
		return nil, err
	}
	if err := e.listener.SetWriteBuffer(socketBuffer); err != nil {
		return nil, err
	}
	go func() {
		for {
			session, err := e.listener.AcceptKCP()
			if err != nil {
				return
			}
			go e.read(e.add(session), true)
		}
	}()
	return e, nil
}

func dial(port int, s peer.Setup) (peer.Endpoint, error) {
	e := newEndpoint(s)
	dialled := 0
	more := func(open int) {
		for ; dialled < s.Conns && dialled < open+64; dialled++ {
			session, err := kcp.DialWithOptions(fmt.Sprintf("127.0.0.1:%d", port), newCrypt(), 0, 0)
			if err != nil {
				panic(err) // no socket
			}
			if s.Bulk {
				_ = session.SetReadBuffer(socketBuffer) // less does too
				_ = session.SetWriteBuffer(socketBuffer)
			}
			conn := e.add(session)
			_, _ = session.Write(peer.Hello)
			go e.read(conn, false)
		}
	}
	if s.Handler != nil {
		more(0)
		return e, nil
	}
	return e, peer.AwaitOpen(e, s.Conns, more)
}

func (e *endpoint) add(session *kcp.UDPSession) (conn int) {
	session.SetNoDelay(1, 10, 2, 1)
	session.SetACKNoDelay(true)
	session.SetWriteDelay(false)
	session.SetWindowSize(1024, 1024)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions = append(e.sessions, session)
	return len(e.sessions) - 1
}

// read hears one session until it ends.
func (e *endpoint) read(conn int, server bool) {
	e.mu.Lock()
	session := e.sessions[conn]
	e.mu.Unlock()
	buf := make([]byte, 2048)
	for {
		n, err := session.Read(buf)
		if err != nil {
			return
		}
		ev := peer.Untag(conn, buf[:n])
		if server && ev.Kind == peer.Joined {
			_, _ = session.Write(peer.Hello)
		}
		e.in.Put(e, ev)
	}
}

func (e *endpoint) Port() int { return e.listener.Addr().(*net.UDPAddr).Port }

func (e *endpoint) Poll(h peer.Handler) { e.in.Poll(e, h) }

func (e *endpoint) Send(conn int, kind peer.Kind, data []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buf = peer.AppendTagged(e.buf[:0], kind, data)
	_, err := e.sessions[conn].Write(e.buf)
	return err
}

func (e *endpoint) Flush() {}

func (e *endpoint) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, s := range e.sessions {
		_ = s.Close()
	}
	if e.listener != nil {
		_ = e.listener.Close()
	}
}
