package matchmaker

import (
	"context"
	"encoding/json"
	"html/template"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler serves the matchmaker's paths: "/" is the WebSocket, "/parties" the
// list of public parties (JSON, or a page for a browser), "/healthz" says ok,
// "/metrics" is for Prometheus.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.serveSocket)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("ok\n")) })
	mux.Handle("GET /metrics", s.metrics())
	mux.HandleFunc("GET /parties", s.serveParties)
	return mux
}

// What HTTP may take before it is a WebSocket, which has times of its own.
const (
	headerTime = 10 * time.Second // for a request's header
	answerTime = 10 * time.Second // for the answer to be taken
	idleTime   = 30 * time.Second // between two requests
)

// newHTTP is the server of the Handler's paths.
func (s *Server) newHTTP() *http.Server {
	return &http.Server{
		Handler:           s.askedFirst(s.Handler()),
		ReadHeaderTimeout: headerTime, WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: 16 << 10,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, sniffedOf(c))
		},
		BaseContext: func(net.Listener) context.Context { return s.ctx },
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// askedFirst tells the gate that a connection has sent a whole request.
func (s *Server) askedFirst(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, _ := r.Context().Value(connKey{}).(*sniffed); c != nil {
			s.split.gate.asked(c)
		}
		h.ServeHTTP(w, r)
	})
}

// clientAddr is who asks. X-Forwarded-For counts only from a trusted proxy, and
// then its last entry that is not such a proxy.
func (s *Server) clientAddr(r *http.Request) (netip.Addr, bool) {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}, false
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}, false
	}
	addr = addr.Unmap()
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !s.trusted(addr) {
			break
		}
		next, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		addr = next.Unmap()
	}
	return addr, true
}

func (s *Server) trusted(a netip.Addr) bool {
	return slices.ContainsFunc(s.cfg.TrustedProxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// A Listing is one public party, as "/parties" shows it.
type Listing struct {
	Code    string `json:"code"`
	Name    string `json:"name"`
	Players int    `json:"players"`
	Max     int    `json:"max"`
	Proto   int    `json:"proto"`
}

// maxListings is how many parties a list shows.
const maxListings = 500

// Parties lists the public parties that have a place, the fullest first.
func (d *Directory) Parties() []Listing {
	list := []Listing{}
	for _, r := range d.rooms {
		if r.public && r.host != 0 && (r.max == 0 || r.players < r.max) {
			list = append(list, Listing{Code: r.code, Name: r.name, Players: r.players, Max: r.max, Proto: r.proto})
		}
	}
	slices.SortFunc(list, func(a, b Listing) int {
		if a.Players != b.Players {
			return b.Players - a.Players
		}
		return strings.Compare(a.Code, b.Code)
	})
	return list[:min(len(list), maxListings)]
}

func (s *Server) serveParties(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	list := s.dir.Parties()
	s.mu.Unlock()
	w.Header().Set("Cache-Control", "max-age=5")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if strings.Contains(r.Header.Get("Accept"), "text/html") && r.FormValue("as") != "json" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		partiesPage.Execute(w, list)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	json.NewEncoder(w).Encode(list)
}

var partiesPage = template.Must(template.New("parties").Parse(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Open parties</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#17324d;background:#f4f8fb}
table{width:100%;border-collapse:collapse}th,td{text-align:left;padding:.5rem;border-bottom:1px solid #cfdde8}
code{font-size:1.1em;letter-spacing:.05em}
</style>
<h1>Open parties</h1>
{{if .}}<table><tr><th>Party<th>Code<th>Players</tr>
{{range .}}<tr><td>{{or .Name "unnamed"}}<td><code>{{.Code}}</code><td>{{.Players}}{{if .Max}} of {{.Max}}{{end}}</tr>
{{end}}</table>{{else}}<p>Nobody is waiting for players right now.</p>{{end}}
</html>
`))

// metrics shows the Directory's counters and gauges.
func (s *Server) metrics() http.Handler {
	reg := prometheus.NewRegistry()
	read := func(f func() float64) func() float64 {
		return func() float64 { s.mu.Lock(); defer s.mu.Unlock(); return f() }
	}
	gauge := func(name, help string, f func() float64) {
		reg.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "partyline", Name: name, Help: help}, read(f)))
	}
	counter := func(name, help string, v func(*Counts) uint64) {
		reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "partyline", Name: name, Help: help},
			read(func() float64 { return float64(v(&s.dir.Counts)) })))
	}
	gauge("rooms", "Rooms that are open.", func() float64 { rooms, _ := s.dir.Len(); return float64(rooms) })
	gauge("sockets", "Clients that are connected.", func() float64 { _, sockets := s.dir.Len(); return float64(sockets) })
	gauge("relay_allocations", "Players on the relay.", func() float64 {
		if s.relay == nil {
			return 0
		}
		return float64(s.relay.allocations())
	})
	reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "partyline", Name: "relay_bytes_total", Help: "Bytes that the relay carried to and from peers."},
		func() float64 {
			if s.relay == nil {
				return 0
			}
			return float64(s.relay.carried.Load())
		}))
	reg.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: "partyline", Name: "stun_dropped_total", Help: "STUN and TURN datagrams over their network's pace."},
		func() float64 {
			if s.relay == nil {
				return 0
			}
			return float64(s.relay.dropped.Load())
		}))
	gauge("uptime_seconds", "Since the start.", func() float64 { return s.now().Truncate(time.Second).Seconds() })
	counter("rooms_opened_total", "Rooms opened.", func(c *Counts) uint64 { return c.Opened })
	counter("rooms_reopened_total", "Rooms taken up again by their host.", func(c *Counts) uint64 { return c.Reopened })
	counter("rooms_dropped_total", "Rooms ended.", func(c *Counts) uint64 { return c.Dropped })
	counter("joins_total", "Guests introduced to a host.", func(c *Counts) uint64 { return c.Joins })
	counter("claims_total", "Claims of an heir.", func(c *Counts) uint64 { return c.Claims })
	counter("claims_granted_total", "Claims granted.", func(c *Counts) uint64 { return c.Granted })
	counter("wrong_codes_total", "Joins with a code that never was.", func(c *Counts) uint64 { return c.Wrong })
	counter("throttled_total", "Messages refused for their rate.", func(c *Counts) uint64 { return c.Throttled })
	counter("refused_sockets_total", "Sockets refused.", func(c *Counts) uint64 { return c.Refused })
	counter("malformed_total", "Messages that made no sense.", func(c *Counts) uint64 { return c.Malformed })
	return promhttp.HandlerFor(reg, promhttp.HandlerOpts{})
}
