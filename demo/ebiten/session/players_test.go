package session

import (
	"strings"
	"testing"

	"github.com/partyline-go/partyline/party"
)

func partyPID(n int) party.PID { return party.PID(n) }

func TestNamesAreMadeFitToShow(t *testing.T) {
	for in, want := range map[string]string{
		"Ada":                         "Ada",
		"  Ada \n":                    "Ada",
		"":                            "Player",
		"\x1b[2J":                     "[2J",
		"a\u202eb":                    "ab",
		strings.Repeat("x", 40):       strings.Repeat("x", MaxName),
		strings.Repeat("é", 20):       strings.Repeat("é", MaxName/2),
		"x" + strings.Repeat("é", 20): "x" + strings.Repeat("é", 11),
		"\xff\xfe":                    "Player",
	} {
		if got := CleanName(in); got != want {
			t.Errorf("CleanName(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTwoOfANameAreToldApart(t *testing.T) {
	var r roll
	long := strings.Repeat("é", 20)
	var got []string
	for i, asked := range []string{"Ada", "Ada", "Ada", long, long} {
		name := r.free(asked)
		r.add(partyPID(i+1), name)
		got = append(got, name)
	}

	want := []string{"Ada", "Ada 2", "Ada 3", strings.Repeat("é", 12), strings.Repeat("é", 11) + " 2"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestTheRollHoldsAParty(t *testing.T) {
	var r roll
	for i := range 20 {
		r.add(partyPID(i+1), "x")
	}
	if len(r.players) != party.MaxMembers || r.add(0, "nobody") != nil {
		t.Errorf("%d players", len(r.players))
	}
	r.remove(3)
	if r.of(3) != nil || r.name(3) != "somebody" || r.name(4) != "x" {
		t.Error("the wrong one left")
	}
}
