package session

import (
	"unicode"
	"unicode/utf8"

	"github.com/partyline-go/partyline/party"
)

// NoteKind says what a Note tells.
type NoteKind uint8

const (
	NoteJoined     NoteKind = iota + 1 // Who has come
	NoteLeft                           // Who has left, for Why
	NoteChat                           // Who says Text
	NoteFell                           // Who is in the water, pushed by By (0: by nobody)
	NoteRound                          // Who has won the round (0: nobody)
	NoteMatch                          // Who has won the match
	NoteNewHost                        // Who is the host now
	NoteRoomOpen                       // this host's room is open; Text is its code
	NoteRoomFailed                     // this host has no room, for Why
)

// A Note is a line of the feed. Names are as they were.
type Note struct {
	Kind    NoteKind
	Who, By party.PID
	Name    string // of Who
	ByName  string
	Why     party.Why
	At      uint64 // the frame it came in

	text [MaxChat]byte // not a string, so that chat allocates nothing until it is shown
	size int
}

// Text is what was said, or a room's code.
func (n *Note) Text() string { return string(n.text[:n.size]) }

// String gives the note in words.
func (n *Note) String() string {
	switch n.Kind {
	case NoteJoined:
		return n.Name + " joined"
	case NoteLeft:
		return n.Name + " " + goneWords(n.Why)
	case NoteChat:
		return n.Name + ": " + n.Text()
	case NoteFell:
		if n.By != 0 {
			return n.ByName + " pushed " + n.Name + " in"
		}
		return n.Name + " fell in"
	case NoteRound:
		if n.Who == 0 {
			return "nobody won the round"
		}
		return n.Name + " won the round"
	case NoteMatch:
		return n.Name + " won the match"
	case NoteNewHost:
		return n.Name + " is the host now"
	case NoteRoomOpen:
		return "room " + n.Text() + " is open"
	case NoteRoomFailed:
		return roomWords(n.Why)
	}
	return ""
}

// A Feed keeps the newest notes.
type Feed struct {
	notes [64]Note
	count uint64
}

// Count is how many notes there have been. The newest 64 can be read.
func (f *Feed) Count() uint64 { return f.count }

// Note gives the note of a number from Count()−64 to Count()−1; nil for others.
func (f *Feed) Note(i uint64) *Note {
	if i >= f.count || f.count-i > uint64(len(f.notes)) {
		return nil
	}
	return &f.notes[i%uint64(len(f.notes))]
}

// add makes room for the next note.
func (f *Feed) add(n Note) *Note {
	at := &f.notes[f.count%uint64(len(f.notes))]
	*at = n
	f.count++
	return at
}

// say keeps a line of chat, without what cannot be shown.
func (n *Note) say(text []byte) {
	n.size = 0
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r != utf8.RuneError && unicode.IsPrint(r) && n.size+size <= len(n.text) {
			n.size += copy(n.text[n.size:], text[:size])
		}
		text = text[size:]
	}
}
