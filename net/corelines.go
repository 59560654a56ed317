package netmsg

import "slices"

// What a Conn needs of a ConnectionCore beside its exported methods.

// ended says that the connection has ended, though Left may not have been
// pulled yet.
func (c *ConnectionCore) ended() bool { return c.in.ended }

// next pulls one event, as Events does.
func (c *ConnectionCore) next(e *Event) bool { return c.in.next(e) }

// hasValue says that an Update of stream waits to be pulled.
func (c *ConnectionCore) hasValue(stream uint16) bool { return c.in.values.waits(stream) }

// waits says that a value of stream has not been pulled.
func (v *inValues) waits(stream uint16) bool {
	i := slices.Index(v.ids, stream)
	return i >= 0 && v.slots[i].waits
}
