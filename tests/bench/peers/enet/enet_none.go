//go:build !enet || !cgo

// Package enet adapts ENet. This is it without the C library.
package enet

import "github.com/partyline-go/partyline/tests/bench/peer"

// Libraries is empty: this program was built without ENet.
func Libraries() []peer.Library { return nil }
