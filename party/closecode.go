package party

import (
	netmsg "github.com/partyline-go/partyline/net"
)

// A closeCode says on the wire why a connection ends.
type closeCode uint16

const (
	codeClosed   closeCode = 0
	codeShutdown closeCode = 1 // netmsg's own: the program closed its socket and said no more
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

// saysWhy says that a connection ended because of what the peer said.
func saysWhy(e netmsg.Event) bool {
	return e.Reason == netmsg.Denied || e.Reason == netmsg.Remote && closeCode(e.Code) != codeShutdown ||
		(e.Reason == netmsg.Replaced || e.Reason == netmsg.Stalled) && e.Code != 0
}

// whyDenied is what the status of a refusal means to who hears it.
func whyDenied(status uint16) Why {
	switch status {
	case netmsg.AdmitFull:
		return WhyFull
	case netmsg.AdmitKey:
		return WhyKey
	case netmsg.AdmitRefused, netmsg.AdmitToken:
		return WhyProtocol
	case 0: // another program's, or another version's
		return WhyVersion
	}
	return closeCode(status).why()
}

// whyLeft is what the end of a connection means.
func whyLeft(e netmsg.Event) Why {
	switch e.Reason {
	case netmsg.Remote:
		return closeCode(e.Code).why()
	case netmsg.TimedOut:
		return WhySilent
	case netmsg.Overflow:
		return WhyOverflow
	case netmsg.Denied:
		return whyDenied(e.Code)
	case netmsg.NoAnswer:
		if e.Code == netmsg.NoAnswerKey {
			return WhyKey
		}
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
