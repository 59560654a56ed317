package nlp_test

import (
	"fmt"
	"net"
	"time"

	"github.com/partyline-go/partyline/net/nlp"
)

// Types of the packets of this example's game. 1 is how a client asks for a
// place and hears its number.
const (
	kindName  = 5 // a client tells the server who is playing
	kindStart = 6 // the server tells all clients that the game begins
	kindChat  = 7 // a client tells another
)

// A server for two players: it gives out numbers, hears their names, and tells
// both when the game begins.
func ExampleServer() {
	server, err := nlp.Listen("127.0.0.1:0", nlp.HubConfig{Clients: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	for _, name := range []string{"Ann", "Bob"} {
		player := enter(server, name)
		defer player.Close()
	}

	names := make(map[int]string)
	for len(names) < 2 {
		for _, e := range server.Poll() {
			switch e.Kind {
			case nlp.ClientSaid:
				if e.Packet.Type == kindName {
					names[e.Client] = string(e.Packet.Data)
				}
			case nlp.ClientLeft:
				delete(names, e.Client)
			}
		}
		time.Sleep(time.Second / 60) // the game's own tick
	}
	everybody := uint32(1<<0 | 1<<1) // bit n-1 is client n
	if err := server.Send(kindStart, 0, everybody, []byte(names[1]+" against "+names[2])); err != nil {
		fmt.Println(err)
	}

	fmt.Println(server.Len(), "players:", names[1], "and", names[2])
	// Output:
	// 2 players: Ann and Bob
}

// enter is a client that says its name, and no more.
func enter(server *nlp.Server, name string) net.Conn {
	conn, err := net.Dial("udp", server.Addr().String())
	if err != nil {
		panic(err)
	}
	session := nlp.NewSession(0)
	session.Send(nlp.DefaultConnect, 0, 0, nil)
	session.Send(kindName, 0, 0, []byte(name))
	buf := make([]byte, nlp.MaxDatagram)
	for n := session.Transmit(0, buf); n > 0; n = session.Transmit(0, buf) {
		conn.Write(buf[:n])
	}
	for server.Len() == 0 {
		time.Sleep(time.Millisecond) // so that the next is client 2
	}
	return conn
}

// A client is a Session on a socket: it sends what is due, waits for a datagram
// until the session's deadline, and looks at what has happened. This one asks
// for a place and, as it is alone, writes to itself by way of the server: which
// passes nothing back to its sender, so that only the server's own word comes.
func ExampleSession() {
	server, err := nlp.Listen("127.0.0.1:0", nlp.HubConfig{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	conn, err := net.Dial("udp", server.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer conn.Close()

	epoch := time.Now()
	session := nlp.NewSession(0)
	session.Send(nlp.DefaultConnect, 0, 0, nil)
	buf := make([]byte, nlp.MaxDatagram)
	for !session.Ended() {
		now := time.Since(epoch)
		for n := session.Transmit(now, buf); n > 0; n = session.Transmit(now, buf) {
			conn.Write(buf[:n])
		}
		conn.SetReadDeadline(epoch.Add(session.Deadline()))
		if n, err := conn.Read(buf); err == nil {
			session.Receive(time.Since(epoch), buf[:n])
		}
		for e := range session.Events() {
			switch {
			case e.Kind == nlp.Lost:
				fmt.Println("the server is gone")
			case e.Packet.Type == nlp.DefaultConnect:
				me := e.Packet.Data[0]
				fmt.Println("this is client", me)
				session.Send(kindChat, nlp.Unreliable, 1<<(me-1), []byte("anybody?"))
				server.Send(kindStart, 0, 1<<(me-1), []byte("you are alone"))
			default:
				fmt.Printf("type %d: %s\n", e.Packet.Type, e.Packet.Data)
				session.Close()
			}
		}
	}
	// Output:
	// this is client 1
	// type 6: you are alone
}
