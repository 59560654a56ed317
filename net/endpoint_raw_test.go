package netmsg

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"
)

// A rawClient speaks NMS1 byte by byte to a stepped server at fakeAddr(1).
type rawClient struct {
	t    *testing.T
	w    *stepWorld
	sock *fakeSocket
}

func (w *stepWorld) raw(t *testing.T, i int) *rawClient {
	return &rawClient{t, w, w.socket(fakeAddr(i))}
}

// ask sends a datagram, given in hex and padded to size, and returns the
// answers in hex.
func (r *rawClient) ask(hexa string, size int) (answers []string) {
	r.t.Helper()
	b, err := hex.DecodeString(hexa)
	if err != nil {
		r.t.Fatal(err)
	}
	if size > len(b) {
		b = append(b, make([]byte, size-len(b))...)
	}
	r.w.send(r.sock.addr, fakeAddr(1), b)
	r.w.frame()
	return r.answers()
}

// answers gives what has come, in hex.
func (r *rawClient) answers() (answers []string) {
	var d Datagram
	for r.sock.poll(&d) {
		answers = append(answers, hex.EncodeToString(d.Data))
	}
	return answers
}

const (
	hexRequest   = "4e4d533100"
	hexChallenge = "4e4d533101"
	hexResponse  = "4e4d533102"
	hexAccept    = "4e4d533103"
	hexPayload   = "4e4d533104"
	hexEnd       = "4e4d533105"
	hexDenied    = "4e4d533106"
	hexSalt      = "1122334455667788"
)

// cookie has the server make a cookie for a salt.
func (r *rawClient) cookie(salt string) string {
	r.t.Helper()
	got := r.ask(hexRequest+salt, 1200)
	if len(got) != 1 || len(got[0]) != 2*21 || got[0][:26] != hexChallenge+salt {
		r.t.Fatalf("a Request was answered %q", got)
	}
	return got[0][26:]
}

// join gives the session of a new connection.
func (r *rawClient) join(salt string) (session, response string) {
	r.t.Helper()
	cookie := r.cookie(salt)
	a, _ := hex.DecodeString(salt)
	b, _ := hex.DecodeString(cookie)
	for i := range a {
		a[i] ^= b[i]
	}
	response = hexResponse + salt + cookie
	got := r.ask(response, 1200)
	if len(got) == 0 || got[0] != hexAccept+hex.EncodeToString(a) {
		r.t.Fatalf("a Response was answered %q", got)
	}
	return hex.EncodeToString(a), response
}

// flipLast changes the last bit of a datagram in hex.
func flipLast(hexa string) string {
	b, _ := hex.DecodeString(hexa)
	b[len(b)-1] ^= 1
	return hex.EncodeToString(b)
}

func rawServer(t *testing.T, cfg *Config) (*stepWorld, *Endpoint, *listener) {
	w, s := newStepWorld(t), &listener{}
	return w, w.endpoint(1, s, cfg), s
}

func TestACookieIsOfItsAddressItsSaltAndItsServer(t *testing.T) {
	w, _, _ := rawServer(t, plainConfig())
	other, _, _ := rawServer(t, plainConfig())
	cookies := []string{
		w.raw(t, 2).cookie(hexSalt), w.raw(t, 3).cookie(hexSalt),
		w.raw(t, 2).cookie("1122334455667789"), other.raw(t, 2).cookie(hexSalt),
	}
	if again := w.raw(t, 2).cookie(hexSalt); again != cookies[0] {
		t.Error("a cookie changes within its time")
	}
	slices.Sort(cookies)
	if n := len(slices.Compact(cookies)); n != 4 {
		t.Errorf("%d different cookies, want 4", n)
	}
}

