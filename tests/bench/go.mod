module github.com/partyline-go/partyline/tests/bench

go 1.26.2

require (
	github.com/partyline-go/partyline v0.0.0
	github.com/quic-go/quic-go v0.65.0
	github.com/xtaci/kcp-go/v5 v5.7.5
	golang.org/x/sys v0.50.0
)

require (
	github.com/dchest/siphash v1.2.3 // indirect
	github.com/flynn/noise v1.1.0 // indirect
	github.com/juju/ratelimit v1.0.2 // indirect
	github.com/klauspost/cpuid/v2 v2.4.1 // indirect
	github.com/klauspost/reedsolomon v1.14.2 // indirect
	github.com/pion/transport/v5 v5.1.4 // indirect
	github.com/pkg/errors v0.9.1 // indirect
	github.com/tjfoc/gmsm v1.4.1 // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/net v0.62.0 // indirect
)

replace github.com/partyline-go/partyline => ../..
