package netmsg

import "slices"

// A span is the bytes from from up to, not including, to.
type span struct{ from, to uint32 }

// spans is a set of bytes: spans in order, that neither overlap nor touch. Its
// zero value is empty.
type spans []span

// find gives the index of the first span that ends at or after n.
func (s spans) find(n uint32) int {
	low, high := 0, len(s)
	for low < high {
		if mid := (low + high) / 2; s[mid].to < n {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// add puts the bytes of p into the set. p may be empty.
func (s *spans) add(p span) {
	if p.from >= p.to {
		return
	}
	i := s.find(p.from)
	j := i // the first span behind p
	for ; j < len(*s) && (*s)[j].from <= p.to; j++ {
		p.from, p.to = min(p.from, (*s)[j].from), max(p.to, (*s)[j].to)
	}
	if i == j {
		*s = slices.Insert(*s, i, p)
		return
	}
	(*s)[i] = p
	*s = slices.Delete(*s, i+1, j)
}

// remove takes the bytes of p, which may be empty, out of the set.
func (s *spans) remove(p span) {
	if p.from >= p.to {
		return
	}
	for i := s.find(p.from); i < len(*s) && (*s)[i].from < p.to; {
		at := (*s)[i]
		left, right := span{at.from, min(at.to, p.from)}, span{max(at.from, p.to), at.to}
		switch {
		case left.from < left.to && right.from < right.to:
			(*s)[i] = left
			*s = slices.Insert(*s, i+1, right)
			return
		case left.from < left.to:
			(*s)[i] = left
			i++
		case right.from < right.to:
			(*s)[i] = right
			return
		default:
			*s = slices.Delete(*s, i, i+1)
		}
	}
}

// grows says whether adding p would make one span more.
func (s spans) grows(p span) bool {
	i := s.find(p.from)
	return p.from < p.to && (i == len(s) || s[i].from > p.to)
}

// missing gives the first part of p that is not in the set; false if all is.
func (s spans) missing(p span) (part span, ok bool) {
	i := s.find(p.from)
	if i < len(s) && s[i].from <= p.from {
		p.from = max(p.from, min(s[i].to, p.to))
		i++
	}
	if i < len(s) {
		p.to = min(p.to, max(s[i].from, p.from))
	}
	return p, p.from < p.to
}

// is says whether the set is all bytes up to n.
func (s spans) is(n uint32) bool {
	return len(s) == 1 && s[0] == span{0, n}
}
