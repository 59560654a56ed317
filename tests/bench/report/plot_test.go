package report

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/partyline-go/partyline/tests/bench/run"
)

func TestThePlotIsXMLWithABarForEachPeerThatRan(t *testing.T) {
	r := resultsOf("B", run.Partyline, "p50_us", 10)
	r.add("B", run.ENet, "p50_us", 20)
	r.add("C", run.ENet, "MB_s", 100)
	var out bytes.Buffer

	if err := Plot(&out, r); err != nil {
		t.Fatal(err)
	}

	bars := 0
	d := xml.NewDecoder(&out)
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			bars++
		}
	}
	if bars != 4 { // the background is one
		t.Errorf("got %d rectangles, want 4", bars)
	}
}

func TestTheLongestBarIsOfTheLargestFigure(t *testing.T) {
	var out bytes.Buffer
	bar(&out, run.ENet, 5, 10, 0)
	half := out.String()
	out.Reset()
	bar(&out, run.ENet, 10, 10, 0)

	if !strings.Contains(half, `width="263.0"`) || !strings.Contains(out.String(), `width="526.0"`) {
		t.Errorf("got %s and %s", half, out.String())
	}
}

func TestTextIsWrittenAsText(t *testing.T) {
	if got, want := escape("a < b & c"), "a &lt; b &amp; c"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
