package world

import (
	netmsg "github.com/partyline-go/partyline/net"
)

// A Cable joins a host or a router to its network. It is perfect until SetLink.
type Cable struct {
	// Out goes from the node into its network, In from there to the node.
	Out, In *way
}

// SetLink sets what both ways do from now on. What is on its way is lost.
func (c *Cable) SetLink(cfg netmsg.LinkConfig) {
	c.Out.SetLink(cfg)
	c.In.SetLink(cfg)
}

// Cut loses all that is sent over the cable, both ways, until Mend.
func (c *Cable) Cut() { c.Out.Cut(); c.In.Cut() }

// Mend undoes Cut.
func (c *Cable) Mend() { c.Out.Mend(); c.In.Mend() }

// A way is one direction of a cable.
type way struct {
	world *World
	cfg   netmsg.LinkConfig
	seed  uint64
	sim   *netmsg.LinkSim // nil: perfect
	cut   bool
	far   func(packet) // takes what arrives
}

func (w *World) newWay(far func(packet)) *way {
	y := &way{world: w, seed: w.seed<<16 | uint64(len(w.ways)), far: far}
	w.ways = append(w.ways, y)
	return y
}

// SetLink sets what the way does from now on. What is on its way is lost.
func (y *way) SetLink(cfg netmsg.LinkConfig) {
	y.cfg, y.sim = cfg, nil
	if cfg != (netmsg.LinkConfig{}) {
		y.sim = netmsg.NewLinkSim(cfg, y.seed)
	}
}

// Cut loses all that is sent this way until Mend.
func (y *way) Cut() { y.cut = true }

// Mend undoes Cut.
func (y *way) Mend() { y.cut = false }

func (y *way) send(p packet) {
	switch {
	case y.cut:
	case y.sim == nil:
		y.far(p)
	default:
		y.sim.Send(y.world.now, appendPacket(y.world.buf[:0], p))
	}
}

// deliver takes one packet off the way; one that was under way when the way
// was cut still arrives.
func (y *way) deliver() {
	buf := y.world.buffers.Copy(nil)
	if n, ok := y.sim.Deliver(y.world.now, buf[:cap(buf)]); ok {
		y.far(y.world.parsePacket(buf[:n]))
	}
	y.world.buffers.Free(buf)
}
