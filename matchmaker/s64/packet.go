package s64

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Sizes on the wire, in bytes.
const (
	MaxDatagram = 4096 // the buffer of the programs in use
	MaxName     = 240  // of a server or a file, here; longer ones are not registered, so that a line of a list is under 20 times the question
	maxID       = 255  // of an identifier that is echoed, or of an address as text
	overhead    = 14
	chunk       = 2048 // of a file, said in DOWNLOAD's answer
)

// Version is what is written; a receiver takes anything up to it.
const Version = 1

// Types of packets.
const (
	Ack         = "ACK"
	Register    = "REGISTER"
	Heartbeat   = "HEARTBEAT"
	ListAll     = "LIST"
	ServerIs    = "SERVER"
	DoneListing = "DONELISTING"
	DiscoverIt  = "DISCOVER"
	DownloadIt  = "DOWNLOAD"
)

// Flags of a packet. Unknown ones are ignored.
type Flags uint8

const (
	Unreliable  Flags = 1 << iota // never acknowledged, never sent again
	ExplicitAck                   // an acknowledgement is wanted at once
)

// A Packet is one datagram, as the package comment has it. Data is borrowed from
// the datagram that it was read from.
type Packet struct {
	Version        uint8
	Flags          Flags
	Seq, Ack, Bits uint16
	Type           string
	Data           []byte
}

var magic = [3]byte{'S', '6', '4'}

// Append writes p behind b. A type over 255 bytes, or a datagram over
// MaxDatagram, is an error.
func (p Packet) Append(b []byte) ([]byte, error) {
	if len(p.Type) > 255 {
		return b, fmt.Errorf("s64: type of %d bytes, at most 255", len(p.Type))
	}
	if n := overhead + len(p.Type) + len(p.Data); n > MaxDatagram {
		return b, fmt.Errorf("s64: datagram of %d bytes, at most %d", n, MaxDatagram)
	}
	b = append(b, magic[:]...)
	b = append(b, p.Version, byte(p.Flags))
	b = binary.BigEndian.AppendUint16(b, p.Seq)
	b = binary.BigEndian.AppendUint16(b, p.Ack)
	b = binary.BigEndian.AppendUint16(b, p.Bits)
	b = append(b, byte(len(p.Type)))
	b = append(b, p.Type...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(p.Data)))
	return append(b, p.Data...), nil
}

// Parse reads a datagram. False: it is short, has another magic or a newer
// version, or a length would run past the end.
func Parse(b []byte) (p Packet, ok bool) {
	if len(b) < overhead || [3]byte(b) != magic || b[3] > Version {
		return Packet{}, false
	}
	n := int(b[11])
	if len(b) < overhead+n {
		return Packet{}, false
	}
	size := int(binary.BigEndian.Uint16(b[12+n:]))
	if size > len(b)-overhead-n {
		return Packet{}, false
	}
	return Packet{
		Version: b[3], Flags: Flags(b[4]),
		Seq: binary.BigEndian.Uint16(b[5:]), Ack: binary.BigEndian.Uint16(b[7:]), Bits: binary.BigEndian.Uint16(b[9:]),
		Type: string(b[12 : 12+n]), Data: b[overhead+n : overhead+n+size],
	}, true
}

// reader takes a packet's data apart; the first fault stays.
type reader struct {
	data []byte
	bad  bool
}

func (r *reader) uint32() uint32 {
	if len(r.data) < 4 {
		r.bad, r.data = true, nil
		return 0
	}
	v := binary.BigEndian.Uint32(r.data)
	r.data = r.data[4:]
	return v
}

// bytes reads a length and that many bytes.
func (r *reader) bytes() []byte {
	n := r.uint32()
	if uint64(n) > uint64(len(r.data)) {
		r.bad, r.data = true, nil
		return nil
	}
	b := r.data[:n]
	r.data = r.data[n:]
	return b
}

func appendBytes(b []byte, s []byte) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(len(s))), s...)
}

// A Registration is what a game server says of itself.
type Registration struct {
	Port uint16   // at which it takes players
	Name string   // of the file its players run, at most MaxName bytes
	Hash [32]byte // SHA-256 of that file
}

// AppendRegistration writes the data of REGISTER and HEARTBEAT behind b.
func AppendRegistration(b []byte, r Registration) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(r.Port))
	b = appendBytes(b, []byte(r.Name))
	return appendBytes(b, r.Hash[:])
}

var errData = errors.New("s64: malformed data")

// ParseRegistration reads the data of REGISTER and HEARTBEAT. Port 0, a port over
// 65,535, a name over MaxName bytes or a hash that is not of 32 is an error.
func ParseRegistration(data []byte) (Registration, error) {
	r := reader{data: data}
	port, name, hash := r.uint32(), r.bytes(), r.bytes()
	if r.bad || port == 0 || port > 65535 || len(name) > MaxName || len(hash) != 32 {
		return Registration{}, errData
	}
	return Registration{Port: uint16(port), Name: string(name), Hash: [32]byte(hash)}, nil
}

// An Entry is one server of a master's list.
type Entry struct {
	Addr         string // "ip:port", as text on the wire
	Name         string
	Hash         [32]byte // SHA-256 of the file that its players run
	Downloadable bool     // the master has the file
}

func appendEntry(b []byte, e Entry) []byte {
	b = appendBytes(b, []byte(e.Addr))
	b = appendBytes(b, []byte(e.Name))
	b = appendBytes(b, e.Hash[:])
	if e.Downloadable {
		return append(b, 1)
	}
	return append(b, 0)
}

func parseEntry(data []byte) (Entry, error) {
	r := reader{data: data}
	addr, name, hash := r.bytes(), r.bytes(), r.bytes()
	if r.bad || len(r.data) < 1 || len(hash) != 32 || len(addr) > maxID || len(name) > MaxDatagram {
		return Entry{}, errData
	}
	return Entry{Addr: string(addr), Name: string(name), Hash: [32]byte(hash), Downloadable: r.data[0] != 0}, nil
}

// A Presence is what a game server answers to DISCOVER.
type Presence struct {
	Name         string
	Players, Max uint32 // how many play, and how many may
}

// appendPresence echoes the request's whole data as the identifier.
func appendPresence(b, id []byte, p Presence) []byte {
	b = appendBytes(b, id)
	b = appendBytes(b, []byte(p.Name))
	b = binary.BigEndian.AppendUint32(b, p.Players)
	return binary.BigEndian.AppendUint32(b, p.Max)
}

func parsePresence(data []byte) (id []byte, p Presence, err error) {
	r := reader{data: data}
	id = r.bytes()
	p.Name = string(r.bytes())
	p.Players, p.Max = r.uint32(), r.uint32()
	if r.bad {
		return nil, Presence{}, errData
	}
	return id, p, nil
}

// AnswerDiscover gives the datagram that answers a DISCOVER request, for a
// game server that says so on its own socket; false: the datagram is no such
// request, or its identifier is too long to be echoed.
func AnswerDiscover(datagram []byte, p Presence) ([]byte, bool) {
	q, ok := Parse(datagram)
	if !ok || q.Type != DiscoverIt || len(q.Data) > maxID {
		return nil, false
	}
	b, err := Packet{Version: Version, Flags: Unreliable, Ack: q.Seq, Type: DiscoverIt, Data: appendPresence(nil, q.Data, p)}.Append(nil)
	return b, err == nil
}
