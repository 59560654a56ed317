//go:build !race

package netmsg

const raceOn = false
