package netmsg

// lossSpan is over about how many packets the measure of loss is taken.
const lossSpan = 64

// lossAverage is the share of packets lost: a moving average of their fates. For
// the first packets it is their plain average, so that it need not climb from
// zero. The zero value has seen none.
type lossAverage struct {
	share float64 // 0 to 1
	seen  int     // up to lossSpan
}

func (m *lossAverage) delivered() { m.fate(0) }
func (m *lossAverage) lost()      { m.fate(1) }

func (m *lossAverage) fate(lost float64) {
	m.seen = min(m.seen+1, lossSpan)
	m.share += (lost - m.share) / float64(m.seen)
}
