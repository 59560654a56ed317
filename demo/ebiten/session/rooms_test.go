package session

import (
	"strings"
	"testing"

	"github.com/partyline-go/partyline/party"
)

func TestEveryReasonToHaveNoRoomHasASentence(t *testing.T) {
	for why := party.WhyNone; why <= party.WhyCancelled; why++ {
		if words := roomWords(why); !strings.HasSuffix(words, ".") || strings.Contains(words, "Why(") {
			t.Errorf("%v: %q", why, words)
		}
	}
	if roomWords(party.WhyThrottled) == roomWords(party.WhyNoMatchmaker) {
		t.Error("a matchmaker that is away and one that is busy are told alike")
	}
}

func TestAHostThatWasReplacedHearsWhereTheGameWentOn(t *testing.T) {
	if words := EndWords(party.WhyReplaced, "7K3M-Q0ZD"); !strings.Contains(words, "7K3M-Q0ZD") {
		t.Errorf("it hears %q", words)
	}
}

func TestAJoinByAddressSaysThatTheHostIsCalled(t *testing.T) {
	s := New(Config{Name: "Ada"})
	if words := s.JoinWords(); words != "" {
		t.Errorf("idle: %q", words)
	}
	to, err := ParseCode("127.0.0.1:9")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Join(to); err != nil {
		t.Fatal(err)
	}
	defer s.Leave()

	if words := s.JoinWords(); words != "Calling the host" {
		t.Errorf("%q", words)
	}
}
