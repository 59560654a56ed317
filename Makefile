# Partyline. Each of these does all the set-up that it needs.
#
#   make demo                  a game in a window, or without one where there is no display
#   make demo ARGS="-bots 11"  the same, with flags: see ARGS=-h
#   make test                  all tests
#   make test-nat              routers for real: network namespaces, as root
#   make lint fuzz soak bench  what CI does besides, and the benchmarks
#
# On Windows and macOS Go alone suffices: go run ./demo/ebiten, go test ./...

SHELL := bash
ARGS ?=
TESTFLAGS ?=
FUZZTIME ?= 10s
SEEDS ?= 500

# What is built for every system, a browser's included.
LIBRARIES := ./codes/... ./net/... ./party/... ./matchmaker/...

.PHONY: demo test test-nat lint fuzz soak bench

# Ebitengine speaks to X11 on Linux; a Wayland desktop has an X server as well.
demo:
	@if [ "$$(uname -s)" != Linux ] || [ -n "$$DISPLAY" ]; then \
		.ci/setup window && go run ./demo/ebiten $(ARGS); \
	else \
		echo "No display here: playing without a window." >&2; \
		go run ./demo/ebiten/headless $(ARGS); \
	fi

test:
	@.ci/setup window test
	@.ci/display go test -race -shuffle=on -timeout 20m $(TESTFLAGS) ./...
	@# What the race detector would falsify or make endless: allocations, and T3.
	@go test -shuffle=on -timeout 5m $(TESTFLAGS) -run 'Alloc|TestCaseT3$$' ./net ./party

test-nat:
	@.ci/setup test
	go test ./tests -run '^TestNATLab$$' -nat -v -parallel 5 -timeout 10m

lint:
	@.ci/lint

fuzz:
	@.ci/fuzz $(FUZZTIME)

soak:
	go test ./tests -run '^TestSoak$$' -timeout 30m -seeds $(SEEDS) -v

bench:
	go test -run '^$$' -bench . -benchmem $(LIBRARIES)
