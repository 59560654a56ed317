package launch

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestTheReportIsOneLineOfJSONWithEveryCounter(t *testing.T) {
	var out bytes.Buffer
	r := Report{Players: 12, Frames: 900, ReliableSent: 5, UpKBps: 218.4, End: "You left the game."}

	if err := r.Write(&out, "json"); err != nil {
		t.Fatal(err)
	}

	if n := strings.Count(out.String(), "\n"); n != 1 || !strings.HasSuffix(out.String(), "\n") {
		t.Errorf("%d lines", n)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("players frames reliable_sent reliable_received lost disordered disconnects " +
		"snapshots_per_second up_kBps down_kBps rtt_ms_p50 frame_us_p50 frame_us_p99 allocs_per_frame " +
		"allocs_measured allocs_frames levels_received clock_uncertainty_ms verified") {
		if _, ok := got[name].(float64); !ok {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	if got["sealed"] != false {
		t.Errorf("sealed is %v", got["sealed"])
	}
	if got["players"] != 12.0 || got["frames"] != 900.0 || got["up_kBps"] != 218.4 {
		t.Errorf("%v", got)
	}
}

func TestTheReportIsTextToo(t *testing.T) {
	var out bytes.Buffer
	if err := (Report{Players: 12, Lost: 3, End: "You left the game."}).Write(&out, "text"); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"12", "3 lost", "nobody to talk to", "You left the game."} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q is missing in %s", part, out.String())
		}
	}
}

func TestQuantiles(t *testing.T) {
	var h histogram
	if h.quantile(0.5) != 0 {
		t.Error("an empty histogram has a median")
	}
	for v := range 1000 {
		h.add(v + 1)
	}
	h.add(1 << 30)
	h.add(-5)
	if p50, p99 := h.quantile(0.5), h.quantile(0.99); p50 != 500 || p99 != 991 {
		t.Errorf("half are at most %d, 99 %% at most %d", p50, p99)
	}
	if top := h.quantile(1); top != len(h.counts)-1 {
		t.Errorf("the largest counts as %d", top)
	}
}
