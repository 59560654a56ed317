package world

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/partyline-go/partyline/matchmaker"
)

// A Relay does what a TURN server does (RFC 8656), with messages of its own:
// allocations under a room's short-lived credentials and within its quota, each
// with an address at which only those may be heard whose IP the client has
// permitted. What a peer without permission sends is dropped.
type Relay struct {
	Off          bool // nothing is answered, nothing passed on
	AllowPrivate bool // peers may have private addresses
	Quota        int  // allocations of one room

	// Carried counts what was passed on, Dropped what had no permission.
	Carried, Dropped int

	host        *Host
	allocations map[relayClient]*allocation
	rooms       map[string]int
}

// permissionLife is how long a permission lasts. (RFC 8656, section 9)
const permissionLife = 5 * time.Minute

// An allocation is a socket of the relay's that stands for a client.
type allocation struct {
	room    string
	socket  *Socket
	permits map[netip.Addr]time.Duration // until when
}

// A relayClient is whom an allocation belongs to: a client's UDP address, or
// its stream.
type relayClient interface {
	tell(data []byte)
}

type relayClientAt struct {
	socket *Socket
	addr   netip.AddrPort
}

func (c relayClientAt) tell(data []byte) { c.socket.Send(c.addr, data) }

type relayClientOn struct{ pipe *pipe }

func (c relayClientOn) tell(data []byte) { c.pipe.send(data) }

// What relay and client say: one byte, and what it is about.
const (
	relayAllocate  = 'A' // user, 0, password
	relayAllocated = 'a' // the relayed address
	relayRefused   = 'e' // why
	relayPermit    = 'P' // an address whose port does not matter
	relayPermitted = 'p' // the same
	relayForbidden = 'f' // the same
	relaySend      = 'S' // to, data
	relayHeard     = 'h' // from, data
	relayFree      = 'F' // nothing: the client goes
)

func newRelay(h *Host) *Relay {
	return &Relay{host: h, Quota: 32, allocations: make(map[relayClient]*allocation), rooms: make(map[string]int)}
}

// Allocations is how many there are.
func (r *Relay) Allocations() int { return len(r.allocations) }

func (r *Relay) receive(c relayClient, data []byte) {
	if r.Off || len(data) == 0 {
		return
	}
	a, body := r.allocations[c], data[1:]
	switch kind := data[0]; {
	case kind == relayAllocate:
		r.allocate(c, a, string(body))
	case a == nil:
	case kind == relayPermit && len(body) == 18:
		r.permit(c, a, addrOf(body))
	case kind == relaySend && len(body) >= 18:
		r.send(a, addrOf(body), body[18:])
	case kind == relayFree:
		r.free(c, a)
	}
}

// allocate gives c an address, the one it has if it asks again.
func (r *Relay) allocate(c relayClient, a *allocation, credentials string) {
	if a == nil {
		room, why := r.check(credentials)
		if why != "" {
			c.tell(append([]byte{relayRefused}, why...))
			return
		}
		a = &allocation{room: room, permits: make(map[netip.Addr]time.Duration)}
		a.socket = r.host.anySocket(matchmaker.RelayPort0)
		a.socket.answer = func(from netip.AddrPort, data []byte) { r.hear(c, a, from, data) }
		r.allocations[c] = a
		r.rooms[room]++
	}
	c.tell(appendAddr([]byte{relayAllocated}, a.socket.addr))
}

// check looks at credentials of TURN's REST form: the user is an expiry and a
// room, the password its HMAC.
func (r *Relay) check(credentials string) (room, why string) {
	user, pass, _ := strings.Cut(credentials, "\x00")
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(user))
	expiry, room, _ := strings.Cut(user, ":")
	until, err := strconv.ParseInt(expiry, 10, 64)
	switch {
	case err != nil || pass != base64.StdEncoding.EncodeToString(mac.Sum(nil)):
		return "", "401 unauthorized"
	case until < unix(r.host.world.now):
		return "", "401 expired"
	case r.rooms[room] >= r.Quota:
		return "", "486 allocation quota reached"
	}
	return room, ""
}

// permit lets everybody at an IP send to the allocation. What is no public
// address is refused.
func (r *Relay) permit(c relayClient, a *allocation, peer netip.AddrPort) {
	if !r.mayReach(peer.Addr()) {
		c.tell(appendAddr([]byte{relayForbidden}, peer))
		return
	}
	a.permits[peer.Addr()] = r.host.world.now + permissionLife
	c.tell(appendAddr([]byte{relayPermitted}, peer))
}

var carriers = netip.MustParsePrefix("100.64.0.0/10")

func (r *Relay) mayReach(a netip.Addr) bool {
	public := a.IsGlobalUnicast() && !a.IsPrivate() && !carriers.Contains(a) && a != r.host.addr
	return public || r.AllowPrivate
}

func (a *allocation) permitted(peer netip.Addr, now time.Duration) bool { return now < a.permits[peer] }

// send passes on what the client sends to a peer.
func (r *Relay) send(a *allocation, to netip.AddrPort, data []byte) {
	if !a.permitted(to.Addr(), r.host.world.now) {
		r.Dropped++
		return
	}
	r.Carried++
	a.socket.Send(to, data)
}

// hear passes on what a peer sends to the client.
func (r *Relay) hear(c relayClient, a *allocation, from netip.AddrPort, data []byte) {
	if r.Off || !a.permitted(from.Addr(), r.host.world.now) {
		r.Dropped++
		return
	}
	r.Carried++
	c.tell(append(appendAddr([]byte{relayHeard}, from), data...))
}

func (r *Relay) free(c relayClient, a *allocation) {
	a.socket.Close()
	delete(r.allocations, c)
	r.rooms[a.room]--
}
