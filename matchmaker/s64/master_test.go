package s64

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestRowZ18ServerRegistersAndIsListed(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(server1, v["register.request"])
	m.wantVectors("register.ack")
	m.said(browser, v["list.request"])
	m.wantVectors("list.server", "list.done")
}

func TestRowZ15ServerIsListedUnderItsSourceAddressAndThePortItNames(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(netip.MustParseAddrPort("203.0.113.9:40000"), v["register.request"])
	m.sent()
	m.said(browser, v["list.request"])
	p, _ := Parse(m.sent()[0])
	if e, _ := parseEntry(p.Data); e.Addr != "203.0.113.9:6461" {
		t.Fatalf("listed as %q", e.Addr)
	}
}

func TestRowZ16HeartbeatOfAnUnknownServerIsAskedToRegister(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(server1, v["heartbeat.empty"])
	m.wantVectors("heartbeat.reply1", "heartbeat.reply2")
}

func TestRowZ16HeartbeatKeepsAServerAndTenMinutesWithoutForgetIt(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(server1, v["register.request"])
	m.sent()
	m.now = 599 * time.Second
	m.said(server1, v["heartbeat.full"])
	m.wantVectors("heartbeat.full.ack")
	m.now += 598 * time.Second
	m.said(browser, v["list.request"])
	m.wantVectors("list.server", "list.done")
	m.now += 3 * time.Second
	m.said(browser, v["list.request"])
	m.wantVectors("list.done")
}

func TestRowsZ3Z4Z14FaultyDatagramsGetTheDocumentedAnswers(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for _, name := range []string{"bad.version2", "bad.truncated", "bad.magic"} {
		m.said(server1, v[name])
		m.wantVectors()
	}
	m.said(server1, nil)
	m.wantVectors()
	for range 2 {
		m.said(server1, v["bad.unknowntype"])
		m.wantVectors("bad.unknowntype.reply")
	}
	m.said(server1, v["bad.shortregister"])
	m.wantVectors("bad.shortregister.rep")
	if m.Len() != 0 {
		t.Fatalf("%d servers", m.Len())
	}
	m.said(browser, append(v["list.request"], 9, 9))
	m.wantVectors("list.done")
}

func TestRowZ21DownloadIsAnsweredWithSizeAndChunkOrNothing(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(browser, v["download.request"])
	m.wantVectors("download.missing")
	q, _ := Packet{Version: 1, Flags: Unreliable, Type: DownloadIt, Data: fakeHash[:]}.Append(nil)
	m.said(browser, q)
	m.wantVectors("download.reply")
	if hash, ok := m.Fetch(m.now, browser); !ok || hash != fakeHash {
		t.Fatalf("to be fetched: %x, %v", hash, ok)
	}
	if _, ok := m.Fetch(m.now, browser); ok {
		t.Fatal("fetched twice")
	}
}

func TestRowZ22FileThatNobodyFetchesIsForgottenAfterHalfAMinute(t *testing.T) {
	m := newTestMaster(t)
	q, _ := Packet{Version: 1, Flags: Unreliable, Type: DownloadIt, Data: fakeHash[:]}.Append(nil)
	m.said(browser, q)
	m.now = 31 * time.Second
	if _, ok := m.Fetch(m.now, browser); ok {
		t.Fatal("still to be fetched after 31 s")
	}
}

func TestOneAddressRegistersAtMost32Servers(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for port := range uint16(100) {
		m.said(netip.AddrPortFrom(server1.Addr(), 1000+port), v["register.request"])
	}
	if m.Len() != 32 || m.Refused != 68 {
		t.Fatalf("%d servers, %d refused", m.Len(), m.Refused)
	}
	m.said(netip.MustParseAddrPort("127.0.0.2:1"), v["register.request"])
	if m.Len() != 33 {
		t.Fatal("another address was refused")
	}
}

