package world

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/partyline-go/partyline/codes"
	"github.com/partyline-go/partyline/party"
)

// A play is a world with a service, and players in it that are drawn frame by
// frame, until something is wrong.
type play struct {
	*World
	service *Service

	t       *testing.T
	again   string        // the line that replays it
	frame   time.Duration // of every player
	players []*player
	sites   int
	script  strings.Builder // what was picked, for whoever reads a failure
}

// A player is a party and a game that counts: it says one number after the
// other, and checks the numbers of the others.
type player struct {
	*party.Party
	play   *play
	name   string
	at     *Host
	socket *Socket
	facts  []party.Fact
	since  time.Duration // when it asked to join
	joined time.Duration // when it had, since then
	paths  []party.Path  // to its host, each once it changed

	every  time.Duration // says a number to all so often; 0: never
	spoke  time.Duration
	number uint32
	heard  map[source]uint32    // the last number of each
	voices map[voice]uint32     // and over one connection
	hosts  map[uint32]party.PID // as a guest: whose messages it heard as host, by epoch
}

// A source is who said something, under which host.
type source struct {
	token uint32
	pid   party.PID
}

var tell = flag.Bool("tell", false, "print what every party logs, with the world's time")

// A teller prints a player's log.
type teller struct{ *player }

func (t teller) Enabled(context.Context, slog.Level) bool { return true }
func (t teller) WithAttrs([]slog.Attr) slog.Handler       { return t }
func (t teller) WithGroup(string) slog.Handler            { return t }
func (t teller) Handle(_ context.Context, r slog.Record) error {
	line := fmt.Sprintf("%10v %s: %s", t.play.Now().Round(time.Millisecond), t.name, r.Message)
	r.Attrs(func(a slog.Attr) bool { line += " " + a.String(); return true })
	fmt.Println(line)
	return nil
}

// A voice is one who is heard over one connection: a member that loses its host
// and comes back has missed what was said meanwhile.
type voice struct {
	from *party.Peer
	by   party.PID
}

func newPlay(t *testing.T, seed uint64) *play {
	w := New(seed)
	return &play{
		World: w, service: w.NewService("198.51.100.1"),
		t: t, frame: time.Second / 60,
		again: fmt.Sprintf("go test ./tests/world -run '^%s$'", strings.ReplaceAll(t.Name(), "/", "$/^")),
	}
}

// failf ends the run, and says how to see it again.
func (p *play) failf(format string, args ...any) {
	p.t.Helper()
	for _, one := range p.players {
		p.t.Log(one.story())
	}
	p.t.Fatalf("%v after the start: %s\nit was %s\nagain: %s", p.Now(), fmt.Sprintf(format, args...), p.script.String(), p.again)
}

// story is all that is known of a player.
func (m *player) story() string {
	if m.at.dead {
		return m.name + " is dead"
	}
	s := fmt.Sprintf("%s at %v (%v) is %v, pid %d, token %d, epoch %d, room %s", m.name, m.at.Addr(), m.at.Outside(), m.State(), m.MyPID(), m.Token(), m.epoch(), m.Room())
	for peer := range m.Peers() {
		s += fmt.Sprintf("; pid %d at %v, %v", peer.PID(), peer.Addr(), peer.Path())
	}
	for _, f := range m.facts {
		s += fmt.Sprintf("; %v %d %v %s", f.Kind, f.PID, f.Why.String(), f.Text)
	}
	return s
}

// epoch is the host's epoch that the party follows, which a game has no use for.
func (m *player) epoch() uint32 {
	return uint32(reflect.ValueOf(m.Party).Elem().FieldByName("place").FieldByName("roster").FieldByName("epoch").Uint())
}

// player puts a party on a host.
func (p *play) player(at *Host, change ...func(*party.Config)) *player {
	m := &player{
		play: p, name: fmt.Sprintf("player %d", len(p.players)+1), at: at, socket: at.anySocket(27415),
		heard: make(map[source]uint32), voices: make(map[voice]uint32), hosts: make(map[uint32]party.PID),
	}
	cfg := party.Config{
		Socket: m.socket, SignalURL: p.service.URL(), Network: at.Network(),
		Random: p.Random(m.name),
	}
	if *tell {
		cfg.Log = slog.New(teller{m})
	}
	for _, f := range change {
		f(&cfg)
	}
	m.Party = party.New(cfg)
	p.players = append(p.players, m)
	return m
}

// hosting makes a player at a site that has opened a room.
func (p *play) hosting(at *Host, change ...func(*party.Config)) *player {
	p.t.Helper()
	m := p.player(at, change...)
	if err := m.Host(0, 1); err != nil {
		p.failf("Host: %v", err)
	}
	p.until(5*time.Second, "a room is open", func() bool { return m.count(party.RoomOpen) == 1 })
	p.run(time.Second) // STUN has answered, and the matchmaker knows
	return m
}

// joining makes a player that has asked to join the room of a host.
func (p *play) joining(at *Host, h *player, change ...func(*party.Config)) *player {
	p.t.Helper()
	m := p.player(at, change...)
	m.join(h.Room())
	return m
}

func (m *player) join(code string) {
	m.play.t.Helper()
	m.since, m.joined = m.play.Now(), 0
	if err := m.Join(codes.Target{Room: code}); err != nil {
		m.play.failf("%s: Join: %v", m.name, err)
	}
}

