package raw

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	batch       = 64         // datagrams a call
	datagramMax = 2048       // bytes of a slot without segments
	slotMax     = 64 << 10   // with them
	segmentsMax = 64         // of a slot
	segmentRoom = 65507 - 28 // bytes of a slot's segments, at most
	controlSize = 24         // one control message with four bytes
)

// An address is that of an IPv4 socket, as the kernel has it; zero: a connected
// socket's peer.
type address struct {
	family uint16
	port   [2]byte
	addr   [4]byte
	_      [8]byte
}

// A message is the kernel's struct mmsghdr.
type message struct {
	head unix.Msghdr
	size uint32
}

// slots are what a call reads into or sends from.
type slots struct {
	heads    [batch]message
	pieces   [batch]unix.Iovec
	names    [batch]address
	controls [batch][controlSize]byte
	bytes    [batch][]byte
}

func (s *slots) prepare(size int) {
	for i := range s.heads {
		s.bytes[i] = make([]byte, size)
		s.pieces[i].Base = &s.bytes[i][0]
		h := &s.heads[i].head
		h.Iov = &s.pieces[i]
		h.SetIovlen(1)
	}
}

// A reader reads batches.
type reader struct {
	slots
	segments bool
}

func newReader(segments bool) *reader {
	r := &reader{segments: segments}
	r.prepare(slotSize(segments))
	return r
}

func slotSize(segments bool) int {
	if segments {
		return slotMax
	}
	return datagramMax
}

// read gives take what is there, up to a batch. It returns whether there may be
// more. An empty datagram is not given.
func (r *reader) read(fd int, take func(from address, datagram []byte)) (more bool) {
	for i := range r.heads {
		h := &r.heads[i].head
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(&r.names[i])), uint32(unsafe.Sizeof(r.names[i]))
		if r.segments {
			h.Control = &r.controls[i][0]
			h.SetControllen(controlSize)
		}
		r.pieces[i].SetLen(len(r.bytes[i]))
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.heads)), batch, unix.MSG_DONTWAIT, 0, 0)
	if errno != 0 {
		return false
	}
	for i := range int(n) {
		rest := r.bytes[i][:r.heads[i].size]
		each := r.segment(i, len(rest))
		for len(rest) > 0 {
			k := min(each, len(rest))
			take(r.names[i], rest[:k])
			rest = rest[k:]
		}
	}
	return n == batch
}

// segment says how large the datagrams are that the kernel has put together in
// slot i.
func (r *reader) segment(i, all int) int {
	if !r.segments || r.heads[i].head.Controllen < unix.SizeofCmsghdr+4 {
		return all
	}
	return int(binary.NativeEndian.Uint32(r.controls[i][unix.SizeofCmsghdr:]))
}

// A writer gathers datagrams and sends them in batches; with segments,
// datagrams of one size to one address share a slot.
type writer struct {
	slots
	segments bool
	used     int
	sizes    [batch]int // of a slot's first datagram
	counts   [batch]int
	full     bool // the newest slot takes no more
}

func newWriter(segments bool) *writer {
	w := &writer{segments: segments}
	w.prepare(slotSize(segments))
	return w
}

// put adds a datagram. False: there is no room before the next send.
func (w *writer) put(datagram []byte, to address) bool {
	if w.joins(datagram, to) {
		i := w.used - 1
		at := int(w.pieces[i].Len)
		copy(w.bytes[i][at:], datagram)
		w.pieces[i].SetLen(at + len(datagram))
		w.counts[i]++
		w.full = len(datagram) < w.sizes[i]
		return true
	}
	if w.used == batch {
		return false
	}
	i := w.used
	w.used++
	copy(w.bytes[i], datagram)
	w.pieces[i].SetLen(len(datagram))
	w.names[i], w.sizes[i], w.counts[i], w.full = to, len(datagram), 1, false
	return true
}

// joins says whether a datagram can go in the newest slot: only the last of its
// segments may be shorter.
func (w *writer) joins(datagram []byte, to address) bool {
	i := w.used - 1
	return w.segments && i >= 0 && !w.full && w.names[i] == to && len(datagram) <= w.sizes[i] &&
		w.counts[i] < segmentsMax && int(w.pieces[i].Len)+len(datagram) <= segmentRoom
}

// send sends what was put. What the system does not take is tried until it
// does, or refuses.
func (w *writer) send(fd int) {
	for i := range w.used {
		w.finish(i)
	}
	for sent := 0; sent < w.used; {
		n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&w.heads[sent])), uintptr(w.used-sent), unix.MSG_DONTWAIT, 0, 0)
		switch errno {
		case 0:
			sent += int(n)
		case unix.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 10)
		default:
			sent++
		}
	}
	w.used = 0
}

// finish writes what the kernel has to know of slot i.
func (w *writer) finish(i int) {
	h := &w.heads[i].head
	h.Name, h.Namelen = nil, 0
	if w.names[i] != (address{}) {
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(&w.names[i])), uint32(unsafe.Sizeof(w.names[i]))
	}
	h.Control = nil
	h.SetControllen(0)
	if w.counts[i] == 1 {
		return
	}
	c := (*unix.Cmsghdr)(unsafe.Pointer(&w.controls[i]))
	c.Level, c.Type = unix.SOL_UDP, unix.UDP_SEGMENT
	c.SetLen(unix.SizeofCmsghdr + 2)
	binary.NativeEndian.PutUint16(w.controls[i][unix.SizeofCmsghdr:], uint16(w.sizes[i]))
	h.Control = &w.controls[i][0]
	h.SetControllen(controlSize)
}
