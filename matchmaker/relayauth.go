package matchmaker

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pion/turn/v5"
)

// TURN's credentials are of a room and short-lived: the user is the Unix second
// of their end, a colon and the room's code, the password the HMAC-SHA1 of that
// under a secret (the form that other TURN servers know as the REST API's). They
// open an allocation as long as they are fresh, and keep the one that they have
// opened.

// passOf is the password of a TURN user.
func passOf(secret, user string) string {
	mac := hmac.New(sha1.New, []byte(secret))
	mac.Write([]byte(user))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// turnUser is the user of a room's credentials that end at a Unix second.
func turnUser(until int64, room string) string { return strconv.FormatInt(until, 10) + ":" + room }

// relayUsers counts the allocations of each room and remembers whose they are.
type relayUsers struct {
	secret string
	quota  int // allocations of one room
	now    func() time.Time

	mu    sync.Mutex
	rooms map[string]int
	open  map[relayUser]int
	from  map[string]int // allocations of an address, of whatever room
}

// A relayUser is a room's member at an address, as TURN sees it.
type relayUser struct{ from, room string }

func newRelayUsers(secret string, quota int) *relayUsers {
	return &relayUsers{secret: secret, quota: quota, now: time.Now, rooms: make(map[string]int), open: make(map[relayUser]int), from: make(map[string]int)}
}

// auth is pion's AuthHandler: it names the room that a user is of, and the key
// that his messages are signed with. Expired credentials are good for nothing
// but the allocation that they have opened.
func (u *relayUsers) auth(ra *turn.RequestAttributes) (room string, key []byte, ok bool) {
	end, room, ok := strings.Cut(ra.Username, ":")
	until, err := strconv.ParseInt(end, 10, 64)
	if !ok || err != nil || room == "" {
		return "", nil, false
	}
	if until < u.now().Unix() && !u.has(ra.SrcAddr, room) {
		return "", nil, false
	}
	return room, turn.GenerateAuthKey(ra.Username, ra.Realm, passOf(u.secret, ra.Username)), true
}

func (u *relayUsers) has(from net.Addr, room string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.open[relayUser{from.String(), room}] > 0
}

// known says whether an address has an allocation: it has signed its messages and
// got our answers.
func (u *relayUsers) known(from net.Addr) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.from[from.String()] > 0
}

// within says whether a room may have one more.
func (u *relayUsers) within(room string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.rooms[room] < u.quota
}

// add counts an allocation that was opened (1) or has ended (-1).
func (u *relayUsers) add(from net.Addr, room string, n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.rooms[room] += n; u.rooms[room] <= 0 {
		delete(u.rooms, room)
	}
	if u.from[from.String()] += n; u.from[from.String()] <= 0 {
		delete(u.from, from.String())
	}
	who := relayUser{from.String(), room}
	if u.open[who] += n; u.open[who] <= 0 {
		delete(u.open, who)
	}
}
