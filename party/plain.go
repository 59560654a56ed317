package party

// What one NMS1 packet of MaxDatagram bytes holds.
const (
	packetMessage = MaxDatagram - 27
	packetValue   = MaxDatagram - 29
)
