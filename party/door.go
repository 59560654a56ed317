package party

import (
	"slices"
	"sync"

	netmsg "github.com/partyline-go/partyline/net"
)

// A door answers those who ask to be let in, before the party itself has heard
// of them: the answer goes inside the handshake, at once, also while the game
// is loading and only the watchdog looks after the network. So it has a copy of
// what it needs, under a lock of its own.
type door struct {
	mu      sync.Mutex
	proto   uint16
	hosting bool
	full    bool
	keys    [][keySize]byte  // members
	seats   [][seatSize]byte // guests
}

// tellDoor brings the door up to date.
func (p *Party) tellDoor() {
	d := &p.door
	d.mu.Lock()
	defer d.mu.Unlock()
	d.proto, d.hosting = p.cfg.Proto, p.state == StateHosting
	d.full = p.count(roleGuest) >= maxGuests
	d.keys, d.seats = d.keys[:0], d.seats[:0]
	for i := range p.place.roster.members {
		d.keys = append(d.keys, p.place.roster.members[i].key)
	}
	for _, r := range p.peers {
		if r.role == roleGuest {
			d.seats = append(d.seats, r.seat)
		}
	}
}

// admit is the library's verdict on who asks. The game's comes later, on the
// hello.
func (d *door) admit(a netmsg.Applicant) netmsg.Admission {
	d.mu.Lock()
	defer d.mu.Unlock()
	e, ok := parseEarly(a.Hello)
	member := len(a.Key) == keySize && slices.Contains(d.keys, [keySize]byte(a.Key))
	switch {
	case !ok || len(a.Key) != keySize:
		return netmsg.Admission{Status: netmsg.AdmitRefused}
	case e.version != partyVersion:
		return netmsg.Admission{Status: uint8(codeVersion)}
	case e.proto != d.proto:
		return netmsg.Admission{Status: uint8(codeProto)}
	case !d.hosting && !member && e.followed == 0: // who seeks a host is told who it is
		return netmsg.Admission{Status: uint8(codeRefused)}
	case d.hosting && d.full && !member && !slices.Contains(d.seats, e.seat):
		return netmsg.Admission{Status: netmsg.AdmitFull}
	}
	return netmsg.Admission{}
}
