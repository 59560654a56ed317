package party

import netmsg "github.com/partyline-go/partyline/net"

const (
	seatSize = 16 // bytes of a seat: a member's secret, which the host gave it
	keySize  = 32 // bytes of a key, private or public
)

// A place is what a member knows of itself and of its party. It outlives the
// session, until the next or Fresh, so that StandAlone can go on from it.
type place struct {
	pid    PID
	seat   [seatSize]byte
	seated bool   // seat is one
	roster roster // the newest; its epoch is the one this side follows
	room   roomKey
}

// takeIdentity takes the key that the Config gives, or Config.Seat; or makes a
// new one. What has another size is none.
func (p *Party) takeIdentity(cfg Config) {
	switch {
	case len(cfg.Identity) == keySize:
		copy(p.identity[:], cfg.Identity)
	case len(cfg.Seat) == seatSize+keySize:
		copy(p.identity[:], cfg.Seat[seatSize:])
	default:
		p.fillRandom(p.identity[:])
	}
	if len(cfg.Seat) == seatSize+keySize {
		copy(p.place.seat[:], cfg.Seat)
		p.place.seated = true
	}
	key, err := netmsg.PublicKey(p.identity[:])
	if err != nil {
		panic("party: no public key: " + err.Error())
	}
	copy(p.key[:], key)
}

// fresh forgets all but the seat.
func (l *place) fresh() { *l = place{seat: l.seat, seated: l.seated} }

// Seat is this member's proof of its place, 48 bytes: what the host gave it, and
// its private key. Store it, and give it to Config.Seat when the program runs
// again after a crash: the host, or who became host since, then knows who comes
// back. Nil before Joined. Whoever has it can take the place.
func (p *Party) Seat() []byte {
	if !p.place.seated {
		return nil
	}
	return append(append([]byte(nil), p.place.seat[:]...), p.identity[:]...)
}
