package codes_test

import (
	"fmt"
	"net/netip"

	"github.com/partyline-go/partyline/codes"
)

// A host shows its code, and a friend types what she heard.
func Example() {
	code, err := codes.Join(netip.MustParseAddrPort("192.168.1.20:27415"))
	if err != nil {
		panic(err)
	}
	fmt.Println(code)

	target, err := codes.Parse(" r2mo2 53b2y ", codes.DefaultPort)
	if err != nil {
		panic(err)
	}
	fmt.Println(target.Addr)
	// Output:
	// R2M02-53B2Y
	// 192.168.1.20:27415
}

func ExampleParse() {
	for _, text := range []string{"7k3m-q0zd", "10.0.0.2", "[2001:db8::1]:27415", "R2M02-53B2Z", "R2M02"} {
		target, err := codes.Parse(text, 27415)
		switch {
		case err != nil:
			fmt.Println(err)
		case target.Room != "":
			fmt.Println("ask the matchmaker for", target.Room)
		default:
			fmt.Println("dial", target.Addr)
		}
	}
	// Output:
	// ask the matchmaker for 7K3M-Q0ZD
	// dial 10.0.0.2:27415
	// dial [2001:db8::1]:27415
	// codes: the code is mistyped: its symbols do not fit together
	// codes: a code has 8, 10, 30, 34 or 54 symbols: this one has 5
}

func ExampleInvite() {
	host := netip.MustParseAddrPort("203.0.113.7:60000")
	code, err := codes.Invite(host, 0x123456789abcdef, 0xfedcba987654321)
	if err != nil {
		panic(err)
	}
	fmt.Println(code)
	// Output:
	// SC072-1ZAC1-28T5C-Y4TQK-FFZVE-BN63P-AGS1
}
