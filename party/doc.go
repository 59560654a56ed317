// Package party is the network of a game for a few friends: a host and up to
// eleven guests, polled once per frame. Nothing calls back, nothing blocks a
// frame, and the game needs no lock. Made for Ebitengine's Update, it imports
// nothing of it.
//
// # A frame
//
//	func (g *game) Update() error {
//		g.party.Begin(time.Second / 60) // time, and what came in
//		for m := range g.party.Inbox() {
//			switch m.Kind {
//			case party.Hello: // a stranger is at the host's door
//				g.party.Accept(m.From) // or Refuse(m.From, "wrong map")
//			case kindMove:
//				x, y := m.Float32(), m.Float32()
//				if m.Err() == nil {
//					g.move(m.By, x, y)
//				}
//				if g.party.Hosting() {
//					g.party.Forward(m, party.Latest(0)) // to the others
//				}
//			}
//		}
//		g.party.Update() // hellos that wait, a host that is silent
//
//		w := g.party.Write(kindMove)
//		w.Float32(g.x)
//		w.Float32(g.y)
//		w.SendAll(party.Latest(0)) // a guest's goes to the host
//
//		g.party.End() // what was queued leaves
//		for f := range g.party.Facts() {
//			g.note(f) // Joined, Gone, Down, NewHost, …
//		}
//		return nil
//	}
//
// The same frame serves the host and its guests. A program without a window
// calls it from a ticker. A session begins with [Party.Host] or [Party.Join] and
// ends with [Party.Leave] or a [Down] fact; the same Party then begins another.
// A program that ends calls Leave, or the others wait for SilenceTimeout.
//
// # Host and join
//
//	p := party.New(party.Config{})
//
//	err := p.Host(party.DefaultPort, 0) // 0 instead of the port: any that is free
//	show(p.JoinCode())                  // "R2M02-53B2Y", for friends to type
//
//	w := p.Write(party.Hello) // a guest: what the host's game is to know first
//	w.Str(name)
//	w.SetHello()
//	to, err := codes.Parse(typed, party.DefaultPort) // a code of any kind, or an address
//	err = p.Join(to)                                 // Facts tell Joined, or Down and why
//
// The host's game reads the hello as it reads any message (m.Str() above), and
// answers it with [Party.Accept] or [Party.Refuse]. Accept gives the guest's PID,
// and from then on the host can send to it. The library hands out pids, no
// names: what the others are to know of a newcomer the host's game tells them. A
// host does not hear what it sends itself, unless [Writer.Loopback] says so.
// Facts come at the end of a frame: a guest reads what its host said together
// with the Accept in the frame whose Facts tell Joined.
//
// # Who is who
//
// The host that opened the party is [PID] 1 and hands out 2, 3 and so on, none
// twice. A connection that comes in is a stranger: of all that it says only its
// hello reaches the game, once, as a message of kind [Hello], until the game
// accepts it. A [Peer] is the other end of a connection: guests are connected to
// the host alone. A [Member] is anyone in the party. [Writer.SendTo] reaches
// members from any member; the host passes it on.
//
// # What is sent
//
// A message is a [Kind], and up to [MaxMessage] bytes that the [Writer] puts
// together and the [Reader] takes apart. Its [Mode] says how it travels:
// [Reliable], [Unreliable], [Latest] or [On]. What is too large is refused with
// its size and the limit, never cut. Sends only queue; End sends. Data handed
// out is borrowed until the next Begin, and a steady frame allocates nothing.
//
// # When the host goes
//
// A party outlives its host. Every member has the roster, and with it the
// order in which they would be host: by pid. When the host leaves
// ([Party.Leave], [Party.HandOff]) or is silent for [SilenceTimeout], the first
// of them opens, the others find it, all keep their pids, and Facts tell
// [NewHost]. With nobody else left, Facts tell [Down], and [Party.StandAlone]
// goes on alone. [Config.NoHandOff] switches this off; [Party.BecomeHost] and
// [Party.Follow] let the game rule it.
//
// # Rooms
//
// With [Config.SignalURL], a matchmaker's, Host also opens a room. Facts tell
// [RoomOpen] with its code, eight symbols to read aloud, and a friend anywhere
// joins by it: [codes.Parse] tells a room's code from an address, and Join takes
// either. The guest dials all addresses of the host at once while the host opens
// its router for the guest; if none answers, the guest goes over a relay, sealed
// end to end as always, and leaves it as soon as a direct path is found. When
// it hears nothing of the host for two and a half seconds, as after an address
// of either has changed, it is introduced anew and moves to a way that answers.
// [Peer.Path] says which way it is, [Party.Stage] how far a join has come,
// [Party.Outside] what the router looks like from outside. The code survives the
// host: whoever is host next takes the room over. Without the matchmaker
// [RoomFailed] says so, playing by address goes on, and the room comes back by
// itself. [Config.ForceRelay] keeps a guest's address from everyone.
//
// # Time
//
// A party is live or stepped. Live, it runs on the machine's monotonic clock
// and a UDP socket; when a frame is late by more than 100 ms, a watchdog
// acknowledges, keeps alive and resends in its place. Stepped, on a
// netmsg.StepSocket, it has no clock but Begin's dt and no goroutine, so that
// whole worlds of parties run on one seed in a test.
//
// # Limits
//
// They are constants: [MaxMembers], [MaxMessage], [MaxUnreliable], [MaxLatest],
// [FragmentPayload], [MaxDatagram], [MaxQueued], [MaxString], [MaxStream],
// [SilenceTimeout], [StallTimeout], [JoinTimeout], [MaxHelloWait].
//
// # Keys
//
// A party is always sealed: nobody on the way can read, change or forge what its
// members say. Each member has a key, and the roster tells all members' keys, so
// nobody can pose as the next host. A bare join code says nothing of the host's
// key: the guest trusts the key that it sees first, and [Peer.Verified] is false.
// With a [Party.Invitation] it is sure, at both ends; two people may also compare
// [Party.Fingerprint] aloud. The host itself is trusted with everything: it is
// the game's authority.
//
// # For those who know ludic.net
//
// Every function of ludic.net, and what it is called here:
//
//	NetConfig: proto, port              Config.Proto, Config.Port
//	NetConfig: signal_url               Config.SignalURL
//	NetConfig: stun_host, port, at      Config.StunHost, StunPort, StunAt
//	NetConfig: no_stun, force_relay     Config.NoStun, Config.ForceRelay
//	NetConfig: relay_port0              the matchmaker's: matchmaker.ServerConfig.RelayPort0
//	NetConfig: seed                     Config.Random
//	port NetWorld (log, trace)          Config.Log; trace is its debug level
//	port NetSocket, unbound: Udp        Config.Socket, nil: UDP
//	net_config                          New
//	net_host                            Party.Host
//	net_hello_set                       Writer.SetHello
//	net_join, net_room_join             Party.Join: an address, or a room's code
//	net_accept                          Party.Accept; Party.Refuse says no
//	net_joined_as                       Party.JoinedAs, once Facts told Joined
//	net_dial                            Party.Dial
//	net_follow                          Party.Follow
//	net_stand_alone                     Party.StandAlone
//	net_become_host                     Party.BecomeHost
//	net_room_host                       Party.RoomHost
//	net_hello_wait                      Party.HelloWait
//	net_begin, net_update, net_end      Party.Begin, Party.Update (no dt), Party.End
//	net_keepalive, net_flush_all        Party.KeepAlive, Party.FlushAll
//	net_reset, net_lose, net_fresh      Party.Leave, Party.Lose, Party.Fresh
//	np_queue                            Writer.Send
//	np_queue_all                        Writer.SendAll; Writer.SendAllBut
//	np_flush                            Party.Flush
//	np_close                            Party.ClosePeer
//	np_of_pid                           Party.PeerOf
//	net_close_when_sent                 Party.CloseWhenSent
//	nw_begin                            Party.Write
//	nw_i, nw_b, nw_f, nw_s, nw_text     Writer.Int, Byte, Float32, Str, Text
//	nw_len                              Writer.Len
//	net_inbox                           Party.Inbox; the host's peers are skipped once closed
//	net_read                            nothing: a Message is read where it is
//	nr_i, nr_b, nr_f, nr_s, nr_text     Reader.Int, Byte, Float32, Str, Text
//	nr_bad                              Reader.Err
//	net_copy_read                       Party.Forward
//	net_written                         Writer.Loopback
//	nb_put8, nb_put32                   Put8, Put32
//	nb_get8, nb_get32, nb_copy          Get8, Get32, Copy
//	net_code_of, net_parse_code         codes.Join, codes.Parse
//	net_code_ip, net_code_port          codes.Target
//	net_is_room                         codes.IsRoom
//	net_join_code                       Party.JoinCode
//	net_state                           Party.State
//	net_live, net_active, net_hosting   State.Live, Active, Hosting
//	net_joined, net_joining             State.Joined, Joining
//	net_my_pid, net_token, net_time     Party.MyPID, Party.Token, Party.Time
//	net_why, net_port                   Party.Why, Party.Port
//	net_join_ip, net_join_port          Party.Target
//	net_peer_on, pid, ip, port, heard   Peer.On, PID, Addr, LastHeard
//	net_peer_count                      Party.PeerCount; Party.Peers
//	net_room_on, net_room               Party.Room, "" when there is none
//	net_room_asking                     Party.RoomAsking
//	net_via_relay                       Peer.Path: Direct, Local or Relayed
//	net_outside_ip, net_outside_port    Party.Outside
//	net_bytes_out                       Party.BytesOut
//	net_kind_bytes, net_kind_out_clear  Party.KindBytes, Party.ClearKindBytes
//	net_facts                           Party.Facts
//	NET_GONE, NET_CLOSED, NET_DOWN      Gone, Closed, Down
//	NET_ROOM, NET_ROOM_FAILED           RoomOpen, RoomFailed
//	NET_WHY_*                           Why
package party
