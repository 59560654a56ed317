package netmsg

import (
	"crypto/rand"
	"io"
	"time"
)

// What the system gives where a Config does not say. It belongs to the edge:
// the core reads whatever source it is given.
var (
	systemRandom io.Reader = rand.Reader
	systemUnix             = func() int64 { return time.Now().Unix() }
)
