package netmsg

// plainKindOf gives a datagram's kind; false if it is not NMS1's at all.
func plainKindOf(b []byte) (kind byte, ok bool) {
	if len(b) < plainKindLen || string(b[:len(plainMagic)]) != plainMagic {
		return 0, false
	}
	return b[len(plainMagic)], true
}

// isPlain says whether b is an NMS1 datagram of this kind and size.
func isPlain(b []byte, kind byte, size int) bool {
	k, ok := plainKindOf(b)
	return ok && k == kind && len(b) == size
}

func appendPlainKind(b []byte, kind byte) []byte {
	return append(append(b, plainMagic...), kind)
}

// appendPlainShort writes an Accept, a Disconnect or a Denied: number is the
// session, or the client's salt.
func appendPlainShort(b []byte, kind byte, number uint64) []byte {
	return PutU64(appendPlainKind(b, kind), number)
}

func parsePlainShort(b []byte, kind byte) (number uint64, ok bool) {
	if !isPlain(b, kind, plainShortLen) {
		return 0, false
	}
	return U64(b[plainKindLen:]), true
}

func appendPlainRequest(b []byte, salt uint64) []byte {
	start := len(b)
	b = PutU64(appendPlainKind(b, plainRequest), salt)
	return appendPlainPadding(b, start)
}

func parsePlainRequest(b []byte) (salt uint64, ok bool) {
	if !isPlain(b, plainRequest, plainPaddedLen) {
		return 0, false
	}
	return U64(b[plainKindLen:]), true
}

func appendPlainChallenge(b []byte, salt, cookie uint64) []byte {
	return PutU64(PutU64(appendPlainKind(b, plainChallenge), salt), cookie)
}

func parsePlainChallenge(b []byte) (salt, cookie uint64, ok bool) {
	if !isPlain(b, plainChallenge, plainChallengeLen) {
		return 0, 0, false
	}
	return U64(b[plainKindLen:]), U64(b[plainKindLen+8:]), true
}

func appendPlainResponse(b []byte, salt, cookie uint64) []byte {
	start := len(b)
	b = PutU64(PutU64(appendPlainKind(b, plainResponse), salt), cookie)
	return appendPlainPadding(b, start)
}

func parsePlainResponse(b []byte) (salt, cookie uint64, ok bool) {
	if !isPlain(b, plainResponse, plainPaddedLen) {
		return 0, 0, false
	}
	return U64(b[plainKindLen:]), U64(b[plainKindLen+8:]), true
}

// appendPlainPadding fills with zeros to plainPaddedLen bytes from start, so
// that a server's answer is never larger than what asked for it.
func appendPlainPadding(b []byte, start int) []byte {
	return append(b, make([]byte, plainPaddedLen-(len(b)-start))...)
}

// A plainPacket is a Payload: its header, and its messages and values still as
// bytes. One that parsePlainPayload gave is well formed to its last byte.
type plainPacket struct {
	session  uint64
	seq      uint16
	ack      uint16
	bits     uint32
	messages int
	values   int
	items    PacketReader
}

// appendPlainHeader writes a Payload's header, with no messages and no values
// as yet; see setPlainCounts.
func appendPlainHeader(b []byte, session uint64, seq, ack uint16, bits uint32) []byte {
	b = PutU64(appendPlainKind(b, plainPayload), session)
	b = PutU32(PutU16(PutU16(b, seq), ack), bits)
	return append(b, 0, 0)
}

// setPlainCounts writes how many messages and values follow the header with
// which packet begins.
func setPlainCounts(packet []byte, messages, values int) {
	packet[plainHeaderLen-2], packet[plainHeaderLen-1] = byte(messages), byte(values)
}

func appendPlainMessage(b []byte, id uint16, data []byte) []byte {
	return append(PutU16(PutU16(b, id), uint16(len(data))), data...)
}

func appendPlainValue(b []byte, stream, number uint16, data []byte) []byte {
	return append(PutU16(PutU16(PutU16(b, stream), number), uint16(len(data))), data...)
}

// parsePlainPayload reads a Payload to its end. False: a reserved bit is set,
// something reaches past the end, or bytes are left over.
func parsePlainPayload(b []byte) (p plainPacket, ok bool) {
	if kind, is := plainKindOf(b); !is || kind != plainPayload {
		return p, false
	}
	r := NewPacketReader(b[plainKindLen:])
	p.session = r.U64()
	p.seq, p.ack, p.bits = r.U16(), r.U16(), r.U32()
	p.messages, p.values = int(r.U8()), int(r.U8())
	p.items = r
	for range p.messages {
		r.U16()
		if !skipPlainItem(&r) {
			return p, false
		}
	}
	for range p.values {
		r.U32()
		if !skipPlainItem(&r) {
			return p, false
		}
	}
	return p, r.End()
}

func skipPlainItem(r *PacketReader) bool {
	length := int(r.U16())
	r.Bytes(length)
	return length <= plainMaxItem && r.OK()
}

// nextPlainMessage reads a message of a packet that has been parsed.
func nextPlainMessage(r *PacketReader) (id uint16, data []byte) {
	id = r.U16()
	return id, r.Bytes(int(r.U16()))
}

// nextPlainValue reads a value of a packet that has been parsed.
func nextPlainValue(r *PacketReader) (stream, number uint16, data []byte) {
	stream, number = r.U16(), r.U16()
	return stream, number, r.Bytes(int(r.U16()))
}

// plainSession is the session of a connection: salt xor cookie.
func plainSession(salt, cookie uint64) uint64 { return salt ^ cookie }