func TestOnlyAFreshCookieFromItsOwnAddressOpens(t *testing.T) {
	w, server, s := rawServer(t, plainConfig())
	r := w.raw(t, 2)
	response := hexResponse + hexSalt + r.cookie(hexSalt)
	flipped := flipLast(response)
	if got := w.raw(t, 3).ask(response, 1200); got != nil {
		t.Errorf("from another address it was answered %q", got)
	}
	if got := r.ask(flipped, 1200); got != nil {
		t.Errorf("altered it was answered %q", got)
	}
	w.now += 21 * time.Second
	if got := r.ask(response, 1200); got != nil {
		t.Errorf("after 21 s it was answered %q", got)
	}
	if n := server.Stats().BadCookie; n != 3 {
		t.Errorf("BadCookie is %d", n)
	}
	s.want(t)
	r.join(hexSalt)
	s.want(t, "1 Joined")
}

func TestARepeatedResponseOpensNothingNew(t *testing.T) {
	w, server, s := rawServer(t, plainConfig())
	r := w.raw(t, 2)
	session, response := r.join(hexSalt)
	if got := r.ask(response, 1200); len(got) == 0 || got[0] != hexAccept+session {
		t.Errorf("a repeated Response is answered %q", got)
	}
	if server.Len() != 1 {
		t.Errorf("Len is %d", server.Len())
	}
	r.ask(hexEnd+session, 13)
	for range 3 {
		if got := r.ask(response, 1200); got != nil {
			t.Errorf("after the end it is answered %q", got)
		}
		w.now += 8 * time.Second
	}
	s.want(t, "1 Joined", "1 left Remote")
}

func TestRequestsOfAnotherSizeAreDropped(t *testing.T) {
	w, server, _ := rawServer(t, plainConfig())
	r := w.raw(t, 2)
	response := hexResponse + hexSalt + r.cookie(hexSalt)
	for _, ask := range []string{hexRequest + hexSalt, response} {
		for _, size := range []int{1199, 1201} {
			if got := r.ask(ask, size); got != nil {
				t.Errorf("%d bytes are answered %q", size, got)
			}
		}
	}
	if n := server.Stats().BadSize; n != 4 {
		t.Errorf("BadSize is %d", n)
	}
}

func TestAnswersAreAFiftiethOfWhatAsked(t *testing.T) {
	w, server, _ := rawServer(t, plainConfig())
	r := w.raw(t, 2)
	for i := range 1000 {
		r.ask(hexRequest+fmt.Sprintf("%016x", i), 1200)
	}
	if s := server.Stats(); s.Sent != 1000 || s.BytesSent*50 >= s.BytesReceived {
		t.Errorf("got %+v", s)
	}
}

func TestAFullServerDeniesOnlyWithAGoodCookie(t *testing.T) {
	w, server, s := rawServer(t, plainConfig())
	for i := range 64 {
		w.raw(t, 10+i).join(hexSalt)
	}
	r := w.raw(t, 2)
	response := hexResponse + hexSalt + r.cookie(hexSalt)
	if got := r.ask(flipLast(response), 1200); got != nil {
		t.Errorf("a bad cookie is answered %q", got)
	}
	if got := r.ask(response, 1200); !slices.Equal(got, []string{hexDenied + hexSalt}) {
		t.Errorf("the 65th is answered %q", got)
	}
	s.conn(5).Close()
	w.frame()
	if got := r.ask(response, 1200); len(got) == 0 || got[0][:10] != hexAccept {
		t.Errorf("when a place is free it is answered %q", got)
	}
	if server.Len() != 64 {
		t.Errorf("Len is %d", server.Len())
	}
}

func TestAProgramThatHearsNothingTakesABoundedNumberOfClients(t *testing.T) {
	w := newStepWorld(t)
	m := NewMailbox(0)
	cfg := plainConfig()
	cfg.MaxClients = 2
	server := w.endpoint(1, m, cfg)
	for i := range 200 {
		r := w.raw(t, 10+i)
		cookie := r.cookie(hexSalt)
		if got := r.ask(hexResponse+hexSalt+cookie, 1200); got == nil {
			break
		}
		for p := range server.Conns() {
			p.Close()
		}
		w.runFor(200 * time.Millisecond)
	}
	if got := drained(m); len(got) != 2*server.mostUntold() {
		t.Errorf("%d events waited, want %d", len(got), 2*server.mostUntold())
	}
	w.raw(t, 2).join(hexSalt)
}