// A list is an amplifier by nature: its packets are paced, an address has one at
// a time and ten before it waits a second for each, and no packet is over 20
// times the question.
func TestListsArePacedBoundedAndNoPacketIsOver20TimesTheQuestion(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for i := range 100 {
		reg := Registration{Port: 65535, Name: fmt.Sprintf("%0240d", i), Hash: fakeHash}
		b, _ := Packet{Version: 1, Flags: ExplicitAck, Type: Register, Data: AppendRegistration(nil, reg)}.Append(nil)
		long := [16]byte{0x20, 1, 0x0d, 0xb8, 0xff, 0xff, 0xff, byte(i), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
		m.said(netip.AddrPortFrom(netip.AddrFrom16(long), 65535), b)
	}
	m.sent()
	m.now += time.Second
	began := m.now
	for range 1000 {
		m.said(browser, v["list.request"])
	}

	got := m.sent()

	if len(got) != 101 || m.Refused != 999 {
		t.Fatalf("%d packets for 1,000 questions, %d refused", len(got), m.Refused)
	}
	if took := m.now - began; took < 99*listPace {
		t.Fatalf("100 servers in %v, want one each %v", took, listPace)
	}
	for _, b := range got {
		if len(b) > 20*len(v["list.request"]) {
			t.Fatalf("an answer of %d bytes to a question of %d", len(b), len(v["list.request"]))
		}
	}
}

// Ports do not multiply what an address gets: somebody may have written it on
// datagrams of his own.
func TestListsOfOneAddressShareItsPace(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for i := range byte(100) {
		m.said(netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, i}), 1), v["register.request"])
	}
	m.sent()
	began := m.now
	for port := range uint16(10) {
		m.said(netip.AddrPortFrom(browser.Addr(), 50000+port), v["list.request"])
	}

	got := m.sent()

	if took := m.now - began; len(got) != 1010 || took < 999*listPace {
		t.Fatalf("%d packets for ten lists of 100 in %v, want one each %v", len(got), took, listPace)
	}
}

func TestNetworkOfIPv6AddressesIsOneSource(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for i := range byte(100) {
		a := netip.AddrFrom16([16]byte{0x20, 1, 0x0d, 0xb8, 15: i})
		m.said(netip.AddrPortFrom(a, 1000), v["register.request"])
	}
	if m.Len() != 32 || m.Refused != 68 {
		t.Fatalf("%d servers, %d refused", m.Len(), m.Refused)
	}
}

func TestRowZ22FileIsOfWhoeverAskedFromThatPort(t *testing.T) {
	m := newTestMaster(t)
	m.files = anyFile{}
	ask := func(port uint16, hash byte) netip.AddrPort {
		q, _ := Packet{Version: 1, Flags: Unreliable, Type: DownloadIt, Data: append(make([]byte, 31), hash)}.Append(nil)
		from := netip.AddrPortFrom(browser.Addr(), port)
		m.said(from, q)
		return from
	}
	first, second, third := ask(1, 1), ask(2, 2), ask(3, 3)
	for _, c := range []struct {
		from netip.AddrPort
		want byte
	}{{second, 2}, {netip.AddrPortFrom(browser.Addr(), 9), 1}, {third, 3}} {
		if hash, ok := m.Fetch(m.now, c.from); !ok || hash[31] != c.want {
			t.Errorf("%v fetches %d, %v, want %d", c.from, hash[31], ok, c.want)
		}
	}
	if _, ok := m.Fetch(m.now, first); ok {
		t.Error("fetched a fourth")
	}
}

func TestOneAddressFetchesAtMost16FilesAtOnce(t *testing.T) {
	m := newTestMaster(t)
	m.files = anyFile{}
	given := 0
	request := func(i byte) {
		q, _ := Packet{Version: 1, Flags: Unreliable, Type: DownloadIt, Data: append(make([]byte, 31), i)}.Append(nil)
		m.said(browser, q)
		if _, ok := m.Fetch(m.now, browser); ok {
			given++
		}
	}
	for i := range byte(20) {
		request(i)
	}
	if given != maxPerFetch {
		t.Fatalf("%d files on their way, want %d", given, maxPerFetch)
	}
	m.Fetched(browser)
	request(30)
	if given != maxPerFetch+1 {
		t.Fatal("none when another had ended")
	}
}

func TestRowZ13MasterSaysEverythingUnreliably(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for _, q := range []string{"heartbeat.empty", "register.request", "heartbeat.full", "list.request", "download.request"} {
		m.said(server1, v[q])
		for _, b := range m.sent() {
			if b[4] != byte(Unreliable) {
				t.Errorf("%s is answered %x", q, b)
			}
		}
	}
	r := NewRegistrar(Registration{Port: 1, Name: "x"}, 0)
	var buf [MaxDatagram]byte
	for range 2 {
		if n := r.Transmit(r.Deadline(), buf[:]); n == 0 || buf[4] != byte(ExplicitAck) {
			t.Errorf("a server says %x", buf[:n])
		}
		r.Receive(0, v["heartbeat.full.ack"]) // acknowledges number 1
	}
}

