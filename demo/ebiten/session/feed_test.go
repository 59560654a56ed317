package session

import (
	"strings"
	"testing"

	"github.com/partyline-go/partyline/party"
)

func TestTheFeedKeepsTheNewest(t *testing.T) {
	var f Feed
	for i := range 100 {
		f.add(Note{Kind: NoteJoined, Who: partyPID(i)})
	}

	if f.Count() != 100 || f.Note(99).Who != 99 || f.Note(36).Who != 36 || f.Note(35) != nil || f.Note(100) != nil {
		t.Error("the wrong notes are kept")
	}
	if f.Note(f.Count()-101) != nil {
		t.Error("a note from before the first")
	}
}

func TestChatIsMadeFitToShow(t *testing.T) {
	for said, want := range map[string]string{
		"hello!":                       "hello!",
		"tab\there\x00\x1b[31m":        "tabhere[31m",
		"bad \xff utf":                 "bad  utf",
		"":                             "",
		strings.Repeat("ü", 200):       strings.Repeat("ü", MaxChat/2),
		"a" + strings.Repeat("ü", 200): "a" + strings.Repeat("ü", (MaxChat-1)/2),
	} {
		var n Note
		n.say([]byte(said))
		if n.Text() != want {
			t.Errorf("%q is shown as %q, want %q", said, n.Text(), want)
		}
	}
}

func TestNotesAreWords(t *testing.T) {
	for want, n := range map[string]Note{
		"Ada joined":           {Kind: NoteJoined, Name: "Ada"},
		"Ada left":             {Kind: NoteLeft, Name: "Ada", Why: party.WhyClosed},
		"Bo pushed Ada in":     {Kind: NoteFell, Who: 2, By: 3, Name: "Ada", ByName: "Bo"},
		"Ada fell in":          {Kind: NoteFell, Who: 2, Name: "Ada"},
		"Ada won the round":    {Kind: NoteRound, Who: 2, Name: "Ada"},
		"nobody won the round": {Kind: NoteRound},
		"Ada won the match":    {Kind: NoteMatch, Who: 2, Name: "Ada"},
		"Ada is the host now":  {Kind: NoteNewHost, Who: 2, Name: "Ada"},
		"Ada has not been heard of for ten seconds and is gone": {Kind: NoteLeft, Name: "Ada", Why: party.WhySilent},
	} {
		if got := n.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestEveryEndHasWords(t *testing.T) {
	for why := party.WhyNone; !strings.HasPrefix(why.String(), "Why("); why++ {
		words := EndWords(why, "")
		if why != party.WhyNone && why != party.WhyGame && words == EndWords(party.WhyNone, "") {
			t.Errorf("%v has no words of its own", why)
		}
		if !strings.HasSuffix(words, ".") && !strings.HasSuffix(words, "?") {
			t.Errorf("%v: %q is no sentence", why, words)
		}
	}
	if got := EndWords(party.WhyRefused, "wrong map"); !strings.Contains(got, "wrong map") {
		t.Errorf("the host's own words are missing in %q", got)
	}
}

func TestATypedCodeIsReadOrTheReasonToldInWords(t *testing.T) {
	for _, text := range []string{"fw000 0bb2y", "FW000-0BB2Y", "127.0.0.1:27415", "127.0.0.1"} {
		if to, err := ParseCode(text); err != nil || to.Addr.String() != "127.0.0.1:27415" {
			t.Errorf("%q: %v, error %v", text, to.Addr, err)
		}
	}
	for text, want := range map[string]string{
		"FW000-0BB2Z": "The code is mistyped: its symbols do not fit together.",
		"FW000":       "A code has 8, 10, 30, 34 or 54 symbols: this one has 5.",
		"FW000-0BB2!": "No code has this symbol: '!'.",
		"  ":          "There is no code in the text.",
		"127.0.0.1:0": "This address cannot be joined: port 0 of 127.0.0.1.",
	} {
		if _, err := ParseCode(text); err == nil || ErrorWords(err) != want {
			t.Errorf("%q: error %v, want in words: %s", text, err, want)
		}
	}
}
