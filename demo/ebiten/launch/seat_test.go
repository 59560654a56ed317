package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestASeatSurvivesItsProgram(t *testing.T) {
	name := filepath.Join(t.TempDir(), "seat")
	first := seatFile{name: name}
	if got := first.read(); got != nil {
		t.Fatalf("a seat %x out of nowhere", got)
	}
	if err := first.keep([]byte("sixteen bytes ok")); err != nil {
		t.Fatal(err)
	}

	second := seatFile{name: name}
	got := second.read()

	if !bytes.Equal(got, []byte("sixteen bytes ok")) {
		t.Errorf("read %q", got)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v", info.Mode(), err)
	}
	second.drop()
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Error("the seat is still there after leaving")
	}
}

func TestASeatThatCannotBeKeptIsAnError(t *testing.T) {
	f := seatFile{name: filepath.Join(t.TempDir(), "no", "such", "place")}
	if err := f.keep([]byte("x")); err == nil {
		t.Error("no error")
	}
	if err := f.keep([]byte("x")); err != nil {
		t.Errorf("told again: %v", err)
	}

	if err := os.MkdirAll(filepath.Dir(f.name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := f.keep([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(f.name); string(got) != "x" {
		t.Errorf("kept %q, %v", got, err)
	}
}

func TestWithoutAFileNothingIsKept(t *testing.T) {
	var f seatFile
	if err := f.keep([]byte("x")); err != nil || f.read() != nil {
		t.Errorf("error %v", err)
	}
	f.drop()
}
