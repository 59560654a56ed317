package session

import (
	"testing"

	netmsg "github.com/partyline-go/partyline/net"
	"github.com/partyline-go/partyline/party"
)

// Whatever kind and bytes come in, at a host or at a guest, the session goes on.
func FuzzWhatComesIn(f *testing.F) {
	f.Add(true, byte(kindChat), []byte{1, 0, 0, 0, 'h', 'i'})
	f.Add(false, byte(kindWelcome), []byte{1, 0, 5, 0, 0, 0, 3, 'A', 'd', 'a'})
	f.Add(false, byte(kindSnapshot), make([]byte, 24+19))
	f.Add(true, byte(kindInput), []byte{9, 0, 1, 2, 1})
	f.Add(false, byte(kindGone), []byte{1, 0, 0, 0, 1, 0, 3})
	f.Fuzz(func(t *testing.T, atHost bool, kind byte, data []byte) {
		if party.Kind(kind) <= party.Hello || len(data) > party.MaxMessage {
			return
		}
		tb := newTable(t, 1, netmsg.LinkConfig{})
		s := tb.members[1]
		if atHost {
			s = tb.members[0]
		}

		w := s.party.Write(party.Kind(kind))
		w.Bytes(data)
		w.Loopback()
		for range 5 {
			tb.tick()
		}

		if s.Status() != Playing {
			t.Errorf("it is %v", s.Status())
		}
	})
}
