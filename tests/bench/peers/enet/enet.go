//go:build enet && cgo

// Package enet adapts ENet, through cgo. It is built with the tag enet, because
// it needs the C library (Debian's libenet-dev).
package enet

/*
#cgo LDFLAGS: -lenet
#include <stdlib.h>
#include <enet/enet.h>

typedef struct {
	int type;
	unsigned int peer, channel;
	size_t size;
	void *data;
	ENetPacket *packet;
} heard;

// serve turns the host and gives up to most events; the first may be waited
// for.
static int serve(ENetHost *host, heard *out, int most, enet_uint32 wait) {
	ENetEvent e;
	int n = 0;
	while (n < most && enet_host_service(host, &e, n ? 0 : wait) > 0) {
		heard *h = out + n++;
		h->type = e.type;
		h->peer = e.peer - host->peers;
		h->channel = e.channelID;
		h->packet = e.type == ENET_EVENT_TYPE_RECEIVE ? e.packet : NULL;
		h->data = h->packet ? h->packet->data : NULL;
		h->size = h->packet ? h->packet->dataLength : 0;
	}
	return n;
}

static void release(heard *events, int n) {
	for (int i = 0; i < n; i++)
		if (events[i].packet) enet_packet_destroy(events[i].packet);
}

static int put(ENetHost *host, unsigned int peer, int reliable, const void *data, size_t size) {
	ENetPacket *p = enet_packet_create(data, size, reliable ? ENET_PACKET_FLAG_RELIABLE : 0);
	if (!p) return -1;
	if (enet_peer_send(host->peers + peer, reliable ? 0 : 1, p) == 0) return 0;
	enet_packet_destroy(p);
	return -1;
}

static ENetAddress loopback(int port) {
	ENetAddress a;
	enet_address_set_host_ip(&a, "127.0.0.1");
	a.port = port;
	return a;
}

static ENetHost *server(size_t peers) {
	ENetAddress a = loopback(0);
	return enet_host_create(&a, peers, 2, 0, 0);
}

static ENetHost *client(int port) {
	ENetHost *host = enet_host_create(NULL, 1, 2, 0, 0);
	if (!host) return NULL;
	ENetAddress a = loopback(port);
	if (enet_host_connect(host, &a, 2, 0)) return host;
	enet_host_destroy(host);
	return NULL;
}

static int port(ENetHost *host) {
	ENetAddress a;
	return enet_socket_get_address(host->socket, &a) < 0 ? 0 : a.port;
}

// steady keeps ENet from dropping unreliable packets by itself when the round
// trip varies, so that it sends what the others do.
static void steady(ENetHost *host, unsigned int peer) {
	enet_peer_throttle_configure(host->peers + peer, ENET_PEER_PACKET_THROTTLE_INTERVAL, ENET_PEER_PACKET_THROTTLE_SCALE, 0);
}

static void widen(ENetHost *host, int size) {
	enet_socket_set_option(host->socket, ENET_SOCKOPT_RCVBUF, size);
	enet_socket_set_option(host->socket, ENET_SOCKOPT_SNDBUF, size);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/partyline-go/partyline/tests/bench/peer"
)

const (
	turnEvents = 128  // taken from C in one call
	mostPeers  = 4095 // of a host
	waitMillis = 50   // for the first event, while it runs by itself
)

// Libraries is ENet.
func Libraries() []peer.Library {
	C.enet_initialize()
	v := C.enet_linked_version()
	return []peer.Library{{
		Name:   "enet",
		About:  fmt.Sprintf("%d.%d.%d, unsealed; reliable on one channel, unreliable sequenced on another, of which it throttles none", v>>16&255, v>>8&255, v&255),
		Listen: listen, Dial: dial,
	}}
}

// An endpoint is a server's host, or a host for each client.
type endpoint struct {
	hosts   []*C.ENetHost
	server  bool
	heard   *C.heard
	seats   []seat // by connection
	numbers map[seat]int
	closing atomic.Bool
	ended   chan struct{} // it ran by itself, and does no more; nil: it never did
}

// A seat is where a connection is: which host, and which of its peers.
type seat struct{ host, peer int }

func newEndpoint(server bool) *endpoint {
	return &endpoint{server: server, numbers: map[seat]int{}, heard: (*C.heard)(C.calloc(turnEvents, C.sizeof_heard))}
}

func (e *endpoint) add(h *C.ENetHost, s peer.Setup) error {
	if h == nil {
		return errors.New("enet made no host")
	}
	if s.Bulk || e.server && s.Conns > 64 {
		C.widen(h, 4<<20)
	}
	e.hosts = append(e.hosts, h)
	return nil
}

func listen(s peer.Setup) (peer.Endpoint, error) {
	if s.Conns > mostPeers {
		return nil, fmt.Errorf("a host has at most %d peers", mostPeers)
	}
	e := newEndpoint(true)
	if err := e.add(C.server(C.size_t(max(s.Conns, 16))), s); err != nil {
		return nil, err
	}
	e.begin(s)
	return e, nil
}

func dial(port int, s peer.Setup) (peer.Endpoint, error) {
	e := newEndpoint(false)
	for range s.Conns {
		if err := e.add(C.client(C.int(port)), s); err != nil {
			return nil, err
		}
	}
	if s.Handler != nil {
		e.begin(s)
		return e, nil
	}
	return e, peer.AwaitOpen(e, s.Conns, func(int) {})
}

// begin lets e run by itself, if a handler wants that.
func (e *endpoint) begin(s peer.Setup) {
	if s.Handler == nil {
		return
	}
	e.ended = make(chan struct{})
	go func() {
		defer close(e.ended)
		for !e.closing.Load() {
			if e.turn(s.Handler, waitMillis) {
				e.Flush()
			}
		}
	}()
}

// turn takes what each host has heard. It waits only for the first one.
func (e *endpoint) turn(h peer.Handler, wait int) (any bool) {
	for i, host := range e.hosts {
		for n := turnEvents; n == turnEvents; wait = 0 {
			n = int(C.serve(host, e.heard, turnEvents, C.enet_uint32(wait)))
			any = any || n > 0
			e.pass(h, i, n)
		}
	}
	return any
}

func (e *endpoint) pass(h peer.Handler, host, n int) {
	for _, ev := range unsafe.Slice(e.heard, turnEvents)[:n] {
		at := seat{host, int(ev.peer)}
		switch ev._type {
		case C.ENET_EVENT_TYPE_CONNECT:
			C.steady(e.hosts[host], C.uint(ev.peer))
			e.numbers[at] = len(e.seats)
			e.seats = append(e.seats, at)
			h(e, peer.Event{Conn: len(e.seats) - 1, Kind: peer.Joined})
		case C.ENET_EVENT_TYPE_RECEIVE:
			kind := peer.Reliable
			if ev.channel == 1 {
				kind = peer.Latest
			}
			h(e, peer.Event{Conn: e.numbers[at], Kind: kind, Data: unsafe.Slice((*byte)(ev.data), int(ev.size))})
		}
	}
	if n > 0 {
		C.release(e.heard, C.int(n))
	}
}

func (e *endpoint) Port() int { return int(C.port(e.hosts[0])) }

func (e *endpoint) Poll(h peer.Handler) { e.turn(h, 0) }

func (e *endpoint) Send(conn int, kind peer.Kind, data []byte) error {
	reliable := C.int(0)
	if kind == peer.Reliable {
		reliable = 1
	}
	at := e.seats[conn]
	if C.put(e.hosts[at.host], C.uint(at.peer), reliable, unsafe.Pointer(unsafe.SliceData(data)), C.size_t(len(data))) != 0 {
		return errors.New("enet does not take it")
	}
	return nil
}

func (e *endpoint) Flush() {
	for _, h := range e.hosts {
		C.enet_host_flush(h)
	}
}

func (e *endpoint) Close() {
	e.closing.Store(true)
	if e.ended != nil {
		<-e.ended
	}
	for _, h := range e.hosts {
		C.enet_host_destroy(h)
	}
	C.free(unsafe.Pointer(e.heard))
}
