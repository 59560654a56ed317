package netmsg

// endpointHeld is how many bytes of reliable messages an endpoint holds for its
// applications before connections with more than their share have to wait.
const endpointHeld = 256 << 20

// A heldBudget is the memory that the connections of an endpoint share for what
// comes in. Each holds what its peer may send without asking; only when all
// together are over the limit does a connection that holds more than its share
// take packets as lost, all but those that let its oldest message be delivered.
type heldBudget struct {
	limit int // bytes
	held  int
	conns int // that are open
}

// tight says that no window should be raised.
func (b *heldBudget) tight() bool { return b.held > b.limit }

// over says that a connection which holds mine bytes takes no more.
func (b *heldBudget) over(mine int) bool {
	return b.tight() && mine > b.limit/max(b.conns, 1)
}

// joinBudget lets the connection share an endpoint's budget.
func (c *sealedConn) joinBudget(b *heldBudget) {
	c.budget = b
	b.conns++
}

// settleBudget tells the budget what the connection holds now; an ended one
// holds nothing, and leaves.
func (c *sealedConn) settleBudget(held int) {
	if c.budget == nil {
		return
	}
	if c.ending.ended {
		held = 0
	}
	c.budget.held += held - c.held
	c.held = held
	if c.ending.ended {
		c.budget.conns--
		c.budget = nil
	}
}
