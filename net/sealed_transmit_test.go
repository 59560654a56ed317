package netmsg

import "testing"

// An acknowledgement that would be due before the next frame goes with this one.
func TestAFrameAcknowledgesWhatItHasTakenIn(t *testing.T) {
	for _, driven := range []bool{false, true} {
		p := newSealedPair(t, &Config{Driven: driven}, LinkConfig{}, 1)
		p.run(5300 * ms) // nothing else is due
		if err := p.A.SendReliable([]byte("hello")); err != nil {
			t.Fatal(err)
		}
		now := p.Now()
		n := p.A.Transmit(now, p.buf)
		p.B.Receive(now, append([]byte(nil), p.buf[:n]...))

		n = p.B.Transmit(now, p.buf)

		if (n > 0) != driven {
			t.Errorf("driven %v: a packet of %d bytes answers in the same frame", driven, n)
		}
	}
}
