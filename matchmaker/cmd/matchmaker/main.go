// Matchmaker is the server that friends' parties meet at: rooms and signalling
// over WebSocket, STUN and TURN, one binary, one port.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/acme/autocert"

	"github.com/partyline-go/partyline/matchmaker"
	"github.com/partyline-go/partyline/matchmaker/s64"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var cfg matchmaker.ServerConfig
	var s64Addr, s64Files string
	var public, proxies, stun, turn, cert, key, acme, acmeDir, level string
	flag.StringVar(&cfg.Addr, "addr", fmt.Sprintf(":%d", matchmaker.DefaultPort), "address to listen on: HTTP, WebSocket, STUN and TURN on TCP, STUN and TURN on UDP")
	flag.StringVar(&public, "public-ip", "", "address that players reach (default: the one listened on, or the machine's first)")
	flag.BoolVar(&cfg.AllowPrivate, "allow-private", false, "let the relay reach private and loopback addresses, for tests and LANs")
	flag.BoolVar(&cfg.NoRelay, "no-relay", false, "serve no STUN and TURN here")
	port0 := flag.Uint("relay-port0", matchmaker.RelayPort0, "first UDP port of the relay")
	ports := flag.Uint("relay-ports", 4096, "how many ports the relay may use")
	flag.StringVar(&cfg.RelaySecret, "relay-secret", "", "secret of TURN's credentials, when several servers share it (default: random)")
	flag.IntVar(&cfg.RelayQuota, "relay-quota", 32, "relayed players of one room")
	flag.IntVar(&cfg.RelayRate, "relay-rate", 1<<20, "bytes a second that the relay carries for one player, each way")
	flag.StringVar(&stun, "stun", "", "other STUN servers to hand out, comma-separated, as stun:host:port")
	flag.StringVar(&turn, "turn", "", "other TURN servers with the same -relay-secret, comma-separated, as turn:host:port")
	flag.StringVar(&cert, "tls-cert", "", "certificate file (PEM)")
	flag.StringVar(&key, "tls-key", "", "key file (PEM)")
	flag.StringVar(&acme, "acme", "", "host names to get certificates for, comma-separated (TLS-ALPN on this port: it must be 443 outside)")
	flag.StringVar(&acmeDir, "acme-dir", "acme", "directory that keeps those certificates")
	flag.StringVar(&proxies, "trusted-proxies", "", "prefixes whose X-Forwarded-For counts, comma-separated")
	flag.IntVar(&cfg.Limits.Sockets, "max-sockets", 0, "sockets of one network (IPv4 /24, IPv6 /56) (default 128, -1: no limit)")
	flag.IntVar(&cfg.Limits.Rooms, "max-rooms", 0, "rooms of one network (default 64, -1: no limit)")
	flag.IntVar(&cfg.Limits.OpensPerMin, "max-opens", 0, "rooms opened a minute by one network (default 30, -1: no limit)")
	flag.IntVar(&cfg.Limits.AllRooms, "max-all-rooms", 0, "rooms in all (default 100000)")
	flag.StringVar(&s64Addr, "s64", "", "address of a master server for networked Nintendo 64 games, as :6464 (default: none)")
	flag.StringVar(&s64Files, "s64-files", "", "directory of the files that it gives (default: none)")
	flag.StringVar(&level, "log", "info", "debug, info, warn or error")
	flag.Parse()

	var err error
	if cfg.RelayPort0, cfg.RelayPorts, err = portRange(*port0, *ports); err != nil {
		return err
	}
	if public != "" {
		if cfg.PublicIP, err = netip.ParseAddr(public); err != nil {
			return fmt.Errorf("-public-ip: %w", err)
		}
	}
	for _, p := range list(proxies) {
		prefix, err := netip.ParsePrefix(p)
		if err != nil {
			return fmt.Errorf("-trusted-proxies: %w", err)
		}
		cfg.TrustedProxies = append(cfg.TrustedProxies, prefix)
	}
	cfg.STUN, cfg.TURN = list(stun), list(turn)
	if cfg.TLS, err = tlsConfig(cert, key, list(acme), acmeDir); err != nil {
		return err
	}
	var lv slog.Level
	if err := lv.UnmarshalText([]byte(level)); err != nil {
		return fmt.Errorf("-log: %w", err)
	}
	cfg.Log = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: lv}))

	server, err := matchmaker.Start(cfg)
	if err != nil {
		return err
	}
	if s64Addr != "" {
		master, err := s64.Serve(s64Addr, s64Files)
		if err != nil {
			return errors.Join(err, server.Close())
		}
		defer master.Close()
		cfg.Log.Info("master server for N64NL listens", "addr", master.Addr().String(), "files", s64Files != "")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	cfg.Log.Info("stopping: rooms are told to come back")
	return server.Shutdown(2 * time.Second)
}

func list(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
}

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
