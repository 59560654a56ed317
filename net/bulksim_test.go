package netmsg

import (
	"container/heap"
	"math/rand/v2"
	"slices"
	"time"
)

// A bulkSim is a small world for bulk control alone: flows that always have
// more to send share one bottleneck, and every packet is lost at random behind
// it. Acknowledgements come back after every 8 packets or 20 ms, and are lost
// at random too. Senders find losses as PROTOCOL.md, Loss, says.
type bulkSim struct {
	link   simLink
	rng    *rand.Rand
	now    time.Duration
	events simEvents
	serial int
	free   time.Duration // when the bottleneck has sent all it holds
	flows  []*simFlow

	values  []time.Duration // one-way delays of a value stream beside the flows
	queued  time.Duration   // sum of the queue delays that packets met
	packets int
}

type simLink struct {
	rate   float64       // bits a second; 0: no bottleneck
	buffer time.Duration // longest queue
	rtt    time.Duration // without queue
	jitter time.Duration // extra each way, up to it
	loss   float64       // each way
}

const (
	simPacketBits = 1228 * 8 // 1,200 bytes and headers of IPv4 and UDP
	simValueBits  = 228 * 8
)

type simEvent struct {
	at     time.Duration
	serial int // of equal times the first made goes first
	do     func()
}

type simEvents []simEvent

