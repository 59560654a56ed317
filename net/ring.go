package netmsg

// A ring is a queue that can also be reached into by place. Its memory doubles
// as it needs to and is then used again and again; whoever fills it keeps it
// within a limit. The zero ring is empty.
type ring[T any] struct {
	slots []T // a power of two of them
	head  uint32
	n     uint32
}

func (r *ring[T]) len() int { return int(r.n) }

// at gives the place i steps behind the head, 0 <= i < len.
func (r *ring[T]) at(i int) *T {
	return &r.slots[(r.head+uint32(i))&uint32(len(r.slots)-1)]
}

// push adds a zero element at the end, for the caller to fill.
func (r *ring[T]) push() *T {
	if int(r.n) == len(r.slots) {
		r.grow()
	}
	r.n++
	e := r.at(int(r.n) - 1)
	*e = *new(T)
	return e
}

// pop takes the head away and gives it.
func (r *ring[T]) pop() T {
	e := r.at(0)
	v := *e
	*e = *new(T)
	r.head++
	r.n--
	return v
}

func (r *ring[T]) grow() {
	slots := make([]T, max(8, 2*len(r.slots)))
	for i := range r.len() {
		slots[i] = *r.at(i)
	}
	r.slots, r.head = slots, 0
}
