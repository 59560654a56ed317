package netmsg

import "time"

// NMS1, the plain mode, is in the files plain_*.go. PROTOCOL.md says every
// byte and rule of it.

const plainMagic = "NMS1" // every datagram begins so; the digit is the version

// The kinds of datagrams: the byte after the magic.
const (
	plainRequest    byte = 0 // client: salt, padding
	plainChallenge  byte = 1 // server: salt, cookie
	plainResponse   byte = 2 // client: salt, cookie, padding
	plainAccept     byte = 3 // server: session
	plainPayload    byte = 4
	plainDisconnect byte = 5 // session
	plainDenied     byte = 6 // server: salt
)

// Sizes in bytes.
const (
	plainKindLen          = len(plainMagic) + 1  // what all datagrams begin with
	plainShortLen         = plainKindLen + 8     // Accept, Disconnect, Denied
	plainChallengeLen     = plainKindLen + 8 + 8 // Challenge
	plainPaddedLen        = 1200                 // Request and Response, whatever MaxPacket is
	plainHeaderLen        = plainKindLen + 18    // Payload before its first message
	plainMessageHeaderLen = 4                    // id, length
	plainValueHeaderLen   = 6                    // stream, number, length

	plainMaxItem  = 1<<14 - 1 // a length has 14 bits; the two above are reserved
	plainMaxCount = 255       // messages, and values, of one packet
)

const (
	// plainWindow is how many reliable messages may be queued or
	// unacknowledged, and how far ahead one may be of the next to deliver.
	plainWindow = 1024

	// plainLostBehind: a packet is lost when it is so many behind the newest
	// one acknowledged, because no acknowledgement can name it any more.
	plainLostBehind = ackReach + 1

	plainFirstResend = 100 * time.Millisecond // resend delay before a round trip is measured
	plainMaxPause    = time.Second            // doubling the pause between resends ends here

	// plainUnreported is how many packets may come before one is owed that
	// acknowledges them, if there is nothing else to say: half of what an
	// acknowledgement can name.
	plainUnreported = ackReach / 2

	plainDisconnects = 5 // copies sent
)
