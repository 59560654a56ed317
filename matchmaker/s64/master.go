package s64

import (
	"encoding/binary"
	"math"
	"net/netip"
	"slices"
	"time"
)

// Times and limits of a Master.
const (
	ServerLife   = 600 * time.Second // without a word from a server
	listPace     = 5 * time.Millisecond
	listEvery    = time.Second // of one address, after
	listBurst    = 10          // at once
	pickUp       = 30 * time.Second
	maxServers   = 10_000
	maxSources   = 65_536 // of which something is remembered
	maxPerSource = 32     // servers of one source
	maxLists     = 256    // being sent at once
	maxPickUps   = 256    // files that wait to be fetched
	maxPerFetch  = 16     // files of one source, waiting or on their way
)

// Files says which files a Master can give. The edge fills it.
type Files interface {
	// Size is the length in bytes of the file with this SHA-256, false when it is
	// not to be had.
	Size(hash [32]byte) (int64, bool)
}

// A Master is a master server's table: plain data. Its verbs are Receive,
// Transmit, Deadline and, for the file transfers, Fetch and Fetched.
//
// Anybody may write any source address on a datagram, so everything has a limit.
// It knows 10,000 servers, 32 of one source (an IPv4 address, or the 64 bits of an
// IPv6 network). A source may list ten times at once and then once a second, and
// its lists go a server at a time, 5 ms apart. Files wait 30 s to be fetched, 16 of
// one source.
type Master struct {
	files   Files
	servers map[netip.AddrPort]*server
	sources map[netip.Prefix]*source
	order   []*server // in the order of their registering
	out     []reply
	lists   []*listing
	pickUps []pick
	swept   time.Duration

	Ignored uint64 // datagrams that made no sense
	Refused uint64 // registrations and requests over a limit
}

type server struct {
	from  netip.AddrPort // where it speaks from
	entry Entry
	heard time.Duration
	gone  bool
}

type source struct {
	servers int
	fetches int
	lists   time.Duration // when all that it may list at once is free again
	paced   time.Duration // when the next packet of its lists goes
}

type reply struct {
	to   netip.AddrPort
	data []byte
}

// listing is a list on its way to a browser, one server a packet. While it is,
// its source is remembered.
type listing struct {
	to   netip.AddrPort
	rest []*server
}

// pick is a file that a browser asked for and has not come for.
type pick struct {
	from  netip.AddrPort
	hash  [32]byte
	until time.Duration
}

// NewMaster makes an empty one. files may be nil: none.
func NewMaster(files Files) *Master {
	return &Master{files: files, servers: make(map[netip.AddrPort]*server), sources: make(map[netip.Prefix]*source)}
}

// Receive acts on one datagram. False: it is no packet of this kind.
func (m *Master) Receive(now time.Duration, from netip.AddrPort, datagram []byte) bool {
	m.sweep(now)
	p, ok := Parse(datagram)
	if !ok {
		m.Ignored++
		return false
	}
	if p.Flags&ExplicitAck != 0 {
		m.say(from, p.Seq, Ack, nil)
	}
	switch p.Type {
	case Register:
		m.register(now, from, p)
	case Heartbeat:
		m.heartbeat(now, from, p)
	case ListAll:
		m.list(now, from)
	case DownloadIt:
		m.download(now, from, p)
	}
	return true
}

// say queues an answer. A master numbers nothing: all that it says is
// unreliable, with the asker's number as the ack.
func (m *Master) say(to netip.AddrPort, ack uint16, kind string, data []byte) {
	b, err := Packet{Version: Version, Flags: Unreliable, Ack: ack, Type: kind, Data: data}.Append(nil)
	if err == nil && len(m.out) < maxServers {
		m.out = append(m.out, reply{to: to, data: b})
	}
}

// source gives what is remembered of an address; nil when it is new and there
// are too many.
func (m *Master) source(a netip.Addr) *source {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	key, _ := a.Prefix(bits)
	s := m.sources[key]
	if s == nil && len(m.sources) < maxSources {
		s = &source{}
		m.sources[key] = s
	}
	return s
}

func (m *Master) register(now time.Duration, from netip.AddrPort, p Packet) {
	r, err := ParseRegistration(p.Data)
	if err != nil {
		m.Ignored++
		return
	}
	s := m.servers[from]
	if s == nil {
		src := m.source(from.Addr())
		if src == nil || len(m.servers) >= maxServers || src.servers >= maxPerSource {
			m.Refused++
			return
		}
		src.servers++
		s = &server{from: from}
		m.servers[from] = s
		m.order = append(m.order, s)
	}
	s.heard = now
	s.entry = Entry{Addr: netip.AddrPortFrom(from.Addr(), r.Port).String(), Name: r.Name, Hash: r.Hash}
}

// heartbeat keeps a server; one that is not known is asked to register.
func (m *Master) heartbeat(now time.Duration, from netip.AddrPort, p Packet) {
	if s := m.servers[from]; s != nil {
		s.heard = now
		return
	}
	m.say(from, p.Seq, Register, nil)
}

