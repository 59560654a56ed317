package codes

import (
	"errors"
	"fmt"
	"io"
)

// IsRoom says whether text reads as a room code, eight symbols of the
// alphabet, as forgivingly as [Parse]. Whether there is such a room only the
// matchmaker knows.
func IsRoom(text string) bool {
	s, err := readSymbols(text)
	return err == nil && s.len == roomLen
}

// NewRoom makes a room code of 40 bits read from random, as it is shown:
// "7K3M-Q0ZD". It fails where random does. Whether another room has the code
// already is for whoever keeps the rooms to see.
func NewRoom(random io.Reader) (string, error) {
	if random == nil {
		return "", errors.New("codes: a room code needs a source of randomness")
	}
	var b [5]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("codes: a room code needs 5 random bytes: %w", err)
	}
	var s symbols
	for _, v := range b {
		s.put(uint64(v), 8)
	}
	return s.String(), nil
}
