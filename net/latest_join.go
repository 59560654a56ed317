package netmsg

import "slices"

// Limits of the latest values that are being put together.
const (
	maxPartialBytes  = 131072 // of a connection, in fragments that have come
	maxPartialValues = 64     // of a connection
)

// latestJoin puts latest values together that come in fragments: of each stream
// only the newest version. What would be too much empties the stream least
// recently added to. Its zero value has nothing.
type latestJoin struct {
	values []*partialValue // the least recently added to is first
	free   []*partialValue
	bytes  int
}

// A partialValue is a version of which some fragments have come.
type partialValue struct {
	stream  uint16
	count   uint8
	version uint64
	came    uint32 // a bit for each fragment
	bytes   int
	pieces  [maxLatestFragments][]byte
}

// add takes a fragment of version. It gives the value's data when it was the
// last one missing: a buffer of the pool. A fragment that contradicts an
// earlier one is takeBroken, a value over most bytes takeOver.
func (j *latestJoin) add(f *frame, version uint64, most int, pool *buffers) (data []byte, result takeResult) {
	i := j.find(f.stream)
	if i >= 0 && j.values[i].version < version {
		j.remove(i, pool)
		i = -1
	}
	if i >= 0 && j.values[i].version > version {
		return nil, takeOK
	}
	p := j.touch(i, f.stream, version, f.count, pool)
	switch bit := uint32(1) << f.index; {
	case p.count != f.count:
		return nil, takeBroken
	case p.came&bit != 0:
		return nil, takeOK
	case p.bytes+len(f.data) > most:
		return nil, takeOver
	default:
		p.came |= bit
	}
	p.pieces[f.index] = pool.copyOf(f.data)
	p.bytes += len(f.data)
	j.bytes += len(f.data)
	if p.came == 1<<p.count-1 {
		data = p.join(pool)
		j.remove(len(j.values)-1, pool)
	}
	for j.bytes > maxPartialBytes {
		j.remove(0, pool)
	}
	return data, takeOK
}

// find gives the index of a stream's partial value, -1 if it has none.
func (j *latestJoin) find(stream uint16) int {
	return slices.IndexFunc(j.values, func(p *partialValue) bool { return p.stream == stream })
}

// touch makes the partial value at i the most recent, or makes a new one if i is
// -1.
func (j *latestJoin) touch(i int, stream uint16, version uint64, count uint8, pool *buffers) *partialValue {
	var p *partialValue
	if i >= 0 {
		p = j.values[i]
		j.values = slices.Delete(j.values, i, i+1)
	} else {
		if len(j.values) == maxPartialValues {
			j.remove(0, pool)
		}
		p = takeLast(&j.free)
		p.stream, p.version, p.count = stream, version, count
	}
	j.values = append(j.values, p)
	return p
}

// remove forgets the partial value at i.
func (j *latestJoin) remove(i int, pool *buffers) {
	p := j.values[i]
	j.bytes -= p.bytes
	j.values = slices.Delete(j.values, i, i+1)
	for k := range p.count {
		pool.put(p.pieces[k])
	}
	*p = partialValue{}
	if len(j.free) < storeKept {
		j.free = append(j.free, p)
	}
}

// supersede forgets a stream's partial value if version, which has come whole,
// is newer.
func (j *latestJoin) supersede(stream uint16, version uint64, pool *buffers) {
	if i := j.find(stream); i >= 0 && j.values[i].version <= version {
		j.remove(i, pool)
	}
}

// join gives the fragments in one buffer.
func (p *partialValue) join(pool *buffers) []byte {
	whole := pool.get(p.bytes)[:0]
	for _, piece := range p.pieces[:p.count] {
		whole = append(whole, piece...)
	}
	return whole
}
