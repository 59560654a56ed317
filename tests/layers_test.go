// Package tests holds what no single package can show: who imports whom, whole
// worlds of parties, the soak, real processes and networks, and that the
// documents are true.
package tests

import "testing"

// theHouse is who may import whom, and which files touch the outside.
var theHouse = house{
	module: "github.com/partyline-go/partyline",

	// The nearest directory above a file decides. A test may also use what is
	// under tests.
	mayImport: map[string][]string{
		"codes":          {},
		"net":            {},
		"net/nlp":        {"net"},
		"net/rtc":        {"net"},
		"matchmaker":     {"codes", "net"},
		"matchmaker/cmd": {"codes", "net", "matchmaker"},
		"party":          {"codes", "net", "matchmaker"},
		"demo":           {"codes", "net", "party", "matchmaker", "net/rtc", "demo"},
		"tests":          {"codes", "net", "matchmaker", "party", "demo", "tests"},
	},

	// Modules with one place to be, because they are large, or need a display.
	onlyIn: map[string][]string{
		"github.com/hajimehoshi/ebiten": {"demo"},
		"github.com/nats-io":            {"matchmaker/cmd", "matchmaker/natsdir"},
		"github.com/pion/webrtc":        {"net/rtc"},
		"github.com/pion":               {"net/rtc", "matchmaker", "tests"},
	},

	// Programs and packages that run where there is no display or no disk to
	// spare: the modules that they may not reach, however far away.
	neverReaches: map[string][]string{
		"demo/ebiten/arena":    {"github.com/hajimehoshi/ebiten"},
		"demo/ebiten/level":    {"github.com/hajimehoshi/ebiten"},
		"demo/ebiten/session":  {"github.com/hajimehoshi/ebiten"},
		"demo/ebiten/headless": {"github.com/hajimehoshi/ebiten"},
		"party":                {"github.com/hajimehoshi/ebiten", "github.com/nats-io", "github.com/pion/webrtc"},
		"net":                  {"github.com/pion"},
	},

	// The core directories, each with its edge files.
	core: map[string][]string{
		"codes": {},
		"net": {
			"conn.go", "conn_peer.go", "handler.go", "lossyrelay.go", "mailbox.go", "random.go",
			"endpoint.go", "endpoint_arrive.go", "endpoint_dial.go", "endpoint_doubt.go", "endpoint_frames.go", "endpoint_outbox.go",
			"endpoint_peer.go", "endpoint_reading.go", "endpoint_sealed.go", "endpoint_stats.go", "endpoint_watchdog.go",
			"foreign.go", "paths.go",
			"outlet.go", "outlet_channel.go", "outlet_func.go",
			"pair.go", "pair_inprocess.go", "pair_simulated.go",
			"socket.go", "socket_address.go", "socket_bind.go",
			"socket_df.go", "socket_df_darwin.go", "socket_df_linux.go", "socket_df_other.go", "socket_df_windows.go",
			"socket_linux.go", "socket_look_linux.go", "socket_merge_linux.go", "socket_names_linux.go", "socket_other.go", "socket_read_linux.go", "socket_write_linux.go",
			"socket_plain.go", "socket_pump.go", "socket_room.go", "socket_room_linux.go", "socket_room_other.go", "socket_windows.go",
		},
		"net/nlp":        {"server.go"},
		"matchmaker/s64": {"dir.go", "serve.go", "client.go"},
	},
}

func TestEveryFileKeepsToItsLayer(t *testing.T) {
	for _, complaint := range theHouse.check(t, "..") {
		t.Error(complaint)
	}
}

func TestNoFileNamesAMachineOrARegistry(t *testing.T) {
	for _, complaint := range checkPlaces(t, "..") {
		t.Error(complaint)
	}
}
