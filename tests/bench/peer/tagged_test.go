package peer

import "testing"

func TestATagIsTheKindOfWhatFollows(t *testing.T) {
	for _, kind := range []Kind{Reliable, Latest} {
		ev := Untag(3, AppendTagged(nil, kind, []byte("data")))
		if ev.Conn != 3 || ev.Kind != kind || string(ev.Data) != "data" {
			t.Errorf("kind %d came as %+v", kind, ev)
		}
	}
	if ev := Untag(0, Hello); ev.Kind != Joined || len(ev.Data) != 0 {
		t.Errorf("a hello came as %+v", ev)
	}
}
