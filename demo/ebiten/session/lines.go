package session

import (
	"time"

	"github.com/partyline-go/partyline/party"
)

// A Sample is what a line did during a tenth of a second.
type Sample struct {
	RTT      time.Duration // smoothed round trip at its end
	Loss     float64       // share of packets lost lately, 0 to 1
	Up, Down float64       // kB/s of UDP payload
}

// History is how many samples a Line keeps: ten seconds.
const History = 100

// A Line is the connection to one peer, for the net graph.
type Line struct {
	PID     party.PID // 0: not in use
	samples [History]Sample
	count   int
	up      uint64 // bytes so far
	down    uint64
}

// Len is how many samples there are.
func (l *Line) Len() int { return min(l.count, History) }

// Sample gives the sample of some time ago: 0 is the newest, Len()−1 the oldest.
func (l *Line) Sample(ago int) Sample { return l.samples[(l.count-1-ago)%History] }

// Now is the newest sample, its rates smoothed over a second.
func (l *Line) Now() Sample {
	if l.count == 0 {
		return Sample{}
	}
	now, n := l.Sample(0), min(l.Len(), samplesPerSecond)
	now.Up, now.Down = 0, 0
	for i := range n {
		s := l.Sample(i)
		now.Up += s.Up / float64(n)
		now.Down += s.Down / float64(n)
	}
	return now
}

const (
	samplesPerSecond = 10
	framesPerSample  = TicksPerSecond / samplesPerSecond
)

// sampleLines looks at every connection, ten times a second.
func (s *Session) sampleLines() {
	if s.frames%framesPerSample != 0 {
		return
	}
	for i := range s.lines {
		if l := &s.lines[i]; l.PID != 0 && s.party.PeerOf(l.PID) == nil {
			*l = Line{}
		}
	}
	for i := range s.roll.players {
		pid := s.roll.players[i].PID
		if peer := s.party.PeerOf(pid); peer != nil {
			if l := s.lineOf(pid); l != nil {
				s.bytesIn += l.add(peer)
			}
		}
	}
}

// lineOf finds the line of a peer, or a free one.
func (s *Session) lineOf(pid party.PID) *Line {
	var free *Line
	for i := range s.lines {
		switch s.lines[i].PID {
		case pid:
			return &s.lines[i]
		case 0:
			if free == nil {
				free = &s.lines[i]
				free.PID = pid
				return free
			}
		}
	}
	return nil
}

// add takes a sample and returns how many bytes came in since the last.
func (l *Line) add(peer *party.Peer) uint64 {
	st := peer.Stats()
	s := Sample{
		RTT: st.RTT, Loss: st.Loss,
		Up:   float64(st.BytesSent-l.up) * samplesPerSecond / 1000,
		Down: float64(st.BytesReceived-l.down) * samplesPerSecond / 1000,
	}
	came := st.BytesReceived - l.down
	l.up, l.down = st.BytesSent, st.BytesReceived
	if l.count++; l.count == 1 {
		s.Up, s.Down = 0, 0 // all that went before is not a tenth of a second's
	}
	l.samples[(l.count-1)%History] = s
	return came
}
