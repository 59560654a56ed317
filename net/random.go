package netmsg

import (
	"crypto/rand"
	"io"
)

// systemRandom is what a nil Config.Random means. It belongs to the edge: the
// core reads whatever reader it is given.
var systemRandom io.Reader = rand.Reader