func (m *Master) list(now time.Duration, to netip.AddrPort) {
	src := m.source(to.Addr())
	busy := slices.ContainsFunc(m.lists, func(l *listing) bool { return l.to == to })
	if src == nil || busy || len(m.lists) >= maxLists || src.lists > now+(listBurst-1)*listEvery {
		m.Refused++
		return
	}
	src.lists = max(src.lists, now) + listEvery
	m.lists = append(m.lists, &listing{to: to, rest: slices.Clone(m.order)})
}

func (m *Master) download(now time.Duration, from netip.AddrPort, p Packet) {
	var data []byte
	if size, ok := m.size(p.Data); ok && m.await(now, from, [32]byte(p.Data)) {
		data = binary.BigEndian.AppendUint32(nil, uint32(size))
		data = binary.BigEndian.AppendUint32(data, chunk)
	}
	m.say(from, 0, DownloadIt, data)
}

func (m *Master) size(hash []byte) (int64, bool) {
	if m.files == nil || len(hash) != 32 {
		return 0, false
	}
	size, ok := m.files.Size([32]byte(hash))
	return size, ok && size <= math.MaxUint32
}

// await remembers that from will come for a file. A repeated request is the
// same one.
func (m *Master) await(now time.Duration, from netip.AddrPort, hash [32]byte) bool {
	for i, p := range m.pickUps {
		if p.from == from && p.hash == hash {
			m.pickUps[i].until = now + pickUp
			return true
		}
	}
	src := m.source(from.Addr())
	if src == nil || len(m.pickUps) >= maxPickUps || src.fetches >= maxPerFetch {
		m.Refused++
		return false
	}
	src.fetches++
	m.pickUps = append(m.pickUps, pick{from: from, hash: hash, until: now + pickUp})
	return true
}

// Fetch tells which file the TCP connection of from is for: the one that the
// same port asked for by UDP, else the first that the address asked for and has
// not fetched, for the protocol does not say which. False: none. After true,
// call Fetched when the connection has ended.
func (m *Master) Fetch(now time.Duration, from netip.AddrPort) (hash [32]byte, ok bool) {
	m.sweep(now)
	i := slices.IndexFunc(m.pickUps, func(p pick) bool { return p.from == from })
	if i < 0 {
		i = slices.IndexFunc(m.pickUps, func(p pick) bool { return p.from.Addr() == from.Addr() })
	}
	if i < 0 {
		return hash, false
	}
	hash = m.pickUps[i].hash
	m.pickUps = slices.Delete(m.pickUps, i, i+1)
	return hash, true
}

// Fetched says that a connection to which Fetch gave a file has ended.
func (m *Master) Fetched(from netip.AddrPort) { m.source(from.Addr()).fetches-- }

// Transmit writes the next datagram that is due and says for whom; 0 when there
// is none. buf holds at least MaxDatagram bytes.
func (m *Master) Transmit(now time.Duration, buf []byte) (n int, to netip.AddrPort) {
	m.sweep(now)
	if len(m.out) == 0 {
		m.listNext(now)
	}
	if len(m.out) == 0 {
		return 0, netip.AddrPort{}
	}
	r := m.out[0]
	if m.out = m.out[1:]; len(m.out) == 0 {
		m.out = nil
	}
	return copy(buf, r.data), r.to
}

// listNext puts the next packet of the list that is due.
func (m *Master) listNext(now time.Duration) {
	for i, l := range m.lists {
		src := m.source(l.to.Addr())
		if now < src.paced {
			continue
		}
		for len(l.rest) > 0 && l.rest[0].gone {
			l.rest = l.rest[1:]
		}
		if len(l.rest) == 0 {
			m.lists = slices.Delete(m.lists, i, i+1)
			m.say(l.to, 0, DoneListing, nil)
			return
		}
		e := l.rest[0].entry
		l.rest, src.paced = l.rest[1:], now+listPace
		_, e.Downloadable = m.size(e.Hash[:])
		m.say(l.to, 0, ServerIs, appendEntry(nil, e))
		return
	}
}

// Deadline is when Transmit has something to do; math.MaxInt64 if only a
// datagram can bring that about.
func (m *Master) Deadline() time.Duration {
	if len(m.out) > 0 {
		return 0
	}
	at := time.Duration(math.MaxInt64)
	for _, l := range m.lists {
		at = min(at, m.source(l.to.Addr()).paced)
	}
	return at
}

// Len is how many servers are known.
func (m *Master) Len() int { return len(m.servers) }

// sweep forgets what has outlived its time, at most once a second.
func (m *Master) sweep(now time.Duration) {
	if now < m.swept {
		return
	}
	m.swept = now + time.Second
	m.order = slices.DeleteFunc(m.order, func(s *server) bool {
		if now-s.heard < ServerLife {
			return false
		}
		s.gone = true
		delete(m.servers, s.from)
		m.source(s.from.Addr()).servers--
		return true
	})
	m.pickUps = slices.DeleteFunc(m.pickUps, func(p pick) bool {
		if now < p.until {
			return false
		}
		m.source(p.from.Addr()).fetches--
		return true
	})
	listed := make(map[*source]bool)
	for _, l := range m.lists {
		listed[m.source(l.to.Addr())] = true
	}
	for a, s := range m.sources {
		if s.servers == 0 && s.fetches == 0 && now >= s.lists && !listed[s] {
			delete(m.sources, a)
		}
	}
}
