//go:build !race

package party

const raceOn = false
