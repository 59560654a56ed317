package launch_test

import (
	"encoding/json"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Package ebiten cannot even be imported without a display, so the window is
// tried from here, as a program.
func TestTheWindowShowsTwelvePlayersAndEndsInGoodOrder(t *testing.T) {
	if runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" {
		t.Skip("no display: xvfb-run -a go test ./demo/... has one")
	}
	dir := t.TempDir()
	program, shot := filepath.Join(dir, "floe"), filepath.Join(dir, "shot.png")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	out, err := exec.Command(program, strings.Fields("-bots 11 -for 4s -seed 3 -report json -shot "+shot)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}

	wantReport(t, out)
	wantPicture(t, shot)
}

func wantReport(t *testing.T, out []byte) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	var r map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]float64{"players": 12, "lost": 0, "disordered": 0, "disconnects": 0, "levels_received": 11} {
		if r[name] != want {
			t.Errorf("%s is %v, want %v", name, r[name], want)
		}
	}
}

// wantPicture looks for what a player must see: the code in gold at the upper
// left, ice in the middle, and names in the panels at the right, of which the
// lower one is the net graph.
func wantPicture(t *testing.T, name string) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	gold := func(r, g, b uint32) bool { return r > 0xd000 && g > 0xa000 && b < 0x9000 }
	ice := func(r, g, b uint32) bool { return r > 0xb000 && g > 0xd000 && b > 0xe000 }
	white := func(r, g, b uint32) bool { return r > 0xc000 && g > 0xc000 && b > 0xc000 }
	for what, c := range map[string]struct {
		area  image.Rectangle
		like  func(r, g, b uint32) bool
		least int // of 1,000 pixels
	}{
		"the code":      {image.Rect(0, 0, w/4, h/6), gold, 20},
		"the ice":       {image.Rect(w*2/5, h/3, w*3/5, h*2/3), ice, 500},
		"the players":   {image.Rect(w*3/4, 0, w, h/2), white, 5},
		"the net graph": {image.Rect(w*3/4, h/2, w, h), white, 5},
	} {
		if got := share(img, c.area, c.like); got < c.least {
			t.Errorf("%s: %d of 1,000 pixels in %v are like it, want %d", what, got, c.area, c.least)
		}
	}
}

// share is how many of 1,000 pixels of an area are like something.
func share(img image.Image, area image.Rectangle, like func(r, g, b uint32) bool) int {
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); like(r, g, b) {
				n++
			}
		}
	}
	return n * 1000 / (area.Dx() * area.Dy())
}
