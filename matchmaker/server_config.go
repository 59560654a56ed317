package matchmaker

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/netip"
)

// DefaultPort is where a matchmaker listens: HTTP, WebSocket, STUN and TURN on
// TCP, STUN and TURN on UDP.
const DefaultPort = 27400

// A ServerConfig sets up a Server. A zero field is the default.
type ServerConfig struct {
	Addr           string         // to listen on, TCP and UDP; ":27400"
	PublicIP       netip.Addr     // what players reach; the address listened on, else the machine's first
	AllowPrivate   bool           // the relay may reach private and loopback addresses: tests and LANs
	NoRelay        bool           // STUN and TURN are not served here
	RelayPort0     uint16         // first UDP port of the relay; RelayPort0
	RelayPorts     uint16         // how many, up to port 65,535; 4,096
	RelaySecret    string         // of TURN's credentials; random
	RelayQuota     int            // allocations of one room; 32
	RelayRate      int            // bytes a second of one allocation, each way; 1 MiB
	STUN           []string       // other STUN servers to hand out, "stun:host:port"
	TURN           []string       // other TURN servers with the same RelaySecret, "turn:host:port"
	TLS            *tls.Config    // nil: plain HTTP, as behind a proxy
	TrustedProxies []netip.Prefix // whose X-Forwarded-For counts
	Limits         Limits
	Log            *slog.Logger // nil: silence
}

func (c *ServerConfig) setDefaults() {
	if c.Addr == "" {
		c.Addr = fmt.Sprintf(":%d", DefaultPort)
	}
	if c.RelayPort0 == 0 {
		c.RelayPort0 = RelayPort0
	}
	if c.RelayPorts == 0 {
		c.RelayPorts = 4096
	}
	if c.RelayQuota == 0 {
		c.RelayQuota = 32
	}
	if c.RelayRate == 0 {
		c.RelayRate = 1 << 20
	}
	if c.RelaySecret == "" {
		var b [24]byte
		rand.Read(b[:])
		c.RelaySecret = base64.RawURLEncoding.EncodeToString(b[:])
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
}
