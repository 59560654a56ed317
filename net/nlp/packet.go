package nlp

import (
	"encoding/binary"
	"fmt"
)

// Sizes on the wire, in bytes.
const (
	HeaderSize  = 18
	MaxDatagram = 4096                     // the buffer of the programs in use
	MaxData     = MaxDatagram - HeaderSize // of one packet
)

// Version is what is written; a receiver takes anything up to it.
const Version = 1

// Flags of a packet. Unknown ones are ignored.
type Flags uint8

const (
	Unreliable  Flags = 1 << iota // never acknowledged, never sent again
	ExplicitAck                   // an acknowledgement is wanted at once
)

// A Packet is one datagram, as the package comment has it. Data is borrowed from
// the datagram it was read from.
type Packet struct {
	Version    uint8
	Type       uint8 // 1 to 255; 0: a heartbeat or an acknowledgement
	Flags      Flags
	Seq        uint16
	Ack        uint16 // the highest number received
	Bits       uint16 // bit n: Ack-1-n was received too
	Recipients uint32 // bit n-1: client n; 0: the server
	Data       []byte // at most MaxData bytes
}

var magic = [3]byte{'N', 'L', 'P'}

// Append writes p behind b. Data over MaxData bytes is an error.
func (p Packet) Append(b []byte) ([]byte, error) {
	if len(p.Data) > MaxData {
		return b, fmt.Errorf("nlp: %d bytes of data, at most %d", len(p.Data), MaxData)
	}
	b = append(b, magic[:]...)
	b = append(b, p.Version, p.Type, byte(p.Flags))
	b = binary.BigEndian.AppendUint16(b, p.Seq)
	b = binary.BigEndian.AppendUint16(b, p.Ack)
	b = binary.BigEndian.AppendUint16(b, p.Bits)
	b = binary.BigEndian.AppendUint32(b, p.Recipients)
	b = binary.BigEndian.AppendUint16(b, uint16(len(p.Data)))
	return append(b, p.Data...), nil
}

// Parse reads a datagram. False: it is short, has another magic or a newer
// version, or its data would run past the end.
func Parse(b []byte) (p Packet, ok bool) {
	if len(b) < HeaderSize || [3]byte(b) != magic || b[3] > Version {
		return Packet{}, false
	}
	n := int(binary.BigEndian.Uint16(b[16:]))
	if n > len(b)-HeaderSize {
		return Packet{}, false
	}
	return Packet{
		Version:    b[3],
		Type:       b[4],
		Flags:      Flags(b[5]),
		Seq:        binary.BigEndian.Uint16(b[6:]),
		Ack:        binary.BigEndian.Uint16(b[8:]),
		Bits:       binary.BigEndian.Uint16(b[10:]),
		Recipients: binary.BigEndian.Uint32(b[12:]),
		Data:       b[HeaderSize : HeaderSize+n],
	}, true
}
