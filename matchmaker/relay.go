package matchmaker

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/pion/logging"
	"github.com/pion/turn/v5"
)

// RelayPort0 is the first of the ports that relayed players are given.
const RelayPort0 = 60000

// relayServer is the STUN and TURN server beside the directory, by pion/turn.
// It serves nobody without a room's credentials and reaches public addresses
// alone.
type relayServer struct {
	turn    *turn.Server
	carried atomic.Uint64 // bytes, to and from peers
	dropped atomic.Uint64 // STUN's and TURN's datagrams over the pace
}

const realm = "partyline"

type relayConfig struct {
	udp          net.PacketConn
	tcp          net.Listener
	public       netip.Addr // what players are told
	bind         string     // what relay sockets are bound to
	port0, ports uint16
	secret       string
	quota        int // allocations of one room
	rate         int // bytes a second of one allocation, each way
	allowPrivate bool
	log          *slog.Logger
}

func startRelay(c relayConfig) (*relayServer, error) {
	s := &relayServer{}
	addresses := meteredRelay{rate: float64(c.rate), carried: &s.carried, RelayAddressGenerator: &turn.RelayAddressGeneratorPortRange{
		RelayAddress: net.IP(c.public.AsSlice()),
		Address:      c.bind,
		MinPort:      c.port0,
		MaxPort:      c.port0 + c.ports - 1,
	}}
	permit := func(_ net.Addr, peer net.IP) bool {
		a, ok := netip.AddrFromSlice(peer)
		return ok && (c.allowPrivate || relayable(a.Unmap(), c.public))
	}
	users := newRelayUsers(c.secret, c.quota)
	server, err := turn.NewServer(turn.ServerConfig{
		Realm: realm,
		PacketConnConfigs: []turn.PacketConnConfig{{
			PacketConn: newGuardedConn(c.udp, users.known, &s.dropped), RelayAddressGenerator: addresses, PermissionHandler: permit,
		}},
		ListenerConfigs: []turn.ListenerConfig{{
			Listener: c.tcp, RelayAddressGenerator: addresses, PermissionHandler: permit,
		}},
		LoggerFactory: quiet{},
		AuthHandler:   users.auth,
		QuotaHandler:  func(room, _ string, _ net.Addr) bool { return users.within(room) },
		EventHandler: turn.EventHandler{
			OnAllocationCreated: func(from, _ net.Addr, _, room, _ string, _ net.Addr, _ int) { users.add(from, room, 1) },
			OnAllocationDeleted: func(from, _ net.Addr, _, room, _ string) { users.add(from, room, -1) },
		},
	})
	if err != nil {
		return nil, fmt.Errorf("matchmaker: relay: %w", err)
	}
	s.turn = server
	return s, nil
}

func (s *relayServer) allocations() int { return s.turn.AllocationCount() }

func (s *relayServer) close() error { return s.turn.Close() }

// relayable says whether the relay may send to a. It refuses its own address
// and everything that is not the public Internet, so that it opens no way into
// the network it stands in. (RFC 8656, section 21.1.6)
func relayable(a, own netip.Addr) bool {
	return a.IsGlobalUnicast() && !a.IsPrivate() && a != own && !sharedSpace.Contains(a)
}

// sharedSpace is what carriers use between their NATs and their customers
// (RFC 6598).
var sharedSpace = netip.MustParsePrefix("100.64.0.0/10")

// quiet keeps pion from printing; what matters is counted.
type quiet struct{}

func (quiet) NewLogger(string) logging.LeveledLogger { return quietLogger{} }

type quietLogger struct{}

func (quietLogger) Trace(string)          {}
func (quietLogger) Tracef(string, ...any) {}
func (quietLogger) Debug(string)          {}
func (quietLogger) Debugf(string, ...any) {}
func (quietLogger) Info(string)           {}
func (quietLogger) Infof(string, ...any)  {}
func (quietLogger) Warn(string)           {}
func (quietLogger) Warnf(string, ...any)  {}
func (quietLogger) Error(string)          {}
func (quietLogger) Errorf(string, ...any) {}

// credentialLife is how long a room's TURN credentials are good.
const credentialLife = 10 * time.Minute
