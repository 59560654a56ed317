package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aHouse is a small one for the checker's own tests.
var aHouse = house{
	module: "example.org/house",
	mayImport: map[string][]string{
		"codes":   {},
		"net":     {},
		"net/rtc": {"net"},
		"party":   {"codes", "net"},
		"demo":    {"party", "demo"},
	},
	onlyIn: map[string][]string{
		"example.org/window":     {"demo"},
		"example.org/pion":       {"net/rtc", "party"},
		"example.org/pion/heavy": {"net/rtc"},
	},
	neverReaches: map[string][]string{"demo/headless": {"example.org/window"}},
	core:         map[string][]string{"net": {"socket.go"}},
}

// grow writes files, by path, into a directory of the test's own.
func grow(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		p := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestCheckerIsContentWithAGoodHouse(t *testing.T) {
	root := grow(t, map[string]string{
		"codes/a.go":           `package codes; import ("io"; "net/netip"; "time"); var _ io.Reader; var _ netip.Addr; var _ time.Duration`,
		"net/core.go":          `package net; import ("log/slog"; "math/rand/v2"; "net/netip"; "time"); var _ = rand.New(rand.NewPCG(1, 2)); var _ time.Time; var _ slog.Level; var _ netip.Addr`,
		"net/socket.go":        `package net; import ("net"; "os"; "sync"; "time"); func f() { go f(); time.Sleep(1) }; var _ net.IP; var _ sync.Mutex; var _ = os.Args`,
		"net/core_test.go":     `package net; import ("example.org/house/tests/simnet"; "time"); var _ = time.Now`,
		"net/rtc/a.go":         `package rtc; import ("example.org/house/net"; "example.org/pion/heavy/v4"; "sync")`,
		"party/a.go":           `package party; import ("example.org/house/codes"; "example.org/house/net"; "example.org/pion/light")`,
		"demo/draw/a.go":       `package draw; import ("example.org/house/demo/rules"; "example.org/window/v2")`,
		"demo/headless/a.go":   `package main; import ("example.org/house/demo/rules"; "example.org/house/party")`,
		"bench/go.mod":         `module bench`,
		"bench/a.go":           `package main; import ("example.org/house/party"; "example.org/window")`,
		"net/testdata/x/a.go":  `package x; import "os"`,
		".hidden/a.go":         `package hidden; import "example.org/window"`,
		"net/rtc/not_go.txt":   `import "example.org/window"`,
		"demo/rules/rules.go":  `package rules`,
		"tests/simnet/some.go": `package simnet`,
	})

	if got := aHouse.check(t, root); len(got) > 0 {
		t.Errorf("complaints:\n%s", strings.Join(got, "\n"))
	}
}

func TestCheckerComplainsOfABadHouse(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"import upwards", "net/a.go", `package net; import "example.org/house/party"`, "net/a.go:1: net may not import party"},
		{"import sideways", "codes/a.go", `package codes; import "example.org/house/net"`, "codes may not import net"},
		{"in a test", "codes/a_test.go", `package codes; import "example.org/house/net"`, "codes may not import net"},
		{"of tests by no test", "net/a.go", `package net; import "example.org/house/tests/simnet"`, "net may not import tests/simnet"},
		{"below", "party/deep/a.go", `package deep; import "example.org/house/demo"`, "party may not import demo"},
		{"nearer rule", "net/a.go", `package net; import "example.org/house/net/rtc/deep"; import "example.org/house/codes"`, "net may not import codes"},
		{"no rule", "new/a.go", `package new; import "example.org/house/net"`, "new has no rule"},
		{"like-named", "netlike/a.go", `package x; import "example.org/house/net"`, "netlike has no rule"},
		{"window in party", "party/a.go", `package party; import "example.org/window/v2"`, "party may not import example.org/window/v2"},
		{"heavy in party", "party/a.go", `package party; import _ "example.org/pion/heavy"`, "party may not import example.org/pion/heavy"},
		{"light in codes", "codes/a.go", `package codes; import _ "example.org/pion/light"`, "codes may not import example.org/pion/light"},

		{"net in core", "net/a.go", `package net; import "net"`, "a core file may not import net"},
		{"net/http in core", "net/a.go", `package net; import "net/http"`, "may not import net/http"},
		{"os in core", "net/a.go", `package net; import x "os"`, "may not import os"},
		{"os/signal in core", "net/a.go", `package net; import "os/signal"`, "may not import os/signal"},
		{"sync in core", "net/a.go", `package net; import "sync"`, "may not import sync"},
		{"atomic in core", "net/a.go", `package net; import "sync/atomic"`, "may not import sync/atomic"},
		{"context in core", "net/a.go", `package net; import "context"`, "may not import context"},
		{"dice in core", "net/a.go", `package net; import "crypto/rand"`, "may not import crypto/rand"},
		{"system in core", "net/a.go", `package net; import "golang.org/x/sys/unix"`, "may not import golang.org/x/sys/unix"},
		{"for another system", "net/a_windows.go", "//go:build windows\n\npackage net; import \"syscall\"", "net/a_windows.go:3: a core file may not import syscall"},
		{"clock", "net/a.go", "package net\nimport \"time\"\nvar t = time.Now()", "net/a.go:3: a core file may not say time.Now"},
		{"clock not called", "net/a.go", `package net; import "time"; var now = time.Now`, "may not say time.Now"},
		{"clock by another name", "net/a.go", `package net; import clock "time"; var d = clock.Since(clock.Time{})`, "may not say time.Since"},
		{"clock by no name", "net/a.go", `package net; import . "time"; var t = Now()`, "imports time by its name"},
		{"sleep", "net/a.go", `package net; import "time"; func f() { time.Sleep(1) }`, "may not say time.Sleep"},
		{"after", "net/a.go", `package net; import "time"; var c = time.After(1)`, "may not say time.After"},
		{"timer", "net/a.go", `package net; import "time"; var c = time.NewTimer(1)`, "may not say time.NewTimer"},
		{"global dice", "net/a.go", `package net; import "math/rand/v2"; var n = rand.IntN(6)`, "may not say rand.IntN"},
		{"goroutine", "net/a.go", "package net\nfunc f() {\n\tgo f()\n}", "net/a.go:3: a core file starts no goroutine"},
		{"goroutine in a closure", "net/a.go", `package net; var f = func() { go func() {}() }`, "starts no goroutine"},
	} {
		root := grow(t, map[string]string{"net/socket.go": "package net", c.file: c.text})

		got := strings.Join(aHouse.check(t, root), "\n")
		if !strings.Contains(got, c.want) || strings.Count(got, "\n") > 1 {
			t.Errorf("%s: complaints are\n%s\nwant %q", c.name, got, c.want)
		}
	}
}

