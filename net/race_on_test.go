//go:build race

package netmsg

// raceOn: the race detector makes everything tenfold slower, and simulations,
// which have one goroutine, have nothing to show it.
const raceOn = true