// run draws frames.
func (p *play) run(d time.Duration) {
	for end := p.Now() + d; p.Now() < end; {
		p.Advance(p.frame)
		for _, m := range p.players {
			if !m.at.dead {
				m.draw()
			}
		}
	}
}

// until draws frames until something holds.
func (p *play) until(limit time.Duration, what string, holds func() bool) {
	p.t.Helper()
	for end := p.Now() + limit; !holds(); p.run(p.frame) {
		if p.Now() >= end {
			p.failf("%v have passed, and it does not hold that %s", limit, what)
		}
	}
}

const kindNumber = party.Kind(9)

func (m *player) draw() {
	m.Begin(m.play.frame)
	for message := range m.Inbox() {
		m.hear(message)
	}
	m.Update()
	m.speak()
	m.End()
	for f := range m.Facts() {
		m.fact(f)
	}
	m.notePath()
}

func (m *player) hear(message *party.Message) {
	switch message.Kind {
	case party.Hello:
		m.Accept(message.From)
	case kindNumber:
		m.hearNumber(message.By, message.From, message.Uint32(), message.Uint32())
	}
}

// hearNumber checks that the numbers of one speaker under one host come one
// after the other, and that no two are host in one epoch.
func (m *player) hearNumber(by party.PID, from *party.Peer, token, n uint32) {
	m.play.Note("%s hears %d %d %d", m.name, by, token, n)
	if token != m.Token() {
		m.play.failf("%s, under token %d, hears pid %d, which spoke under token %d", m.name, m.Token(), by, token)
	}
	at := voice{from, by}
	if last, ok := m.voices[at]; ok && n != last+1 {
		m.play.failf("%s hears %d of pid %d after %d", m.name, n, by, last)
	}
	m.voices[at], m.heard[source{token, by}] = n, n
	if m.Hosting() {
		return
	}
	if was, ok := m.hosts[m.epoch()]; ok && was != from.PID() {
		m.play.failf("%s hears pid %d and pid %d, both host in epoch %d", m.name, was, from.PID(), m.epoch())
	}
	m.hosts[m.epoch()] = from.PID()
}

// speak says the next number, if it is time.
func (m *player) speak() {
	now := m.play.Now()
	if m.every == 0 || now-m.spoke < m.every || m.PeerCount() == 0 {
		return
	}
	m.spoke = now
	m.number++
	w := m.Write(kindNumber)
	w.Uint32(m.Token())
	w.Uint32(m.number)
	if err := w.SendAll(party.Reliable); err != nil {
		m.play.failf("%s: SendAll: %v", m.name, err)
	}
}

func (m *player) fact(f party.Fact) {
	m.play.Note("%s %v %d %s %s", m.name, f.Kind, f.PID, f.Why.String(), f.Text)
	m.facts = append(m.facts, f)
	if f.Kind == party.Joined && !m.Hosting() {
		m.joined = m.play.Now() - m.since
		m.wantHeard()
	}
}

// wantHeard checks that who has joined has heard its host, and been heard.
func (m *player) wantHeard() {
	for host := range m.Peers() {
		if s := host.Stats(); s.PacketsReceived == 0 || s.RTT == 0 {
			m.play.failf("%s has joined, and has heard %d packets; one that it sent was heard: %v", m.name, s.PacketsReceived, s.RTT > 0)
		}
	}
}

// notePath notes how the player reaches its host.
func (m *player) notePath() {
	if m.State() != party.StateJoined {
		return
	}
	if path := m.path(); path != party.PathNone && (len(m.paths) == 0 || m.paths[len(m.paths)-1] != path) {
		m.paths = append(m.paths, path)
	}
}

// path is how a guest reaches its host now.
func (m *player) path() party.Path {
	for host := range m.Peers() {
		return host.Path()
	}
	return party.PathNone
}

// count is how many facts of a kind the player has heard.
func (m *player) count(kind party.FactKind) (n int) {
	for _, f := range m.facts {
		if f.Kind == kind {
			n++
		}
	}
	return n
}

// down is why the player is out, and how often it heard that it is.
func (m *player) down() (why party.Why, n int) {
	for _, f := range m.facts {
		if f.Kind == party.Down {
			why = f.Why
			n++
		}
	}
	return why, n
}

// wantJoined sees a guest join over one of several paths.
func (p *play) wantJoined(m *player, within time.Duration, paths ...party.Path) {
	p.t.Helper()
	p.until(within, m.name+" joins", func() bool { return m.joined > 0 })
	if !slices.Contains(paths, m.path()) {
		p.failf("%s has joined over a path that is %v, want %v", m.name, m.path(), paths)
	}
	p.run(time.Second)
	if m.State() != party.StateJoined || m.count(party.Joined) != 1 {
		p.failf("%s has joined and does not stay", m.name)
	}
}

// wantDown sees a join fail once, for why, and nothing come of it at the host.
func (p *play) wantDown(m, host *player, within time.Duration, why party.Why) {
	p.t.Helper()
	p.until(within, m.name+" is told that it failed", func() bool { _, n := m.down(); return n > 0 })
	p.run(15 * time.Second)
	if got, n := m.down(); got != why || n != 1 || m.count(party.Joined) > 0 {
		p.failf("%s hears %d times Down, for %v, want once for %v", m.name, n, got, why)
	}
	if host.count(party.Joined) > 0 || host.PeerCount() > 0 {
		p.failf("the host hears that %s has joined", m.name)
	}
}