func TestRegistrarIsAskedToRegisterAgainOnceASecondAtMost(t *testing.T) {
	v := vectors(t)
	r := NewRegistrar(Registration{Port: 1, Name: "x"}, 0)
	var buf [MaxDatagram]byte
	sends := 0
	for now := time.Duration(0); now < 10*time.Second; now += time.Millisecond {
		if r.Transmit(now, buf[:]) > 0 {
			sends++
			p, _ := Parse(buf[:])
			ack, _ := Packet{Version: 1, Type: Ack, Ack: p.Seq}.Append(nil)
			r.Receive(now, ack)
		}
		r.Receive(now, v["heartbeat.reply2"])
	}
	if sends < 10 || sends > 12 {
		t.Fatalf("%d datagrams in 10 s", sends)
	}
}

func TestAddressThatAsksForListsAllTheTimeHasOneASecond(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	answers := 0
	for ; m.now < 20*time.Second; m.now += 10 * time.Millisecond {
		m.said(browser, v["list.request"])
		answers += len(m.sent())
	}
	if answers < 28 || answers > 31 {
		t.Fatalf("%d lists in 20 s, want 10 and one a second", answers)
	}
}

func TestMemoryStaysFlatUnderForgedSources(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	for i := range 100_000 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{byte(i >> 16), byte(i >> 8), byte(i), 1}), 1)
		m.said(from, v["list.request"])
		m.said(from, v["register.request"])
		m.said(from, v["download.request"])
	}
	if m.Len() > maxServers || len(m.lists) > maxLists || len(m.pickUps) > maxPickUps || len(m.out) > maxServers || len(m.sources) > 2*100_000 {
		t.Fatalf("%d servers, %d lists, %d files waited for, %d answers, %d sources", m.Len(), len(m.lists), len(m.pickUps), len(m.out), len(m.sources))
	}
	m.now = time.Hour
	m.sent()
	m.sweep(m.now + time.Hour)
	if m.Len() != 0 || len(m.sources) != 0 {
		t.Fatalf("an hour later: %d servers, %d sources", m.Len(), len(m.sources))
	}
}

func TestRowZ17RegistrarRegistersBeatsAndRegistersAgainWhenAsked(t *testing.T) {
	v := vectors(t)
	r := NewRegistrar(Registration{Port: 6461, Name: "Fake.n64", Hash: fakeHash}, 0)
	var buf [MaxDatagram]byte
	next := func(now time.Duration) Packet {
		p, _ := Parse(buf[:r.Transmit(now, buf[:])])
		return p
	}

	first := next(0)
	if first.Type != Register || first.Flags != ExplicitAck || first.Seq == 0 {
		t.Fatalf("began with %+v", first)
	}
	if p := next(999 * time.Millisecond); p.Type != "" {
		t.Fatalf("again before a second: %+v", p)
	}
	if p := next(time.Second); p.Type != Register || p.Seq != first.Seq {
		t.Fatalf("unanswered: %+v", p)
	}
	ack, _ := Packet{Version: 1, Flags: Unreliable, Ack: first.Seq, Type: Ack}.Append(nil)
	r.Receive(2*time.Second, v["register.ack"]) // acknowledges number 0, which was never sent
	if r.Registered {
		t.Fatal("took the acknowledgement of number 0")
	}
	r.Receive(2*time.Second, ack)
	if !r.Registered || r.Deadline() != 182*time.Second {
		t.Fatalf("registered %v, next at %v", r.Registered, r.Deadline())
	}
	if p := next(182 * time.Second); p.Type != Heartbeat || len(p.Data) == 0 {
		t.Fatalf("after three minutes: %+v", p)
	}
	r.Receive(183*time.Second, v["heartbeat.reply2"])
	if p := next(183 * time.Second); p.Type != Register {
		t.Fatalf("asked to register: %+v", p)
	}
}

func TestRowZ17RegistrarTriesAgainAMinuteAfterFiveUnansweredSends(t *testing.T) {
	r := NewRegistrar(Registration{Port: 1, Name: "x"}, 0)
	var buf [MaxDatagram]byte
	sends := 0
	for now := time.Duration(0); now < 60*time.Second; now += 100 * time.Millisecond {
		if r.Transmit(now, buf[:]) > 0 {
			sends++
		}
	}
	if sends != 5 || r.Deadline() != 65*time.Second {
		t.Fatalf("%d sends, next at %v", sends, r.Deadline())
	}
}

func FuzzMaster(f *testing.F) {
	for _, b := range vectors(f) {
		f.Add(append([]byte{byte(len(b))}, b...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m := newTestMaster(t)
		for len(data) > 0 {
			n := min(int(data[0]), len(data)-1)
			m.said(netip.AddrPortFrom(server1.Addr(), uint16(n)), data[1:1+n])
			m.now += time.Duration(data[0]) * time.Second
			m.sent()
			data = data[1+n:]
		}
	})
}
