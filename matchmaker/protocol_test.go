package matchmaker

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestTheProtocolsPageHasEveryMemberKindAndReason(t *testing.T) {
	data, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	var words []string
	for _, of := range []reflect.Type{reflect.TypeFor[Message](), reflect.TypeFor[Candidate](), reflect.TypeFor[TURNServer]()} {
		for i := range of.NumField() {
			name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
			words = append(words, name)
		}
	}
	for _, k := range []Kind{Open, Refresh, Join, Handoff, Claim, Close, Cands, RTC, RoomIs, Peer, Moved, Alive, Claimed, Error} {
		words = append(words, string(k))
	}
	for _, w := range []Why{NoRoom, Closed, Full, Proto, Busy, Throttled, Bad} {
		words = append(words, string(w))
	}
	for _, word := range words {
		if !strings.Contains(page, "`"+word+"`") && !strings.Contains(page, `"`+word+`"`) && !regexp.MustCompile(`\{[a-z, ]*\b`+word+`\b[a-z, ]*\}`).MatchString(page) {
			t.Errorf("the page says nothing of %q", word)
		}
	}
}

func TestTheProtocolsExamplesAreMessages(t *testing.T) {
	data, err := os.ReadFile("PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllSubmatch(data, -1)
	if len(found) < 5 {
		t.Errorf("%d examples", len(found))
	}
	for _, example := range found {
		m, err := Parse(example[1])
		if err != nil {
			t.Errorf("%s: %v", example[1], err)
			continue
		}
		if got := string(m.Encode()); got != string(example[1]) {
			t.Errorf("the page has %s, the code writes %s", example[1], got)
		}
	}
}
