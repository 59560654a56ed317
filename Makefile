# Partyline. Each of these does all the set-up that it needs.
#
#   make demo                  a game in a window, or without one where there is no display
#   make demo ARGS="-bots 11"  the same, with flags: see ARGS=-h
#   make test                  all tests
#   make test-nat              routers for real: network namespaces, as root
#   make lint fuzz soak        what CI does besides
#   make bench                 Partyline beside other libraries: ROUNDS=5 ONLY=A,C
#   make bench-plot            draws what make bench has measured
#
# On Windows and macOS Go alone suffices: go run ./demo/ebiten, go test ./...

SHELL := bash
ARGS ?=
TESTFLAGS ?=
FUZZTIME ?= 10s
SEEDS ?= 500
WORLDS ?= 200
ROUNDS ?= 3
ONLY ?=

# The tests of party that use real sockets.
LIVE := Localhost|RealSockets|CaseT(9W|10|25|29)|WithoutACall|FlushAll|GivenSocket|Eleven|Stall|JoinCode|TwelveSeats

# What is built for every system, a browser's included.
LIBRARIES := ./codes/... ./net/... ./party/... ./matchmaker/...

.PHONY: demo test test-nat test-plain test-bench lint fuzz soak bench bench-plot bench-core

# Ebitengine speaks to X11 on Linux; a Wayland desktop has an X server as well.
demo:
	@if [ "$$(uname -s)" != Linux ] || [ -n "$$DISPLAY" ]; then \
		.ci/setup window && go run ./demo/ebiten $(ARGS); \
	else \
		echo "No display here: playing without a window." >&2; \
		.ci/setup && go run ./demo/ebiten/headless $(ARGS); \
	fi

test:
	@.ci/setup window test
	@.ci/display go test -race -shuffle=on -timeout 20m $(TESTFLAGS) ./...
	@# What the race detector would falsify or make endless: allocations, and T3.
	@go test -shuffle=on -timeout 5m $(TESTFLAGS) -run 'Alloc|TestCaseT3$$' ./net ./party
	@$(MAKE) -s test-plain test-bench

# With the sockets' fast paths switched off, one after the other: plain calls,
# and batches that the kernel neither cuts nor merges.
test-plain:
	@export PARTYLINE_PLAIN_SOCKET=1; \
	go test -timeout 10m $(TESTFLAGS) -run '$(LIVE)' ./party & party=$$!; \
	go test -timeout 10m $(TESTFLAGS) ./net && wait $$party
	@PARTYLINE_PLAIN_SOCKET=2 go test -timeout 10m $(TESTFLAGS) -run 'Socket|Stream|Endpoint|Dial|Listen|Relay' ./net

# The benchmark's own tests: it is a module of its own.
test-bench:
	@if [ "$$(uname -s)" = Linux ]; then cd tests/bench && go test -timeout 5m $(TESTFLAGS) ./...; fi

test-nat:
	@.ci/setup test
	go test ./tests -run '^TestNATLab$$' -nat -v -parallel 5 -timeout 10m

lint:
	@.ci/lint

fuzz:
	@.ci/fuzz $(FUZZTIME)

soak:
	go test ./tests -run '^TestSoak$$' -timeout 30m -seeds $(SEEDS) -v
	go test ./tests/world -run 'Changes|Moves|Outlives|Settles|Torn|Heirs|Handed|Ends|House' -timeout 30m -seeds $(WORLDS)

# Linux alone: it counts processor time and memory as that does. ENet is left
# out where it is not installed.
bench:
	@.ci/setup bench
	@cd tests/bench && go build -tags "$$(pkg-config --exists libenet && echo enet)" -o bench . && \
		./bench -rounds $(ROUNDS) -only "$(ONLY)" -results results.jsonl

bench-plot:
	@cd tests/bench && go run . -results results.jsonl -plot performance.svg

# Times and allocations of the packages themselves.
bench-core:
	go test -run '^$$' -bench . -benchmem $(LIBRARIES)
