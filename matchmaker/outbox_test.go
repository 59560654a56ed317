package matchmaker

import "testing"

func TestAnOutboxKeepsItsOrderAndItsBound(t *testing.T) {
	b := newOutbox(3)
	for id := range 3 {
		if !b.put(Action{To: SocketID(id)}) {
			t.Fatalf("action %d was refused", id)
		}
	}
	if b.put(Action{To: 3}) {
		t.Error("the fourth of three was taken")
	}
	<-b.news

	all := b.take()

	if len(all) != 3 || all[0].To != 0 || all[2].To != 2 || len(b.take()) != 0 {
		t.Errorf("took %+v", all)
	}
	if !b.put(Action{}) || len(b.news) != 1 {
		t.Error("it does not serve again")
	}
}
