package matchmaker

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
)

// Limits of one signalling message. The edge reads no more than MaxMessage
// bytes; the rest is checked when a message is parsed, before anything acts.
const (
	MaxMessage    = 16 << 10 // bytes of one message
	MaxCandidates = 8        // addresses in one message
	maxName       = 64       // bytes of a party's public name
	maxText       = 200      // bytes of an error's text
	maxRTC        = 12 << 10 // bytes of one browser offer, answer or candidate
	version       = 1        // "v" of every message
)

// Bytes is binary data, base64url without padding in JSON.
type Bytes []byte

// MarshalText gives the base64url form.
func (b Bytes) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText reads the base64url form.
func (b *Bytes) UnmarshalText(text []byte) error {
	data, err := base64.RawURLEncoding.AppendDecode(nil, text)
	*b = data
	return err
}

// CandidateKind says what kind of address a Candidate is.
type CandidateKind string

const (
	LocalCandidate  CandidateKind = "local"  // of an interface of the machine
	PublicCandidate CandidateKind = "public" // what a STUN server saw
	RelayCandidate  CandidateKind = "relay"  // allocated at a TURN server
)

// A Candidate is an address at which a player may be reached. It is a claim:
// the matchmaker sees only the address of the player's WebSocket. It marks as
// Own what it can vouch for: that very IP, its own relay's, or a private address
// when both of a pair come from one IP. What a client says there is not looked
// at.
type Candidate struct {
	Kind CandidateKind  `json:"k"`
	Addr netip.AddrPort `json:"a"`
	Own  bool           `json:"own,omitempty"`
}

// A TURNServer is a relay with credentials that end after TTL seconds.
type TURNServer struct {
	URLs []string `json:"urls"` // "turn:host:port?transport=udp", or tcp
	User string   `json:"user"`
	Pass string   `json:"pass"`
	TTL  int      `json:"ttl"` // seconds
}

// A Kind names what a message says.
type Kind string

const (
	// From a client.
	Open    Kind = "open"    // a host wants a room, or its own room back (Code, Ticket, Epoch)
	Refresh Kind = "refresh" // a host is still there: Players; Renew asks for a new ticket
	Join    Kind = "join"    // a guest wants the host of room Code
	Handoff Kind = "handoff" // the host names its heir's Key
	Claim   Kind = "claim"   // an heir wants the room: Code, Ticket, Epoch, Key
	Close   Kind = "close"   // the host ends the room

	// From either, passed on to the other of a pair.
	Cands Kind = "cands" // more candidates
	RTC   Kind = "rtc"   // a browser's Data

	// From the server.
	RoomIs  Kind = "room"    // the room is yours: Code, Ticket, STUN, TURN
	Peer    Kind = "peer"    // somebody to meet: ID, Cands, Key, PSK, DelayMS
	Moved   Kind = "moved"   // the room has another host, of Epoch
	Alive   Kind = "alive"   // the room's holder has just answered: the claim is not granted
	Claimed Kind = "claimed" // somebody claims your room: Epoch, Key
	Error   Kind = "error"   // Why, Text, RetryMS
)

// Why says why the matchmaker refused.
type Why string

const (
	NoRoom    Why = "no_room"   // no room has this code
	Closed    Why = "closed"    // the room was there and has ended
	Full      Why = "full"      // the party has no place
	Proto     Why = "proto"     // the host plays another version of the game
	Busy      Why = "busy"      // too many rooms or sockets, or the server is about to stop
	Throttled Why = "throttled" // too many tries; RetryMS says when to try again
	Bad       Why = "bad"       // the message makes no sense
)

