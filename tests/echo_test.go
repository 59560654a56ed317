package tests

import (
	"fmt"
	"strconv"
	"time"

	netmsg "github.com/partyline-go/partyline/net"
)

// echoServer ADDR [TIMEOUT] sends each message and value back to whom it came
// from.
func echoServer(args []string) error {
	cfg := netmsg.Config{Plain: true}
	if len(args) > 1 {
		timeout, err := time.ParseDuration(args[1])
		if err != nil {
			return err
		}
		cfg.Timeout = timeout
	}
	back := netmsg.HandlerFunc(func(e netmsg.Event) {
		switch e.Kind {
		case netmsg.Joined:
			fmt.Println("joined", e.Conn.Addr())
		case netmsg.Message:
			e.Conn.SendReliable(e.Data)
		case netmsg.Update:
			e.Conn.SendLatest(e.Stream, e.Data)
		case netmsg.Left:
			fmt.Println("left", e.Reason)
		}
	})
	server, err := netmsg.Listen(args[0], back, &cfg)
	if err != nil {
		return err
	}
	fmt.Println("listening", server.Addr())
	untilStdinEnds()
	return server.Close()
}

// echoClient ADDR N sends N messages and as many values to an echo server and
// sees the messages come back in order and the last value come back at last.
func echoClient(args []string) error {
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	events := make(chan netmsg.Event, 100)
	client, err := netmsg.Dial(args[0], netmsg.ChannelHandler(events), &netmsg.Config{Plain: true})
	if err != nil {
		return err
	}
	defer client.Close()

	heard, last := 0, ""
	for limit := time.After(patience); heard < n || last != strconv.Itoa(n-1); {
		select {
		case e := <-events:
			switch e.Kind {
			case netmsg.Joined:
				if err := sendNumbers(e.Conn, n); err != nil {
					return err
				}
			case netmsg.Message:
				if got, want := string(e.Data), strconv.Itoa(heard); got != want {
					return fmt.Errorf("message %q came back where %q was due", got, want)
				}
				heard++
			case netmsg.Update:
				last = string(e.Data)
			case netmsg.Left:
				return fmt.Errorf("left: %v", e.Reason)
			}
		case <-limit:
			return fmt.Errorf("%d of %d messages came back, and the value %q", heard, n, last)
		}
	}
	fmt.Println("all came back")
	return nil
}

// quietClient ADDR joins a server and does nothing more.
func quietClient(args []string) error {
	quiet := netmsg.HandlerFunc(func(e netmsg.Event) { fmt.Println(e.Kind, e.Reason) })
	client, err := netmsg.Dial(args[0], quiet, &netmsg.Config{Plain: true})
	if err != nil {
		return err
	}
	untilStdinEnds()
	return client.Close()
}

func sendNumbers(conn *netmsg.Conn, n int) error {
	for i := range n {
		if err := conn.SendReliable(strconv.AppendInt(nil, int64(i), 10)); err != nil {
			return err
		}
		if err := conn.SendLatest(7, strconv.AppendInt(nil, int64(i), 10)); err != nil {
			return err
		}
	}
	return nil
}
