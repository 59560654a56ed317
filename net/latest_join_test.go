package netmsg

import (
	"bytes"
	"testing"
)

func latestPart(stream uint16, index, count uint8, data string) *frame {
	return &frame{kind: frameLatest, fragment: true, stream: stream, index: index, count: count, data: []byte(data)}
}

func TestALatestValueIsJoinedFromFragmentsInAnyOrder(t *testing.T) {
	var j latestJoin
	var pool buffers
	for _, f := range []*frame{latestPart(1, 2, 3, "cc"), latestPart(1, 0, 3, "aa"), latestPart(1, 2, 3, "xx")} {
		if data, result := j.add(f, 7, 100, &pool); data != nil || result != takeOK {
			t.Fatalf("a value is whole after %d: %q %v", f.index, data, result)
		}
	}
	data, _ := j.add(latestPart(1, 1, 3, "bb"), 7, 100, &pool)
	if !bytes.Equal(data, []byte("aabbcc")) || len(j.values) != 0 || j.bytes != 0 {
		t.Errorf("got %q, %d values and %d bytes left", data, len(j.values), j.bytes)
	}
}

func TestOnlyTheNewestVersionOfAValueIsJoined(t *testing.T) {
	var j latestJoin
	var pool buffers
	j.add(latestPart(1, 0, 2, "old"), 7, 100, &pool)
	j.add(latestPart(1, 0, 2, "new"), 9, 100, &pool)
	if data, _ := j.add(latestPart(1, 1, 2, "er"), 7, 100, &pool); data != nil {
		t.Errorf("an older version is joined: %q", data)
	}
	if data, _ := j.add(latestPart(1, 1, 2, "er"), 9, 100, &pool); string(data) != "newer" {
		t.Errorf("got %q, want newer", data)
	}

	j.add(latestPart(1, 0, 2, "part"), 11, 100, &pool)
	j.supersede(1, 12, &pool) // a whole value came
	if len(j.values) != 0 {
		t.Error("a partial value is kept beside a newer whole one")
	}
}

func TestFragmentsThatContradictOrExceedAreRefused(t *testing.T) {
	var j latestJoin
	var pool buffers
	j.add(latestPart(1, 0, 3, "aa"), 7, 4, &pool)
	if _, result := j.add(latestPart(1, 1, 4, "b"), 7, 4, &pool); result != takeBroken {
		t.Errorf("another count: %v", result)
	}
	if _, result := j.add(latestPart(1, 1, 3, "bbb"), 7, 4, &pool); result != takeOver {
		t.Errorf("five bytes of four: %v", result)
	}
}

func TestPartialValuesAreBounded(t *testing.T) {
	var j latestJoin
	var pool buffers
	piece := string(make([]byte, 1150))
	for stream := range uint16(200) {
		j.add(latestPart(stream, 0, 32, piece), 7, 65_535, &pool)
		j.add(latestPart(0, uint8(stream%31), 32, piece), 7, 65_535, &pool) // kept alive
		if j.bytes > maxPartialBytes || len(j.values) > maxPartialValues {
			t.Fatalf("%d bytes of %d values", j.bytes, len(j.values))
		}
	}
	if j.find(0) < 0 || j.find(1) >= 0 {
		t.Error("it is not the stream least recently added to that goes")
	}
}

func TestALargeValueIsSentToItsEndBeforeANewerOne(t *testing.T) {
	var l latestValues
	var s latestSplit
	l.set(1, make([]byte, 3000), 64)
	v := l.highest()
	if !s.begin(v, 1000) {
		t.Fatal("three fragments are too many")
	}
	l.gone(v)
	l.set(1, []byte("newer"), 64)
	l.set(2, []byte("other"), 64)
	l.stream(1, 64).weight = 10
	l.gather() // it comes first, but for the fragments

	var f frame
	for i := range uint64(3) {
		if v := l.nextBeside(&s, 1000); v == nil || v.stream != 2 {
			t.Fatalf("beside fragment %d goes %v, want stream 2 alone", i, v)
		}
		if !s.fragment(100+2*i, &f) || uint64(f.back) != 2*i || uint64(f.index) != i || f.count != 3 || len(f.data) != 1000 {
			t.Fatalf("fragment %d is %+v", i, f)
		}
		if last := s.sent(); last != (i == 2) {
			t.Fatalf("fragment %d is the last: %v", i, last)
		}
	}
	if v := l.nextBeside(&s, 1000); v == nil || v.stream != 1 || string(v.data) != "newer" {
		t.Errorf("then goes %v, want the newer value", v)
	}

	l.set(3, make([]byte, 33_000), 64)
	if s.begin(l.stream(3, 64), 1000) {
		t.Error("33 fragments are begun")
	}
}

func TestUnreliableMessagesAreDroppedOldestFirst(t *testing.T) {
	var q unreliableQueue
	var pool buffers
	q.queue(0, pool.copyOf([]byte("old")), &pool)
	q.queue(400*ms, pool.copyOf([]byte("young")), &pool)
	q.expire(499*ms, &pool)
	if q.messages.len() != 2 {
		t.Error("a message is dropped before 500 ms")
	}
	q.expire(500*ms, &pool)
	if q.messages.len() != 1 || string(q.first()) != "young" {
		t.Error("a message of 500 ms is not dropped")
	}
	for range 70 {
		q.queue(500*ms, pool.get(1000), &pool)
	}
	if q.bytes > unreliableBytes || q.messages.len() != 65 {
		t.Errorf("%d bytes of %d messages wait", q.bytes, q.messages.len())
	}
}
