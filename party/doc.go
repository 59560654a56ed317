// Package party is the network of an Ebitengine game: a host and up to eleven
// guests, polled once per frame. Nothing calls back, nothing blocks a frame,
// and the game needs no lock.
package party
