package netmsg

import "time"

// Stats counts what a connection has done. Counters start at the connection's
// opening and never fall. An in-process pair has no link, and all of its Stats
// stay zero.
type Stats struct {
	RTT    time.Duration // smoothed round trip (RFC 6298); zero until measured
	RTTVar time.Duration // its mean deviation
	Loss   float64       // share of packets lost, 0 to 1, over about 64 packets
	Good   bool          // ticks go at Config.GoodRate

	PacketsSent, PacketsReceived, PacketsLost      uint64
	MessagesSent, MessagesReceived, MessagesResent uint64 // reliable messages; resent counts every repeat
	ValuesSent, ValuesReceived                     uint64 // latest values put in a packet, delivered
	BytesSent, BytesReceived                       uint64 // UDP payload
	Rejected                                       uint64 // datagrams for this connection that were malformed, replayed or forged
	Unacked                                        int    // reliable messages queued or not acknowledged
}
