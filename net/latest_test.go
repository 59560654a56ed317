package netmsg

import (
	"maps"
	"slices"
	"testing"
)

// packet takes what goes in one packet of room bytes, and gives the streams.
func (l *latestValues) packet(room int) (streams []uint16) {
	l.gather()
	for {
		v := l.highest()
		if v == nil || plainValueHeaderLen+len(v.data) > room {
			return streams
		}
		room -= plainValueHeaderLen + len(v.data)
		streams = append(streams, v.stream)
		l.gone(v)
	}
}

func TestANewerValueReplacesTheOneThatWaits(t *testing.T) {
	var l latestValues
	l.set(3, []byte("old"), 64)
	l.set(3, []byte("newer"), 64)

	l.gather()
	if v := l.highest(); v.stream != 3 || string(v.data) != "newer" {
		t.Errorf("got stream %d %q", v.stream, v.data)
	}
	l.gone(l.highest())
	if v := l.highest(); v != nil {
		t.Errorf("stream %d waits after it has gone", v.stream)
	}
}

func TestA65thStreamIsRefusedAndThe64GoOn(t *testing.T) {
	var l latestValues
	for n := range uint16(64) {
		if !l.set(n*1000, []byte{1}, 64) {
			t.Fatalf("stream %d was refused", n*1000)
		}
	}

	if l.set(65535, []byte{1}, 64) {
		t.Error("a 65th stream was taken")
	}
	if !l.set(63000, []byte{2}, 64) {
		t.Error("a known stream was refused")
	}
	if got := l.packet(1000); len(got) != 64 {
		t.Errorf("%d streams went, want 64", len(got))
	}
}

func TestStreamsGoAsOftenAsTheirWeights(t *testing.T) {
	var l latestValues
	for s := range uint16(4) {
		l.stream(s, 64)
	}
	l.stream(2, 64).weight = 3
	value := make([]byte, 1000)

	went := map[uint16]int{}
	for range 600 {
		for s := range uint16(4) {
			l.set(s, value, 64)
		}
		for _, s := range l.packet(1177) {
			went[s]++
		}
	}

	if want := map[uint16]int{0: 100, 1: 100, 2: 300, 3: 100}; !maps.EqualFunc(went, want, func(a, b int) bool { return max(a-b, b-a) <= 3 }) {
		t.Errorf("got %v, want %v", went, want)
	}
}

func TestALargeValueAmongManySmallOnesIsNotStarved(t *testing.T) {
	var l latestValues
	went := map[uint16]int{}
	for range 100 {
		l.set(99, make([]byte, 1100), 64)
		for s := range uint16(20) {
			l.set(s, make([]byte, 50), 64)
		}
		for _, s := range l.packet(1177) {
			went[s]++
		}
	}

	if least := slices.Min(slices.Collect(maps.Values(went))); len(went) != 21 || least < 20 {
		t.Errorf("got %v: want each of 21 at least 20 times of 100", went)
	}
}

func TestAValueThatDidNotFitKeepsWhatItHasGathered(t *testing.T) {
	var l latestValues
	l.set(1, make([]byte, 900), 64)
	l.set(2, make([]byte, 900), 64)

	first := l.packet(1000)
	l.set(first[0], make([]byte, 900), 64)
	second := l.packet(1000)

	if len(first) != 1 || len(second) != 1 || first[0] == second[0] {
		t.Errorf("got %v, then %v: want one, then the other", first, second)
	}
}

func TestSettingAndSendingValuesAllocatesNothing(t *testing.T) {
	var l latestValues
	data := make([]byte, 100)
	allocs := testing.AllocsPerRun(100, func() {
		for s := range uint16(64) {
			l.set(s, data, 64)
		}
		l.gather()
		for v := l.highest(); v != nil; v = l.highest() {
			l.gone(v)
		}
	})
	if allocs != 0 {
		t.Errorf("got %v allocations, want 0", allocs)
	}
}

func TestOfEqualStreamsTheOneThatWentLongestAgoGoes(t *testing.T) {
	var l latestValues
	l.set(1, nil, 64)
	l.set(2, nil, 64)
	l.stream(1, 64).went, l.stream(2, 64).went = 5, 3

	if got := l.packet(plainValueHeaderLen); len(got) != 1 || got[0] != 2 {
		t.Errorf("got %v, want stream 2", got)
	}
}
