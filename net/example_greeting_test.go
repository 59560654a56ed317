package netmsg_test

import (
	"fmt"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// Both ends greet each other when they have joined, and hear each other leave.
func Example() {
	greet := netmsg.HandlerFunc(func(e netmsg.Event) {
		switch e.Kind {
		case netmsg.Joined:
			e.Conn.SendReliable([]byte("hello"))
		case netmsg.Message:
			fmt.Printf("heard %s\n", e.Data)
		case netmsg.Left:
			fmt.Println("left")
		}
	})

	server := netmsg.MustListen("127.0.0.1:0", greet, nil)
	client := netmsg.MustDial(server.Addr().String(), greet, nil)
	time.Sleep(500 * time.Millisecond) // the program runs

	client.Close()
	server.Close()
	// Output:
	// heard hello
	// heard hello
	// left
	// left
}
