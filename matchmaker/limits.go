package matchmaker

import "math"

// Limits of a Directory. A zero field is the default, a negative one no limit.
type Limits struct {
	Sockets       int     // of one network (IPv4 /24, IPv6 /56) at once; 128
	Rooms         int     // of one network at once; 64
	OpensPerMin   int     // rooms that one network opens in a minute; 30
	AllRooms      int     // of all networks; 100,000
	WrongPerSec   float64 // wrong codes a second in all; 50
	MessagesQueue int     // messages that wait for one socket before it is closed; 256
}

func (l Limits) withDefaults() Limits {
	def := func(v *int, d int) {
		switch {
		case *v == 0:
			*v = d
		case *v < 0:
			*v = math.MaxInt
		}
	}
	def(&l.Sockets, 128)
	def(&l.Rooms, 64)
	def(&l.OpensPerMin, 30)
	def(&l.AllRooms, 100_000)
	def(&l.MessagesQueue, 256)
	if l.WrongPerSec == 0 {
		l.WrongPerSec = 50
	} else if l.WrongPerSec < 0 {
		l.WrongPerSec = math.MaxFloat64
	}
	return l
}
