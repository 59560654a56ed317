package run

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/partyline-go/partyline/tests/bench/load"
)

// coreBenchmarks are the benchmarks of package net that workload F runs, and the
// figures they give.
var coreBenchmarks = map[string]string{
	"BenchmarkPlainReceiveAndAcknowledge":      "plain_ns",
	"BenchmarkSealed1200ReceiveAndAcknowledge": "sealed_ns",
	"BenchmarkPlainTransmit":                   "plain_transmit_ns",
	"BenchmarkSealed1200BothSides":             "sealed_both_ns",
}

// Core measures the protocol's core alone, without sockets: the benchmarks of
// package net, whose directory is given.
func Core(dir string) (load.Figures, error) {
	names := make([]string, 0, len(coreBenchmarks))
	for name := range coreBenchmarks {
		names = append(names, name)
	}
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", "^("+strings.Join(names, "|")+")$", "-benchmem", "-benchtime", "0.3s", "-count", "4", ".")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	f := parseBenchmarks(out)
	if len(f) == 0 {
		return nil, fmt.Errorf("no benchmark in %q", out)
	}
	return f, nil
}

// parseBenchmarks reads what go test says of the core's benchmarks: the shortest
// time of each, which is the least disturbed, and the allocations of the one that
// has most.
func parseBenchmarks(out []byte) load.Figures {
	f := load.Figures{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) < 4 {
			continue
		}
		name, _, _ := strings.Cut(words[0], "-")
		figure, known := coreBenchmarks[name]
		if !known {
			continue
		}
		for i := 2; i+1 < len(words); i += 2 {
			v, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				continue
			}
			switch words[i+1] {
			case "ns/op":
				if before, ok := f[figure]; !ok || v < before {
					f[figure] = v
				}
			case "allocs/op":
				f["allocs"] = max(f["allocs"], v)
			}
		}
	}
	return f
}