func TestCheckerComplainsOfAWindowSeenFromAfar(t *testing.T) {
	root := grow(t, map[string]string{
		"net/socket.go":      `package net`,
		"demo/headless/a.go": `package main; import "example.org/house/demo/near"`,
		"demo/near/a.go":     `package near; import "example.org/house/demo/far"`,
		"demo/far/a.go":      `package far; import "example.org/window/v2"`,
	})

	got := aHouse.check(t, root)
	if want := "demo/headless reaches example.org/window/v2 by way of demo/far"; len(got) != 1 || got[0] != want {
		t.Errorf("complaints are %q, want %q", got, want)
	}
}

func TestCheckerComplainsOfAnEdgeFileThatIsGone(t *testing.T) {
	got := aHouse.check(t, grow(t, map[string]string{"net/other.go": "package net"}))
	if want := "net/socket.go is listed as an edge file, and is not there"; len(got) != 1 || got[0] != want {
		t.Errorf("complaints are %q, want %q", got, want)
	}
}

func TestCheckerComplainsOfPlaces(t *testing.T) {
	root := grow(t, map[string]string{
		"good.go":        "package good // see https://example.org and /proc/self/fd",
		"go.sum":         places[6],
		"picture.png":    "\x89PNG\x00" + places[0],
		".git/config":    places[0],
		"bench/go.mod":   "module bench",
		"bench/a.go":     "package main\n\n// see " + places[0] + "x",
		"README.md":      "from " + places[6] + "/x",
		".ci/run":        "cd " + places[2] + "x",
		"node/pack.json": `"` + places[9] + `"`,
	})

	got := strings.Join(checkPlaces(t, root), "\n")

	for _, want := range []string{"bench/a.go:3: names", "README.md:1: names", "run:1: names", "pack.json:1: names"} {
		if !strings.Contains(filepath.ToSlash(got), want) {
			t.Errorf("complaints are\n%s\nwant %q", got, want)
		}
	}
	if n := strings.Count(got, "\n") + 1; n != 4 {
		t.Errorf("%d complaints, want 4:\n%s", n, got)
	}
}
