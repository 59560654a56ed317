package codes

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func TestNewRoomShowsFortyRandomBits(t *testing.T) {
	got, err := NewRoom(bytes.NewReader([]byte{0xff, 0xff, 0xf0, 0x00, 0x01}))
	if err != nil || got != "ZZZZ-0001" {
		t.Errorf("got %q, %v, want ZZZZ-0001", got, err)
	}
}

func TestEveryRoomCodeComesBack(t *testing.T) {
	shape := regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$`)
	rapid.Check(t, func(t *rapid.T) {
		code, err := NewRoom(bytes.NewReader(rapid.SliceOfN(rapid.Byte(), 5, 5).Draw(t, "random")))
		if err != nil || !shape.MatchString(code) {
			t.Fatalf("NewRoom = %q, %v", code, err)
		}

		if got, err := Parse(code, 0); err != nil || got != (Target{Room: code}) || got.String() != code {
			t.Fatalf("Parse(%s) = %+v, %v", code, got, err)
		}
		if !IsRoom(code) {
			t.Fatalf("IsRoom(%s) is false", code)
		}
	})
}

func TestNewRoomFailsWithItsReader(t *testing.T) {
	for name, random := range map[string]io.Reader{
		"none":   nil,
		"short":  bytes.NewReader([]byte{1, 2, 3, 4}),
		"broken": iotest.ErrReader(errors.New("broken")),
	} {
		if code, err := NewRoom(random); err == nil || code != "" {
			t.Errorf("%s: got %q, %v", name, code, err)
		}
	}
}

func TestIsRoomTellsRoomCodesByTheirText(t *testing.T) {
	for text, want := range map[string]bool{
		"7K3M-Q0ZD":              true,
		"7k3mq0zd":               true,
		" \u201c7k3m q0zd\u201d": true,
		"ooil-OOIL":              true,
		"":                       false,
		"7K3MQ0Z":                false,
		"7K3MQ0ZDD":              false,
		"7K3MQ0ZU":               false,
		"R2M02-53B2Y":            false,
		"10.0.0.2":               false,
		"1.1.1.11":               false,
		"::1":                    false,
	} {
		if got := IsRoom(text); got != want {
			t.Errorf("IsRoom(%q) = %v, want %v", text, got, want)
		}
	}
}
