package party

import (
	netmsg "github.com/partyline-go/partyline/net"
)

// A closeCode says on the wire why a connection ends.
type closeCode uint8

const (
	codeClosed   closeCode = 0
	codeProtocol closeCode = 2
	codeOverflow closeCode = 5
	codeReplaced closeCode = 6
	codeKicked   closeCode = 7
	codeStalled  closeCode = 65
	codeFull     closeCode = 66
	codeProto    closeCode = 67
	codeVersion  closeCode = 68
	codeRefused  closeCode = 69
	codeMoved    closeCode = 70
)

// why is what a code means to who hears it.
func (c closeCode) why() Why {
	switch c {
	case 2, 3, 4:
		return WhyProtocol
	case codeOverflow:
		return WhyOverflow
	case codeReplaced:
		return WhyReplaced
	case codeKicked:
		return WhyKicked
	case codeStalled:
		return WhyStalled
	case codeFull:
		return WhyFull
	case codeProto:
		return WhyProto
	case codeVersion:
		return WhyVersion
	case codeRefused:
		return WhyRefused
	case codeMoved:
		return WhyMoved
	}
	return WhyClosed
}

// whyLeft is what the end of a connection means, if its peer did not say.
func whyLeft(reason netmsg.CloseReason) Why {
	switch reason {
	case netmsg.TimedOut:
		return WhySilent
	case netmsg.Overflow:
		return WhyOverflow
	case netmsg.Denied:
		return WhyFull
	case netmsg.NoAnswer:
		return WhyNoAnswer
	case netmsg.Stalled:
		return WhyStalled
	case netmsg.Replaced:
		return WhyReplaced
	case netmsg.Protocol:
		return WhyProtocol
	}
	return WhyClosed
}
