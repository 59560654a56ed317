package party

import (
	"time"

	"github.com/partyline-go/partyline/codes"
)

// Host opens a socket on port (0: the system chooses) and takes guests. token
// is an id of the session, for the game to use; guests learn it. The error
// wraps WhyPortInUse, WhySocket or ErrBusy.
func (p *Party) Host(port uint16, token uint32) error { return nil }

// Join sets out for a host. It does not wait: Facts tell Joined or Down,
// exactly one of them, within JoinTimeout unless HelloWait was called.
func (p *Party) Join(to codes.Target) error { return nil }

// Dial tries again, or elsewhere, on the same party: after Down, or instead of
// the join that is on. The hello goes again.
func (p *Party) Dial(to codes.Target) error { return nil }

// Cancel takes back a join: Facts tell Down(WhyCancelled), unless the join has
// ended already.
func (p *Party) Cancel() {}

// Leave ends the session at once, and tells the others.
func (p *Party) Leave() {}

// Lose ends the session at once for a reason of the game's: Facts tell
// Down(why).
func (p *Party) Lose(why Why) {}

// Fresh forgets a lost session: Why is WhyNone again.
func (p *Party) Fresh() {}

// HelloWait lets a hello wait for d from now at least: at a guest its own, at
// the host that of each stranger. It never shortens the wait, and cannot take
// it over MaxHelloWait in all.
func (p *Party) HelloWait(d time.Duration) {}

// Accept lets a stranger in and gives its pid. It is 0 for a peer that has
// gone already, or when all seats are taken, which the peer is then told.
func (p *Party) Accept(peer *Peer) PID { return 0 }

// Refuse sends a stranger away with a text of the game's: it hears
// Down(WhyRefused) and the text.
func (p *Party) Refuse(peer *Peer, text string) {}

// ClosePeer lets a guest go at once: it hears Down(WhyKicked) and the text.
func (p *Party) ClosePeer(peer *Peer, text string) {}

// CloseWhenSent lets a guest go once it has taken all that was queued for it,
// or after the time given.
func (p *Party) CloseWhenSent(peer *Peer, within time.Duration) {}

// JoinedAs gives the session's token and this side's pid; zeros until Joined.
func (p *Party) JoinedAs() (token uint32, pid PID) { return 0, 0 }

// Seat is this guest's proof of its place. Store it, and give it to
// Config.Seat after a crash. Nil before Joined.
func (p *Party) Seat() []byte { return nil }

// HandOff gives the party to another member, 0: the first in order, and then
// leaves: Facts tell Down(WhyMoved).
func (p *Party) HandOff(to PID) error { return nil }

// BecomeHost makes this member the host, with a new token (0: a random one).
// The other members keep their pids and come by themselves or by Follow.
func (p *Party) BecomeHost(token uint32) error { return nil }

// Follow goes to the party's host elsewhere, and keeps the pid.
func (p *Party) Follow(to codes.Target) error { return nil }

// StandAlone goes on without the others: this member becomes the host of a
// party of one, which others may join.
func (p *Party) StandAlone() error { return nil }
