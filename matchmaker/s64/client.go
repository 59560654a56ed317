package s64

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Times of a client's questions, which are sent again until they are answered.
const (
	askAgain = 500 * time.Millisecond
	asks     = 6
)

// ErrNoFile is what Download returns when the master does not have the file.
var ErrNoFile = errors.New("s64: the master does not have the file")

// ask sends a packet to addr until done says that it was answered, and tells
// from where. done gets every packet of type answer ("": of any) and when it was
// last asked.
func ask(ctx context.Context, addr, kind string, data []byte, answer string, done func(p Packet, asked time.Time) bool) (from netip.AddrPort, err error) {
	q, err := Packet{Version: Version, Flags: Unreliable, Seq: 0xFF01, Ack: 0xFFFF, Type: kind, Data: data}.Append(nil)
	if err != nil {
		return from, err
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "udp", addr)
	if err != nil {
		return from, fmt.Errorf("s64: %w", err)
	}
	defer c.Close()
	from = c.LocalAddr().(*net.UDPAddr).AddrPort()
	stop := context.AfterFunc(ctx, func() { c.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	buf := make([]byte, MaxDatagram)
	for range asks {
		asked := time.Now()
		c.Write(q)
		until := asked.Add(askAgain)
		for {
			if ctx.Err() != nil {
				return from, ctx.Err()
			}
			c.SetReadDeadline(until)
			n, err := c.Read(buf)
			if err != nil {
				if time.Now().Before(until) && ctx.Err() == nil {
					time.Sleep(10 * time.Millisecond) // an ICMP answer: perhaps it comes up
					continue
				}
				break
			}
			if p, ok := Parse(buf[:n]); ok && p.Type != Ack && (p.Type == answer || answer == "") {
				if done(p, asked) {
					return from, nil
				}
				until = time.Now().Add(askAgain)
			}
		}
	}
	return from, fmt.Errorf("s64: %s does not answer %s", addr, kind)
}

// List asks the master at addr, "host:port", for all servers that it knows: 10,000
// at most. The question goes six times, half a second apart, until an answer
// comes; without one, or when ctx ends, that is an error, and the list what has
// come of it.
func List(ctx context.Context, addr string) ([]Entry, error) {
	var list []Entry
	_, err := ask(ctx, addr, ListAll, nil, "", func(p Packet, _ time.Time) bool {
		switch p.Type {
		case DoneListing:
			return true
		case ServerIs:
			e, err := parseEntry(p.Data)
			known := slices.ContainsFunc(list, func(o Entry) bool { return o.Addr == e.Addr })
			if err == nil && !known && len(list) < maxServers {
				list = append(list, e)
			}
		}
		return false
	})
	return list, err
}

// Discover asks the game server at addr who it is; ping is the round trip of
// the question that was answered. The identifier goes as it is, and an answer
// counts only with it. Errors are as in List.
func Discover(ctx context.Context, addr string) (p Presence, ping time.Duration, err error) {
	id := make([]byte, 8)
	rand.Read(id)
	id = []byte(hex.EncodeToString(id))
	_, err = ask(ctx, addr, DiscoverIt, id, DiscoverIt, func(q Packet, asked time.Time) bool {
		got, answer, err := parsePresence(q.Data)
		if err != nil || !bytes.Equal(got, id) {
			return false
		}
		p, ping = answer, time.Since(asked)
		return true
	})
	return p, ping, err
}

// Download fetches the file with this SHA-256 from the master at addr into
// path, and says how far it is, in bytes (progress may be nil). The file appears
// under path only when it is whole and its hash is right. The protocol cannot go
// on where a transfer broke, so each of three tries begins anew. It returns
// ErrNoFile where the master does not have the file, the error of the last try,
// or ctx's.
func Download(ctx context.Context, addr string, hash [32]byte, path string, progress func(got, size int64)) error {
	var err error
	for range 3 {
		if err = fetch(ctx, addr, hash, path, progress); err == nil || errors.Is(err, ErrNoFile) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func fetch(ctx context.Context, addr string, hash [32]byte, path string, progress func(got, size int64)) error {
	size := int64(-1)
	from, err := ask(ctx, addr, DownloadIt, hash[:], DownloadIt, func(p Packet, _ time.Time) bool {
		r := reader{data: p.Data}
		n, c := r.uint32(), r.uint32()
		if !r.bad && c > 0 {
			size = int64(n)
		}
		return !r.bad || len(p.Data) == 0
	})
	if err != nil {
		return err
	}
	if size < 0 {
		return ErrNoFile
	}
	c, err := dialFrom(ctx, from, addr)
	if err != nil {
		return fmt.Errorf("s64: %w", err)
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	return save(c, size, hash, path, progress)
}

// dialFrom connects from the port that asked, so that a master which looks at
// ports knows whose file it is when several ask behind one address. Where that
// port is taken any other does.
func dialFrom(ctx context.Context, from netip.AddrPort, addr string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: net.TCPAddrFromAddrPort(from)}
	if c, err := d.DialContext(ctx, "tcp", addr); err == nil || ctx.Err() != nil {
		return c, err
	}
	d.LocalAddr = nil
	return d.DialContext(ctx, "tcp", addr)
}

// save writes size bytes of c beside path and puts them in place.
func save(c net.Conn, size int64, hash [32]byte, path string, progress func(got, size int64)) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".download-*")
	if err != nil {
		return fmt.Errorf("s64: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	h := sha256.New()
	for got := int64(0); got < size; {
		c.SetReadDeadline(time.Now().Add(writeTime))
		n, err := io.CopyN(io.MultiWriter(f, h), c, min(size-got, 8*chunk))
		got += n
		if progress != nil {
			progress(got, size)
		}
		if err != nil {
			return fmt.Errorf("s64: the transfer broke after %d of %d bytes: %w", got, size, err)
		}
	}
	if got := [32]byte(h.Sum(nil)); got != hash {
		return fmt.Errorf("s64: what came has SHA-256 %x, want %x", got, hash)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("s64: %w", err)
	}
	return os.Rename(f.Name(), path)
}
