package session

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/partyline-go/partyline/matchmaker/s64"
	"github.com/partyline-go/partyline/party"
)

// A Nearby looks for games that a master server of N64NL lists, and asks each
// who it is, for as long as somebody wants to know. Its goroutine does the
// asking; the methods never wait for the network.
type Nearby struct {
	master string
	stop   context.CancelFunc
	wanted chan struct{}
	done   chan struct{}

	mu    sync.Mutex
	games []NearbyGame
	asked bool
	err   error
}

// A NearbyGame is one that has answered.
type NearbyGame struct {
	Name    string // CleanName is applied
	Addr    string // "ip:port", for Join
	Players int    // in it, of Max
	Max     int
	Ping    time.Duration // there and back, and until the host's next frame
}

// Limits of a look around.
const (
	lookEvery   = 4 * time.Second
	listTime    = 5 * time.Second
	answerTime  = 1500 * time.Millisecond
	mostNearby  = 64 // games that are asked
	askedAtOnce = 16
)

// LookAround begins with the master server at "host:port". Close ends it.
func LookAround(master string) *Nearby {
	ctx, stop := context.WithCancel(context.Background())
	n := &Nearby{master: master, stop: stop, wanted: make(chan struct{}, 1), done: make(chan struct{})}
	go n.run(ctx)
	return n
}

// Games are those that answered when they were last asked, the nearest first,
// and the caller's. It has them asked again: call it as long as they are looked
// at. asked is false before the first answer; err is why there is no newer one.
func (n *Nearby) Games() (games []NearbyGame, asked bool, err error) {
	select {
	case n.wanted <- struct{}{}:
	default:
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.games), n.asked, n.err
}

// Close ends the looking, and waits for its goroutine, which waits for nothing.
func (n *Nearby) Close() {
	n.stop()
	<-n.done
}

func (n *Nearby) run(ctx context.Context) {
	defer close(n.done)
	for {
		select {
		case <-n.wanted:
		case <-ctx.Done():
			return
		}
		games, err := look(ctx, n.master)
		n.mu.Lock()
		n.asked, n.err = true, err
		if err == nil {
			n.games = games
		}
		n.mu.Unlock()
		select {
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return
		}
	}
}

// look asks the master, and every game of this kind that it lists.
func look(ctx context.Context, master string) ([]NearbyGame, error) {
	listing, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	list, err := s64.List(listing, master)
	if err != nil {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(e s64.Entry) bool { return e.Hash != party.ListingHash(Proto) })
	list = list[:min(len(list), mostNearby)]

	games := make([]NearbyGame, len(list))
	slots := make(chan struct{}, askedAtOnce)
	var all sync.WaitGroup
	for i, e := range list {
		slots <- struct{}{}
		all.Go(func() {
			games[i] = askGame(ctx, e.Addr)
			<-slots
		})
	}
	all.Wait()
	games = slices.DeleteFunc(games, func(g NearbyGame) bool { return g.Addr == "" })
	slices.SortStableFunc(games, func(a, b NearbyGame) int { return cmp.Compare(a.Ping, b.Ping) })
	return games, nil
}

// askGame asks a host who it is; no Addr: it has not answered.
func askGame(ctx context.Context, addr string) NearbyGame {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	there, ping, err := s64.Discover(ctx, addr)
	if err != nil {
		return NearbyGame{}
	}
	return NearbyGame{
		Name: CleanName(there.Name), Addr: addr, Ping: ping,
		Players: int(min(there.Players, 99)), Max: int(min(there.Max, 99)),
	}
}
