package s64

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestServerRegistersAndIsListed(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(server1, v["register.request"])
	m.wantVectors("register.ack")
	m.said(browser, v["list.request"])
	m.wantVectors("list.server", "list.done")
}

func TestServerIsListedUnderItsSourceAddressAndThePortItNames(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(netip.MustParseAddrPort("203.0.113.9:40000"), v["register.request"])
	m.sent()
	m.said(browser, v["list.request"])
	p, _ := Parse(m.sent()[0])
	if e, _ := parseEntry(p.Data); e.Addr != "203.0.113.9:6461" {
		t.Fatalf("listed as %q", e.Addr)
	}
}

func TestHeartbeatOfAnUnknownServerIsAskedToRegister(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(server1, v["heartbeat.empty"])
	m.wantVectors("heartbeat.reply1", "heartbeat.reply2")
}

func TestHeartbeatKeepsAServerAndTenMinutesWithoutForgetIt(t *testing.T) {
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

func TestFaultyDatagramsGetTheDocumentedAnswers(t *testing.T) {
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

func TestDownloadIsAnsweredWithSizeAndChunkOrNothing(t *testing.T) {
	m, v := newTestMaster(t), vectors(t)
	m.said(browser, v["download.request"])
	m.wantVectors("download.missing")
	q, _ := Packet{Version: 1, Flags: Unreliable, Type: DownloadIt, Data: fakeHash[:]}.Append(nil)
	m.said(browser, q)
	m.wantVectors("download.reply")
	if hash, ok := m.Fetch(m.now, browser.Addr()); !ok || hash != fakeHash {
		t.Fatalf("to be fetched: %x, %v", hash, ok)
	}
	if _, ok := m.Fetch(m.now, browser.Addr()); ok {
		t.Fatal("fetched twice")
	}
}

func TestFileThatNobodyFetchesIsForgottenAfterHalfAMinute(t *testing.T) {
	m := newTestMaster(t)
	q, _ := Packet{Version: 1, Flags: Unreliable, Type: DownloadIt, Data: fakeHash[:]}.Append(nil)
	m.said(browser, q)
	m.now = 31 * time.Second
	if _, ok := m.Fetch(m.now, browser.Addr()); ok {
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
		reg := Registration{Port: 1, Name: fmt.Sprintf("%0255d", i), Hash: fakeHash}
		b, _ := Packet{Version: 1, Flags: ExplicitAck, Type: Register, Data: AppendRegistration(nil, reg)}.Append(nil)
		m.said(netip.AddrPortFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 65535), b)
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

func TestRegistrarRegistersBeatsAndRegistersAgainWhenAsked(t *testing.T) {
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

func TestRegistrarTriesAgainAMinuteAfterFiveUnansweredSends(t *testing.T) {
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