// A Message is one object of the signalling protocol, in either direction.
// Only the fields that its Kind names have a meaning; one that is zero is left
// out. PROTOCOL.md has them kind by kind.
type Message struct {
	T       Kind            `json:"t"`
	V       int             `json:"v"`                  // the protocol's version, 1; Encode sets it
	App     Bytes           `json:"app,omitempty"`      // the game protocol's id, 1 to 8 bytes
	Proto   int             `json:"proto,omitempty"`    // version of the game's messages
	Key     Bytes           `json:"key,omitempty"`      // public key of who speaks, or of whom is spoken: 32 bytes
	Name    string          `json:"name,omitempty"`     // of the party, in the public list: at most 64 bytes
	Max     int             `json:"max,omitempty"`      // places, 0 to 4,096; 0: any number
	Public  bool            `json:"public,omitempty"`   // the party is listed
	Players int             `json:"players,omitempty"`  // places taken, 0 to 4,096
	Renew   bool            `json:"renew,omitempty"`    // refresh: another ticket, please
	Again   bool            `json:"again,omitempty"`    // join: as one who has a place already
	Code    string          `json:"code,omitempty"`     // of the room, in any form that codes.Parse reads
	Ticket  Bytes           `json:"ticket,omitempty"`   // proof of a right to the room: 16 bytes
	Epoch   uint32          `json:"epoch,omitempty"`    // counts the party's hosts
	ID      string          `json:"id,omitempty"`       // of a pair, 16 hexadecimal digits
	To      string          `json:"to,omitempty"`       // ID of the pair for whose other the message is
	Cands   []Candidate     `json:"cands,omitempty"`    // MaxCandidates at most
	Data    json.RawMessage `json:"data,omitempty"`     // a browser's offer, answer or candidate: at most 12 KiB
	PSK     Bytes           `json:"psk,omitempty"`      // of the pair, 32 bytes
	DelayMS int             `json:"delay_ms,omitempty"` // wait so long, so that both begin together; at most 1,000
	STUN    []string        `json:"stun,omitempty"`     // servers, as "stun:host:port"
	TURN    []TURNServer    `json:"turn,omitempty"`
	Why     Why             `json:"why,omitempty"`
	Text    string          `json:"text,omitempty"`     // the refusal in words: at most 200 bytes
	RetryMS int             `json:"retry_ms,omitempty"` // after so long it may be asked again
}

// Encode gives m as JSON, with its version. It does not check m: Parse does, at
// who reads it. Data that is no JSON panics.
func (m Message) Encode() []byte {
	m.V = version
	data, err := json.Marshal(m)
	if err != nil {
		panic(err) // only Data can fail to encode, and Parse has read it as JSON
	}
	return data
}

// Parse reads one message. A message over MaxMessage bytes, one that is no JSON
// object of this version, and a field outside its limits are errors, which say
// the size and the limit. Fields it does not know are skipped, so that either
// side may be newer.
func Parse(data []byte) (Message, error) {
	var m Message
	if len(data) > MaxMessage {
		return m, fmt.Errorf("matchmaker: message of %d bytes, at most %d", len(data), MaxMessage)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("matchmaker: %w", err)
	}
	return m, m.check()
}

func (m *Message) check() error {
	switch {
	case m.V != version:
		return fmt.Errorf("matchmaker: version %d, want %d", m.V, version)
	case m.T == "":
		return errors.New("matchmaker: no \"t\"")
	case len(m.Key) != 0 && len(m.Key) != 32:
		return fmt.Errorf("matchmaker: key of %d bytes, want 32", len(m.Key))
	case len(m.PSK) != 0 && len(m.PSK) != 32:
		return fmt.Errorf("matchmaker: psk of %d bytes, want 32", len(m.PSK))
	case len(m.Ticket) != 0 && len(m.Ticket) != 16:
		return fmt.Errorf("matchmaker: ticket of %d bytes, want 16", len(m.Ticket))
	case len(m.App) > 8:
		return fmt.Errorf("matchmaker: app id of %d bytes, at most 8", len(m.App))
	case len(m.Name) > maxName:
		return fmt.Errorf("matchmaker: name of %d bytes, at most %d", len(m.Name), maxName)
	case len(m.Text) > maxText:
		return fmt.Errorf("matchmaker: text of %d bytes, at most %d", len(m.Text), maxText)
	case len(m.Data) > maxRTC:
		return fmt.Errorf("matchmaker: data of %d bytes, at most %d", len(m.Data), maxRTC)
	case len(m.Cands) > MaxCandidates:
		return fmt.Errorf("matchmaker: %d candidates, at most %d", len(m.Cands), MaxCandidates)
	case m.Players < 0 || m.Players > 4096 || m.Max < 0 || m.Max > 4096:
		return fmt.Errorf("matchmaker: %d players of %d, want 0 to 4096", m.Players, m.Max)
	}
	for _, c := range m.Cands {
		if err := c.check(); err != nil {
			return err
		}
	}
	return nil
}

func (c Candidate) check() error {
	switch c.Kind {
	case LocalCandidate, PublicCandidate, RelayCandidate:
	default:
		return fmt.Errorf("matchmaker: candidate of kind %q", c.Kind)
	}
	a := c.Addr.Addr()
	if c.Addr.Port() == 0 || !a.IsValid() || a.IsUnspecified() || a.IsMulticast() {
		return fmt.Errorf("matchmaker: candidate %v cannot be dialled", c.Addr)
	}
	return nil
}
