package session

import (
	"bytes"
	"testing"
	"time"

	"github.com/partyline-go/partyline/demo/ebiten/level"
	netmsg "github.com/partyline-go/partyline/net"
)

// haveLevel says whether all members have the host's level.
func (tb *table) haveLevel() bool {
	for _, m := range tb.members {
		if !tb.dead[m] && (m.Level() == nil || m.Level().Sum() != tb.members[0].Level().Sum()) {
			return false
		}
	}
	return true
}

func TestElevenWhoJoinAtOnceGetTheLevelWhileSnapshotsFlow(t *testing.T) {
	tb := newTable(t, 11, bad)
	host := tb.members[0]
	var before [12]int
	for i, m := range tb.members {
		before[i] = m.Snapshots()
	}
	began := tb.net.Now()

	tb.until(15*time.Second, "all have the level", tb.haveLevel)

	took := (tb.net.Now() - began).Seconds()
	t.Logf("the last level came %.1f s after the last welcome", took)
	for i, m := range tb.members[1:] {
		if m.LevelsReceived() != 1 || !bytes.Equal(m.Level().Bytes(), host.Level().Bytes()) {
			t.Errorf("pid %d: %d levels", m.Me(), m.LevelsReceived())
		}
		if rate := float64(m.Snapshots()-before[i+1]) / took; took > 1 && rate < 20 {
			t.Errorf("pid %d: %.1f snapshots a second meanwhile", m.Me(), rate)
		}
	}
	tb.rest()
}

func TestAGuestSeesHowMuchOfTheLevelIsThereAndPlaysMeanwhile(t *testing.T) {
	tb := newTable(t, 1, netmsg.LinkConfig{Latency: 40 * time.Millisecond})
	guest := tb.members[1]
	seen, last := 0, 0

	tb.until(10*time.Second, "it has the level", func() bool {
		got, total := guest.LevelProgress()
		if got < last || got > total || total < level.Size {
			t.Fatalf("%d of %d after %d", got, total, last)
		}
		if got > last && got < total && guest.Status() == Playing && guest.Place() >= 0 {
			seen++
		}
		last = got
		return guest.Level() != nil
	})

	if got, total := guest.LevelProgress(); seen < 3 || got != total {
		t.Errorf("%d steps on the way, at the end %d of %d", seen, got, total)
	}
}

func TestAMemberWithTheLevelNeedsItOnlyOnce(t *testing.T) {
	tb := newTable(t, 3, netmsg.LinkConfig{Latency: 20 * time.Millisecond})
	tb.until(10*time.Second, "all have the level", tb.haveLevel)
	sum := tb.members[0].Level().Sum()

	tb.members[0].Leave()
	tb.dead[tb.members[0]] = true
	tb.run(5 * time.Second)

	for _, m := range tb.members[1:] {
		if m.Status() != Playing || m.Level() == nil || m.Level().Sum() != sum || m.LevelsReceived() != 1 {
			t.Errorf("pid %d: %v, %d levels", m.Me(), m.Status(), m.LevelsReceived())
		}
	}
}

func TestAskingAgainForALevelOnItsWaySendsNoSecond(t *testing.T) {
	tb := newTable(t, 1, netmsg.LinkConfig{Latency: 40 * time.Millisecond})
	host, guest := tb.members[0], tb.members[1]
	tb.until(10*time.Second, "it has the level", tb.haveLevel)
	guest.level, guest.asked = nil, false
	tb.run(100 * time.Millisecond) // the first ask has come

	for range 20 {
		guest.asked = false
		tb.tick()
	}

	peer := host.party.PeerOf(guest.Me())
	if n := peer.Stats().Unacked; n > 3 {
		t.Errorf("%d messages wait", n)
	}
}
