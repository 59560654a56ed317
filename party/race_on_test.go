//go:build race

package party

// raceOn: the race detector makes everything tenfold slower, and the long
// simulations, which have one goroutine, have nothing to show it.
const raceOn = true
