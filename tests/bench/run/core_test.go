package run

import "testing"

func TestBenchmarksAreReadFromWhatGoTestSays(t *testing.T) {
	out := []byte(`goos: linux
cpu: a processor
BenchmarkPlainReceiveAndAcknowledge-2   	1000	      95.2 ns/op	       0 B/op	       0 allocs/op
BenchmarkPlainReceiveAndAcknowledge-2   	1000	      88.1 ns/op	       0 B/op	       0 allocs/op
BenchmarkSealed1200ReceiveAndAcknowledge-2 	 10	      1000 ns/op	 1200.00 MB/s	       0 B/op	       2 allocs/op
BenchmarkOfAnotherName-2                   	 10	         1 ns/op
PASS
`)

	f := parseBenchmarks(out)

	for figure, want := range map[string]float64{"plain_ns": 88.1, "sealed_ns": 1000, "allocs": 2} {
		if f[figure] != want {
			t.Errorf("%s: got %v, want %v", figure, f[figure], want)
		}
	}
	if len(f) != 3 {
		t.Errorf("got %v", f)
	}
}