func (e simEvents) Len() int      { return len(e) }
func (e simEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e simEvents) Less(i, j int) bool {
	if e[i].at != e[j].at {
		return e[i].at < e[j].at
	}
	return e[i].serial < e[j].serial
}
func (e *simEvents) Push(x any) { *e = append(*e, x.(simEvent)) }
func (e *simEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// A simFlow is a sender and its receiver.
type simFlow struct {
	sim   *bulkSim
	start time.Duration
	ctl   bulkControl

	sent     []simPacket
	inFlight int
	low      int // every packet below is acknowledged or lost
	largest  int // acknowledged; -1 before
	srtt     time.Duration
	rttvar   time.Duration
	latest   time.Duration
	heard    time.Duration // newest acknowledgement
	ptos     int
	wake     time.Duration

	reorderedAt time.Duration
	reorder     float64 // window in eighths of srtt
	unordered   bool

	arrived    []int // at the receiver, in order of arrival
	known      int   // of these, by the sender
	newest     int
	newestAt   time.Duration
	unreported int
	ackAt      time.Duration
}

func (f *simFlow) received() int { return len(f.arrived) }

type simPacket struct {
	at    time.Duration
	state byte // 0 in flight, 1 acknowledged, 2 lost
}

func newBulkSim(link simLink, seed uint64, starts ...time.Duration) *bulkSim {
	s := &bulkSim{link: link, rng: rand.New(rand.NewPCG(seed, 1))}
	for _, start := range starts {
		f := &simFlow{sim: s, start: start, ctl: newBulkControl(new(pacer), link.rtt), largest: -1, newest: -1, srtt: link.rtt, rttvar: link.rtt / 2, reorder: 1}
		s.flows = append(s.flows, f)
		s.at(start, func() { f.heard = s.now; f.turn() })
	}
	return s
}

func (s *bulkSim) at(t time.Duration, do func()) {
	s.serial++
	heap.Push(&s.events, simEvent{t, s.serial, do})
}

func (s *bulkSim) runUntil(end time.Duration) {
	for len(s.events) > 0 && s.events[0].at <= end {
		e := heap.Pop(&s.events).(simEvent)
		s.now = e.at
		e.do()
	}
	s.now = end
}

// carry takes bits across the bottleneck; ok is false if they are lost.
func (s *bulkSim) carry(bits float64) (arrives, queue time.Duration, ok bool) {
	leaves := s.now
	if s.link.rate > 0 {
		queue = max(0, s.free-s.now)
		if queue > s.link.buffer {
			return 0, queue, false
		}
		s.free = max(s.free, s.now) + time.Duration(bits/s.link.rate*1e9)
		leaves = s.free
	}
	return leaves + s.link.rtt/2 + s.wobble(), queue, s.rng.Float64() >= s.link.loss
}

func (s *bulkSim) wobble() time.Duration {
	return time.Duration(s.rng.Float64() * float64(s.link.jitter))
}

// addValues sends a value thirty times a second and notes its delays.
func (s *bulkSim) addValues() {
	arrives, _, ok := s.carry(simValueBits)
	if ok {
		s.values = append(s.values, arrives-s.now)
	}
	s.at(s.now+time.Second/30, s.addValues)
}

func (f *simFlow) turn() {
	s := f.sim
	for f.ctl.maySend(s.now, f.inFlight) {
		f.send(true)
	}
	next := min(f.ctl.nextSend(s.now, f.inFlight), f.heard+f.pto())
	if next > s.now && (f.wake <= s.now || next < f.wake) {
		f.wake = next
		s.at(next, func() {
			if f.wake == s.now {
				f.wake = 0
				f.timeout()
				f.turn()
			}
		})
	}
}

func (f *simFlow) pto() time.Duration {
	return min(2*time.Second, (f.srtt+max(4*f.rttvar, time.Millisecond)+40*time.Millisecond)<<min(f.ptos, 6))
}

func (f *simFlow) timeout() {
	if f.inFlight == 0 || f.sim.now < f.heard+f.pto() {
		return
	}
	f.heard = f.sim.now
	f.ptos++
	f.ctl.onPTO(f.ptos)
	f.send(false)
	f.send(false)
}

func (f *simFlow) send(bulk bool) {
	s := f.sim
	pn := len(f.sent)
	f.sent = append(f.sent, simPacket{at: s.now})
	f.inFlight++
	f.ctl.onSent(s.now, bulk)
	arrives, queue, ok := s.carry(simPacketBits)
	s.queued += queue
	s.packets++
	if ok {
		s.at(arrives, func() { f.receive(pn) })
	}
}

func (f *simFlow) receive(pn int) {
	s := f.sim
	f.arrived = append(f.arrived, pn)
	f.unreported++
	if pn > f.newest {
		f.newest, f.newestAt = pn, s.now
	}
	switch {
	case f.unreported >= 8:
		f.report()
	case f.unreported == 1:
		due := s.now + 20*time.Millisecond
		f.ackAt = due
		s.at(due, func() {
			if f.ackAt == due && f.unreported > 0 {
				f.report()
			}
		})
	}
}

func (f *simFlow) report() {
	s := f.sim
	f.unreported, f.ackAt = 0, 0
	largest, delay, all := f.newest, s.now-f.newestAt, len(f.arrived)
	if s.rng.Float64() >= s.link.loss {
		s.at(s.now+s.link.rtt/2+s.wobble(), func() { f.hear(largest, delay, all) })
	}
}

// hear takes an acknowledgement of the first all packets that arrived.
func (f *simFlow) hear(largest int, delay time.Duration, all int) {
	s := f.sim
	var sample time.Duration
	fresh := all > f.known
	for ; f.known < all; f.known++ {
		pn := f.arrived[f.known]
		p := &f.sent[pn]
		if p.state == 2 {
			f.ctl.onSpurious(p.at)
			f.sawReordering()
		} else {
			f.inFlight--
			f.ctl.onAcked(p.at)
		}
		p.state = 1
		if pn == largest {
			sample = s.now - p.at - delay
		}
	}
	f.largest = max(f.largest, largest)
	if sample > 0 {
		f.latest = sample
		f.rttvar += (max(sample-f.srtt, f.srtt-sample) - f.rttvar) / 4
		f.srtt += (sample - f.srtt) / 8
	}
	f.findLosses()
	if fresh {
		f.heard, f.ptos = s.now, 0
	}
	f.ctl.onAck(s.now, sample, f.srtt)
	f.turn()
}

func (f *simFlow) sawReordering() {
	f.unordered = true
	if f.sim.now-f.reorderedAt > f.srtt {
		f.reorder = min(8, f.reorder+1)
		f.reorderedAt = f.sim.now
	}
}

func (f *simFlow) findLosses() {
	if f.sim.now-f.reorderedAt > 16*f.srtt {
		f.reorder, f.reorderedAt = max(1, f.reorder-1), f.sim.now
	}
	late := max(f.srtt, f.latest) + max(time.Duration(f.reorder*float64(f.srtt)/8), time.Millisecond)
	for pn := f.low; pn < f.largest; pn++ {
		p := &f.sent[pn]
		if p.state == 0 && (!f.unordered && pn <= f.largest-3 || f.sim.now-p.at > late) {
			p.state = 2
			f.inFlight--
			f.ctl.onLost(p.at)
		}
		if p.state != 0 && pn == f.low {
			f.low++
		}
	}
}

// use is the share of what the link can carry that flows received after from.
func (s *bulkSim) use(received int, during time.Duration) float64 {
	return float64(received) * simPacketBits / (s.link.rate * (1 - s.link.loss) * during.Seconds())
}

func (s *bulkSim) meanQueue() time.Duration {
	return s.queued / time.Duration(max(1, s.packets))
}

func percentile(d []time.Duration, p float64) time.Duration {
	slices.Sort(d)
	return d[int(p*float64(len(d)-1))]
}