func TestAClientTakesDeniedAndAcceptForItsSaltAlone(t *testing.T) {
	w := newStepWorld(t)
	var c listener
	fake := w.socket(fakeAddr(1))
	w.dial(t, w.endpoint(2, &c, plainConfig()), 1)
	w.frame()
	var d Datagram
	if !fake.poll(&d) || len(d.Data) != 1200 || !bytes.Equal(d.Data[13:], make([]byte, 1187)) {
		t.Fatalf("a Request is %d bytes", len(d.Data))
	}
	salt := d.Data[5:13]
	reply := func(from netip.AddrPort, hexa string) {
		b, _ := hex.DecodeString(hexa)
		w.send(from, fakeAddr(2), b)
		w.frame()
	}
	reply(fakeAddr(1), hexDenied+hexSalt)
	reply(fakeAddr(9), hexDenied+hex.EncodeToString(salt))
	reply(fakeAddr(1), hexAccept+hexSalt)
	c.want(t)
	reply(fakeAddr(1), hexChallenge+hex.EncodeToString(salt)+"0000000000000001")
	session := slices.Clone(salt)
	session[7] ^= 1
	reply(fakeAddr(1), hexAccept+hex.EncodeToString(session))
	reply(fakeAddr(1), hexDenied+hex.EncodeToString(salt)) // too late to matter
	c.want(t, "1 Joined")
}

func TestAClientWhoseAcceptIsLostJoinsByThePayload(t *testing.T) {
	w := newStepWorld(t)
	w.setTap(func(_ netip.AddrPort, d Datagram) bool { return d.Data[4] != plainAccept })
	var s, c listener
	w.endpoint(1, HandlerFunc(func(e Event) {
		s.HandleEvent(e)
		if e.Kind == Joined {
			e.Conn.SendReliable([]byte("welcome"))
		}
	}), plainConfig())
	w.dial(t, w.endpoint(2, &c, plainConfig()), 1)
	w.runFor(time.Second)
	c.want(t, "1 Joined", "1 message welcome")
	s.want(t, "1 Joined")
}

func TestARequestGoesEachQuarterOfASecondUntilFiveSeconds(t *testing.T) {
	w := newStepWorld(t)
	fake := w.socket(fakeAddr(1))
	var c listener
	client := w.endpoint(2, &c, plainConfig())
	w.dial(t, client, 1)
	w.runFor(5200 * time.Millisecond)
	var first, d Datagram
	fake.poll(&first)
	n := 1
	for ; fake.poll(&d); n++ {
		if !bytes.Equal(d.Data, first.Data) {
			t.Error("Requests of one dial differ")
		}
	}
	if n != 20 {
		t.Errorf("%d Requests went, want 20", n)
	}
	c.want(t, "1 left NoAnswer")
	w.dial(t, client, 1)
	w.frame()
	if !fake.poll(&d) || bytes.Equal(d.Data[5:13], first.Data[5:13]) {
		t.Error("the next dial has the same salt")
	}
}

func TestAnIdleConnectionSendsTenKeepAlivesASecond(t *testing.T) {
	w, _, _ := rawServer(t, plainConfig())
	r := w.raw(t, 2)
	session, _ := r.join(hexSalt)
	w.runFor(time.Second)
	r.answers()
	w.runFor(5 * time.Second)
	got := r.answers()
	if len(got) < 48 || len(got) > 52 {
		t.Errorf("%d datagrams in 5 s", len(got))
	}
	for _, g := range got {
		if len(g) != 2*23 || g[:26] != hexPayload+session {
			t.Errorf("a keep-alive is %s", g)
		}
	}
	w.runFor(5 * time.Second) // 11 s since the client was heard
	r.answers()
	w.runFor(time.Second)
	if got := r.answers(); got != nil {
		t.Errorf("after the time-out %d datagrams go", len(got))
	}
}
