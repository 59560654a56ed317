package level

import (
	"bytes"
	"testing"

	"github.com/partyline-go/partyline/demo/ebiten/arena"
)

func TestALevelIs256KiBAndComesThroughWhole(t *testing.T) {
	made := Make(Settings{Seed: 3, Snow: 40})

	got, err := Parse(made.Bytes(), made.Sum())

	if err != nil || len(made.Bytes()) != 256<<10 || got.Sum() != made.Sum() || !bytes.Equal(got.Bytes(), made.Bytes()) {
		t.Errorf("%d bytes, %v", len(made.Bytes()), err)
	}
}

func TestADamagedOrForeignLevelIsRefused(t *testing.T) {
	made := Make(Settings{Seed: 3, Snow: 40})
	damaged := bytes.Clone(made.Bytes())
	damaged[Size/2] ^= 1

	for what, data := range map[string][]byte{"damaged": damaged, "short": made.Bytes()[1:], "none": nil} {
		if l, err := Parse(data, made.Sum()); err == nil || l != nil {
			t.Errorf("%s: it is taken", what)
		}
	}
	if _, err := Parse(Make(Settings{Seed: 4, Snow: 40}).Bytes(), made.Sum()); err == nil {
		t.Error("another seed's is taken")
	}
}

func TestTheSeedAndTheSnowMakeTheLevel(t *testing.T) {
	white := func(snow int) (n int) {
		for _, v := range Make(Settings{Seed: 3, Snow: snow}).Bytes() {
			if v >= 128 {
				n++
			}
		}
		return n * 100 / Size
	}

	none, half, full := white(0), white(50), white(100)

	if none > 5 || half < 25 || half > 75 || full < 95 {
		t.Errorf("white are %d, %d and %d %%", none, half, full)
	}
	first, second := Make(Settings{Seed: 3}), Make(Settings{Seed: 3})
	if first.Sum() != second.Sum() {
		t.Error("the same settings give two levels")
	}
}

func TestTheMiddleOfTheArenaIsTheMiddleOfTheLevel(t *testing.T) {
	if x, y := At(arena.Vec{}); x != Side/2 || y != Side/2 {
		t.Errorf("%v, %v", x, y)
	}
	if x, y := At(arena.Vec{X: -Reach, Y: Reach}); x != 0 || y != Side {
		t.Errorf("%v, %v", x, y)
	}
}
