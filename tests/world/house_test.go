package world

import (
	"fmt"
	"testing"
	"time"

	"github.com/partyline-go/partyline/party"
)

func TestWholeHouseOutlivesAHostElsewhere(t *testing.T) {
	eachSeed(t, func(s *succession) {
		s.host = s.hosting(s.open())
		lan := s.lan(pick(s, strict, restricted, site{home: &NAT{NoUDP: true}}))
		for i := range 11 {
			s.guests = append(s.guests, s.joining(lan.Host(fmt.Sprintf("10.0.0.%d", 2+i)), s.host))
		}
		s.until(relayedWithin, "all are in", func() bool { return s.united(s.host, s.guests) })
		s.pids = make(map[*player]party.PID)
		for _, m := range s.players {
			s.pids[m] = m.MyPID()
			m.every = 500 * time.Millisecond
		}
		s.run(s.upTo(10 * time.Second))

		s.host.at.Kill()

		s.wantNamed(s.wantOneHost(heirWithin, s.guests), s.guests)
	})
}
