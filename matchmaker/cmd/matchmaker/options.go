package main

import (
	"crypto/tls"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"strings"

	"golang.org/x/crypto/acme/autocert"

	"github.com/partyline-go/partyline/matchmaker"
)

// options is what the command line says.
type options struct {
	cfg                     matchmaker.ServerConfig
	public, proxies         string
	port0, ports            uint
	stun, turn              string
	cert, key               string
	acme, acmeDir           string
	masterAddr, masterFiles string
	level                   string
}

// parse reads the command line, and ends the program if it makes no sense.
func (o *options) parse() {
	flag.StringVar(&o.cfg.Addr, "addr", fmt.Sprintf(":%d", matchmaker.DefaultPort), "address to listen on: HTTP, WebSocket, STUN and TURN on TCP, STUN and TURN on UDP")
	flag.StringVar(&o.public, "public-ip", "", "address that players reach (default: the one listened on, or the machine's first)")
	flag.BoolVar(&o.cfg.AllowPrivate, "allow-private", false, "let the relay reach private and loopback addresses, for tests and LANs")
	flag.BoolVar(&o.cfg.NoRelay, "no-relay", false, "serve no STUN and TURN here")
	flag.UintVar(&o.port0, "relay-port0", matchmaker.RelayPort0, "first UDP port of the relay")
	flag.UintVar(&o.ports, "relay-ports", 4096, "how many ports the relay may use")
	flag.StringVar(&o.cfg.RelaySecret, "relay-secret", "", "secret of TURN's credentials, when several servers share it (default: random)")
	flag.IntVar(&o.cfg.RelayQuota, "relay-quota", 32, "relayed players of one room")
	flag.IntVar(&o.cfg.RelayRate, "relay-rate", 1<<20, "bytes a second that the relay carries for one player, each way")
	flag.StringVar(&o.stun, "stun", "", "other STUN servers to hand out, comma-separated, as stun:host:port")
	flag.StringVar(&o.turn, "turn", "", "other TURN servers with the same -relay-secret, comma-separated, as turn:host:port")
	flag.StringVar(&o.cert, "tls-cert", "", "certificate file (PEM)")
	flag.StringVar(&o.key, "tls-key", "", "key file (PEM)")
	flag.StringVar(&o.acme, "acme", "", "host names to get certificates for, comma-separated (TLS-ALPN on this port: it must be 443 outside)")
	flag.StringVar(&o.acmeDir, "acme-dir", "acme", "directory that keeps those certificates")
	flag.StringVar(&o.proxies, "trusted-proxies", "", "prefixes whose X-Forwarded-For counts, comma-separated")
	flag.IntVar(&o.cfg.Limits.Sockets, "max-sockets", 0, "sockets of one network (IPv4 /24, IPv6 /56) (default 128, -1: no limit)")
	flag.IntVar(&o.cfg.Limits.Rooms, "max-rooms", 0, "rooms of one network (default 64, -1: no limit)")
	flag.IntVar(&o.cfg.Limits.OpensPerMin, "max-opens", 0, "rooms opened a minute by one network (default 30, -1: no limit)")
	flag.IntVar(&o.cfg.Limits.AllRooms, "max-all-rooms", 0, "rooms in all (default 100000)")
	flag.StringVar(&o.masterAddr, "s64", "", "address of a master server for networked Nintendo 64 games, as :6464 (default: none)")
	flag.StringVar(&o.masterFiles, "s64-files", "", "directory of the files that it gives (default: none)")
	flag.StringVar(&o.level, "log", "info", "debug, info, warn or error")
	flag.Parse()
}

// server is the options as the server takes them.
func (o *options) server() (cfg matchmaker.ServerConfig, err error) {
	cfg = o.cfg
	cfg.STUN, cfg.TURN = list(o.stun), list(o.turn)
	if cfg.RelayPort0, cfg.RelayPorts, err = portRange(o.port0, o.ports); err != nil {
		return cfg, err
	}
	if o.public != "" {
		if cfg.PublicIP, err = netip.ParseAddr(o.public); err != nil {
			return cfg, fmt.Errorf("-public-ip: %w", err)
		}
	}
	for _, p := range list(o.proxies) {
		prefix, err := netip.ParsePrefix(p)
		if err != nil {
			return cfg, fmt.Errorf("-trusted-proxies: %w", err)
		}
		cfg.TrustedProxies = append(cfg.TrustedProxies, prefix)
	}
	if cfg.TLS, err = tlsConfig(o.cert, o.key, list(o.acme), o.acmeDir); err != nil {
		return cfg, err
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.level)); err != nil {
		return cfg, fmt.Errorf("-log: %w", err)
	}
	cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	return cfg, nil
}

// list splits at commas and spaces.
func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

// portRange checks that n ports from first on are ports.
func portRange(first, n uint) (uint16, uint16, error) {
	if first < 1 || n < 1 || first+n > 65536 {
		return 0, 0, fmt.Errorf("-relay-port0 %d and -relay-ports %d: want ports from 1 to 65535", first, n)
	}
	return uint16(first), uint16(n), nil
}

// tlsConfig is from files or by ACME; nil serves plain HTTP, as behind a proxy.
func tlsConfig(cert, key string, hosts []string, dir string) (*tls.Config, error) {
	switch {
	case cert != "" && len(hosts) > 0:
		return nil, fmt.Errorf("-tls-cert and -acme exclude each other")
	case (cert == "") != (key == ""):
		return nil, fmt.Errorf("-tls-cert and -tls-key go together")
	case cert != "":
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, fmt.Errorf("-tls-cert: %w", err)
		}
		return &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}, nil
	case len(hosts) > 0:
		m := &autocert.Manager{Prompt: autocert.AcceptTOS, HostPolicy: autocert.HostWhitelist(hosts...), Cache: autocert.DirCache(dir)}
		return m.TLSConfig(), nil
	}
	return nil, nil
}
