package arena

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

func TestASnapshotLosesNothing(t *testing.T) {
	var seen World
	botGame(21, MaxPlayers, 100*TicksPerSecond, func(w *World) {
		if err := seen.Decode(w.Append(nil)); err != nil {
			t.Fatalf("tick %d: %v", w.Tick, err)
		}
		want := *w
		want.count, want.events = 0, [maxEvents]Event{}
		if seen != want {
			t.Fatalf("tick %d: decoded\n%+v, want\n%+v", w.Tick, seen.Discs, want.Discs)
		}
	})
}

func TestAnEmptyWorldTakesASnapshotOfSeedZero(t *testing.T) {
	var w World
	if err := w.Decode(New(0).Append(nil)); err != nil || !w.Solid(Vec{}) {
		t.Errorf("error %v, ice in the middle: %v", err, w.Solid(Vec{}))
	}
}

func TestAGameGoesOnFromASnapshotAsItWouldHave(t *testing.T) {
	var branch World
	in := [MaxPlayers]Input{{X: 100, Y: 20}, {X: -127, Charge: true}}
	botGame(22, MaxPlayers, 40*TicksPerSecond, func(w *World) {
		if w.Tick%97 != 0 {
			return
		}
		if err := branch.Decode(w.Append(nil)); err != nil {
			t.Fatal(err)
		}
		original := *w
		for range 2 * TicksPerSecond {
			original.Step(&in)
			branch.Step(&in)
		}
		if !bytes.Equal(original.Append(nil), branch.Append(nil)) {
			t.Fatalf("two futures of tick %d", w.Tick)
		}
	})
}

func TestTheSameSeedGivesTheSameGame(t *testing.T) {
	a := botGame(5, 8, 50*TicksPerSecond, nil).Append(nil)
	b := botGame(5, 8, 50*TicksPerSecond, nil).Append(nil)
	c := botGame(6, 8, 50*TicksPerSecond, nil).Append(nil)

	if !bytes.Equal(a, b) {
		t.Error("one seed, two games")
	}
	if bytes.Equal(a, c) {
		t.Error("two seeds, one game")
	}
}

func TestASnapshotOfTwelveFitsInAPacketThreeTimes(t *testing.T) {
	w := New(1)
	for i := range MaxPlayers {
		w.Join(uint16(i + 1))
	}
	if got := len(w.Append(nil)); got != SnapshotMax || got > 400 {
		t.Errorf("%d bytes, SnapshotMax is %d", got, SnapshotMax)
	}
}

func TestADamagedSnapshotIsRefusedAndChangesNothing(t *testing.T) {
	good := botGame(3, 4, 500, nil).Append(nil)
	with := func(at int, v byte) []byte {
		b := bytes.Clone(good)
		b[at] = v
		return b
	}
	first := headSize // of the first disc
	for name, bad := range map[string][]byte{
		"empty":            {},
		"a head alone":     good[:headSize],
		"cut short":        good[:len(good)-1],
		"one byte more":    append(bytes.Clone(good), 0),
		"phase 0":          with(4, 0),
		"phase 6":          with(4, 6),
		"a 13th place":     with(17, 0x10),
		"nobody's disc":    with(first+1, 0),
		"two of one id":    with(first+1, 2),
		"state 0":          with(first+12, 0),
		"unknown flag":     with(first+12, 0x11),
		"overcharged":      with(first+13, ChargeFull+1),
		"hit by a 13th":    with(first+17, MaxPlayers+1),
		"more discs named": with(18, 0x1f),
	} {
		w := *New(8)
		before := w
		if err := w.Decode(bad); err != ErrSnapshot || w != before {
			t.Errorf("%s: error %v, changed %v", name, err, w != before)
		}
	}
}

func FuzzSnapshot(f *testing.F) {
	f.Add(botGame(3, 12, 500, nil).Append(nil))
	f.Add(New(1).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		var w World
		if w.Decode(b) != nil {
			return
		}
		if again := w.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x decodes and encodes to %x", b, again)
		}
		for range 200 { // whatever was decoded can be played
			var in [MaxPlayers]Input
			w.Step(&in)
		}
	})
}

func TestInputsComeBackAsTheyWere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Input{rapid.Int8().Draw(t, "x"), rapid.Int8().Draw(t, "y"), rapid.Bool().Draw(t, "charge")}
		b := in.Append(nil)
		got, ok := ParseInput(b)
		if !ok || got != in || len(b) != InputSize {
			t.Fatalf("%+v came back as %+v", in, got)
		}
		if l := in.Dir().Len(); l > 1.0001 {
			t.Fatalf("%+v pushes %v", in, l)
		}
	})
	for _, bad := range [][]byte{nil, {1, 2}, {1, 2, 2}, {1, 2, 1, 0}} {
		if _, ok := ParseInput(bad); ok {
			t.Errorf("%v parsed", bad)
		}
	}
}
