package codes

import "net/netip"

// maxKeyPart is the largest fingerprint or secret: twelve symbols hold 60 bits.
const maxKeyPart = 1<<60 - 1

// Invite gives an invitation as it is shown: the join code of addr, then the
// fingerprint of the host's key and a secret of the host's, so that the guest
// knows the host and the host knows that the guest was asked. Both have at
// most 60 bits; more is ErrKey, and addr may fail as in [Join]. With
// both zero it asks for nothing that a join code does not.
func Invite(addr netip.AddrPort, fingerprint, secret uint64) (string, error) {
	s, err := joinSymbols(addr)
	if err != nil {
		return "", err
	}
	if fingerprint > maxKeyPart || secret > maxKeyPart {
		return "", ErrKey // without the numbers: errors are logged, and one is a secret
	}
	s.put(fingerprint, 60)
	s.put(secret, 60)
	return s.String(), nil
}
