package netmsg

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// filled is n bytes that count up from first.
func filled(n int, first byte) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

// seeded is a source of randomness that gives the same bytes each run.
func seeded(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// A vectorSet is one section of testdata/handshake.vectors, with the common
// inputs behind it.
type vectorSet map[string]string

func readVectors(t *testing.T, section string) vectorSet {
	t.Helper()
	file, err := os.ReadFile("testdata/handshake.vectors")
	if err != nil {
		t.Fatal(err)
	}
	set, in := vectorSet{}, ""
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, " "); ok && (in == "common" || in == section) {
			set[name] = value
		} else if strings.HasPrefix(line, "[") {
			in = strings.Trim(line, "[]")
		}
	}
	return set
}

func (v vectorSet) bytes(t *testing.T, name string) []byte {
	t.Helper()
	b, err := hex.DecodeString(v[name])
	if err != nil || len(b) == 0 {
		t.Fatalf("no vector %s", name)
	}
	return b
}

func (v vectorSet) identity(t *testing.T, name string) identity {
	t.Helper()
	id, err := identityOf(v.bytes(t, name+"_static_private"))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// want checks one vector.
func (v vectorSet) want(t *testing.T, name string, got []byte) {
	t.Helper()
	if !bytes.Equal(got, v.bytes(t, name)) {
		t.Errorf("%s:\n got %x\nwant %s", name, got, v[name])
	}
}
