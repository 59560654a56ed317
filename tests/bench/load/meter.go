package load

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A meter is where the process's counts stood.
type meter struct {
	at      time.Time
	cpu     time.Duration
	mallocs uint64
}

func startMeter() meter {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return meter{at: time.Now(), cpu: processorTime(), mallocs: m.Mallocs}
}

// stop gives what has been used since.
func (m meter) stop() (wall, cpu time.Duration, mallocs float64) {
	cpu, wall = processorTime()-m.cpu, time.Since(m.at)
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return wall, cpu, float64(now.Mallocs - m.mallocs)
}

// processorTime is what the process has used, in the kernel as well.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		panic(err) // only for wrong arguments
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// residentMemory is the process's, in bytes, without what Go could give back.
func residentMemory() (float64, error) {
	runtime.GC()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, err
	}
	pages, err := strconv.Atoi(string(bytes.Fields(b)[1]))
	return float64(pages * os.Getpagesize()), err
}

// monotonic is the system's clock, which all processes share.
func monotonic() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		panic(err) // only for wrong arguments
	}
	return time.Duration(t.Nano())
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantile gives the value that the share q of the sorted values are under.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}
