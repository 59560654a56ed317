package netmsg

// plainEarly puts the reliable messages that arrive in order: one whose
// predecessors have not all come waits here for them.
type plainEarly struct {
	next  uint16 // id of the next to deliver, at the head of slots
	slots ring[plainEarlySlot]
}

type plainEarlySlot struct {
	here bool
	data []byte
}

// plausible says whether a peer that keeps to the window can send id now: it
// is old, or fewer than plainWindow ahead.
func (e *plainEarly) plausible(id uint16) bool {
	ahead := id - e.next
	return ahead < plainWindow || ahead >= 1<<15
}

// take keeps a message, and gives to in what is now in order. False: there is
// no room, because the application has not pulled what came before; room is
// the number of messages that may wait, in and early ones together.
func (e *plainEarly) take(id uint16, data []byte, in *inbox, room int) bool {
	ahead := int(id - e.next)
	if ahead >= 1<<15 {
		return true // delivered before
	}
	if int(in.held[Ordered1].messages)+ahead >= room {
		return false
	}
	for e.slots.len() <= ahead {
		e.slots.push()
	}
	if s := e.slots.at(ahead); !s.here {
		s.here, s.data = true, in.pool.copyOf(data)
	}
	for e.slots.len() > 0 && e.slots.at(0).here {
		in.message(Ordered1, e.slots.pop().data)
		e.next++
	}
	return true
}
