package session

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/partyline-go/partyline/party"
)

// A Player is a member of the party, for the list.
type Player struct {
	PID       party.PID
	Name      string
	Host      bool          // decides
	Me        bool          // this side
	Ping      time.Duration // to the host and back, as the player measured it; 0: not yet
	Loss      float64       // of what the player sent, 0 to 1
	Snapshots int           // that the player got in the last second
	Path      party.Path    // to the host, as the player tells it; PathNone: the host, or not yet
}

// A roll is the list of players, in the order in which they came.
type roll struct {
	players []Player // at most party.MaxMembers
}

func (r *roll) of(pid party.PID) *Player {
	for i := range r.players {
		if r.players[i].PID == pid {
			return &r.players[i]
		}
	}
	return nil
}

// add puts a player on the list, or gives one that is there another name.
func (r *roll) add(pid party.PID, name string) *Player {
	if p := r.of(pid); p != nil {
		p.Name = name
		return p
	}
	if pid == 0 || len(r.players) >= party.MaxMembers {
		return nil
	}
	r.players = append(r.players, Player{PID: pid, Name: name})
	return &r.players[len(r.players)-1]
}

// host is the pid of the one who decides.
func (r *roll) host() party.PID {
	for i := range r.players {
		if r.players[i].Host {
			return r.players[i].PID
		}
	}
	return 0
}

func (r *roll) remove(pid party.PID) {
	for i := range r.players {
		if r.players[i].PID == pid {
			r.players = append(r.players[:i], r.players[i+1:]...)
			return
		}
	}
}

// name gives a player's name, or a word for one who is not on the list.
func (r *roll) name(pid party.PID) string {
	if p := r.of(pid); p != nil {
		return p.Name
	}
	return "somebody"
}

// free makes a name that nobody has yet out of what a guest asks for.
func (r *roll) free(asked string) string {
	name := CleanName(asked)
	for n := 2; r.taken(name); n++ {
		end := " " + strconv.Itoa(n)
		name = cut(CleanName(asked), MaxName-len(end)) + end
	}
	return name
}

func (r *roll) taken(name string) bool {
	for i := range r.players {
		if r.players[i].Name == name {
			return true
		}
	}
	return false
}

// CleanName makes a name that can be shown: one line, at most MaxName bytes,
// "Player" if nothing is left.
func CleanName(s string) string {
	s = strings.Map(printable, s)
	s = strings.TrimSpace(cut(strings.TrimSpace(s), MaxName))
	if s == "" {
		return "Player"
	}
	return s
}

// printable lets through what can be shown in a line.
func printable(r rune) rune {
	if r == utf8.RuneError || !unicode.IsPrint(r) {
		return -1
	}
	return r
}

// cut shortens s to at most n bytes, between two letters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
