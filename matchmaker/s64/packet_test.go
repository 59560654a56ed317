package s64

import (
	"bytes"
	"testing"
)

func TestRowZ1EveryVectorIsReadAndWrittenAsItWas(t *testing.T) {
	for name, want := range vectors(t) {
		t.Run(name, func(t *testing.T) {
			p, ok := Parse(want)
			if bad := name == "bad.version2" || name == "bad.truncated" || name == "bad.magic"; bad {
				if ok {
					t.Fatalf("read %+v", p)
				}
				return
			}
			if !ok {
				t.Fatalf("refused %x", want)
			}
			got, err := p.Append(nil)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("wrote %x, want %x (%v)", got, want, err)
			}
		})
	}
}

func TestBodiesOfTheVectorsAreReadAndWrittenAsTheyWere(t *testing.T) {
	data := func(name string) []byte { p, _ := Parse(vectors(t)[name]); return p.Data }

	r, err := ParseRegistration(data("register.request"))
	if want := (Registration{Port: 6461, Name: "Fake.n64", Hash: fakeHash}); err != nil || r != want {
		t.Errorf("read %+v (%v), want %+v", r, err, want)
	}
	if !bytes.Equal(AppendRegistration(nil, r), data("register.request")) {
		t.Error("the registration is written otherwise")
	}
	e, err := parseEntry(data("list.server"))
	if want := (Entry{Addr: "127.0.0.1:6461", Name: "Fake.n64", Hash: fakeHash, Downloadable: true}); err != nil || e != want {
		t.Errorf("read %+v (%v), want %+v", e, err, want)
	}
	if !bytes.Equal(appendEntry(nil, e), data("list.server")) {
		t.Error("the entry is written otherwise")
	}
	id, p, err := parsePresence(data("discover.reply"))
	if want := (Presence{Name: "TTT test", Max: 2}); err != nil || p != want || string(id) != "127.0.0.1:6461" {
		t.Errorf("read %q %+v (%v), want %+v", id, p, err, want)
	}
}

func TestRowZ19DiscoverIsAnsweredWithTheWholeDataAsIdentifier(t *testing.T) {
	v := vectors(t)
	for q, want := range map[string]string{"discover.request": "discover.reply", "discover.wiki.request": "discover.wiki.reply"} {
		got, ok := AnswerDiscover(v[q], Presence{Name: "TTT test", Max: 2})
		if !ok || !bytes.Equal(got, v[want]) {
			t.Errorf("%s was answered %x, want %x", q, got, v[want])
		}
	}
	if _, ok := AnswerDiscover(v["list.request"], Presence{}); ok {
		t.Error("LIST was answered")
	}
	long, _ := Packet{Version: 1, Type: DiscoverIt, Data: make([]byte, 4000)}.Append(nil)
	if _, ok := AnswerDiscover(long, Presence{}); ok {
		t.Error("an identifier of 4,000 bytes was echoed")
	}
}

func TestRowZ15MalformedRegistrationsAreRefused(t *testing.T) {
	good := Registration{Port: 1, Name: "x", Hash: fakeHash}
	b := AppendRegistration(nil, good)
	change := func(i int, v byte) []byte { c := bytes.Clone(b); c[i] = v; return c }
	for name, data := range map[string][]byte{
		"empty": {}, "cut": b[:len(b)-1], "port 0": change(3, 0), "port 65,537": change(1, 1),
		"name past the end": change(4, 0xff), "hash of 31": change(12, 31),
		"a name of 241": AppendRegistration(nil, Registration{Port: 1, Name: string(make([]byte, 241)), Hash: fakeHash}),
	} {
		if r, err := ParseRegistration(data); err == nil {
			t.Errorf("%s: read %+v", name, r)
		}
	}
}

func TestRowsZ3Z4WhatIsReadAndWhatIsNot(t *testing.T) {
	good := vectors(t)["register.request"]
	change := func(i int, v byte) []byte { c := bytes.Clone(good); c[i] = v; return c }
	for name, c := range map[string]struct {
		b  []byte
		ok bool
	}{
		"version 0":              {change(3, 0), true},
		"unknown flags":          {change(4, 0xF2), true},
		"trailing bytes":         {append(bytes.Clone(good), 1, 2, 3), true},
		"version 2":              {change(3, 2), false},
		"empty":                  {nil, false},
		"data cut":               {good[:len(good)-1], false},
		"type past the end":      {change(11, 255), false},
		"data length ffff":       {append(append(bytes.Clone(good[:20]), 0xff, 0xff), good[22:]...), false},
		"a game's packet":        {[]byte("NLP\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), false},
		"type and nothing else":  {good[:20], false},
		"one byte of the length": {good[:21], false},
	} {
		if _, ok := Parse(c.b); ok != c.ok {
			t.Errorf("%s: read %v, want %v", name, ok, c.ok)
		}
	}
}

func TestDatagramOverTheLimitIsRefusedWithBothSizes(t *testing.T) {
	_, err := Packet{Type: "LIST", Data: make([]byte, 4079)}.Append(nil)
	if err == nil || err.Error() != "s64: datagram of 4097 bytes, at most 4096" {
		t.Fatal(err)
	}
}

func FuzzPacket(f *testing.F) {
	for _, b := range vectors(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := Parse(b)
		if !ok {
			return
		}
		if again, err := p.Append(nil); err == nil && !bytes.Equal(again, b[:len(again)]) {
			t.Fatalf("%x was written as %x", b, again)
		}
		if r, err := ParseRegistration(p.Data); err == nil {
			if r2, err := ParseRegistration(AppendRegistration(nil, r)); err != nil || r2 != r {
				t.Fatalf("%+v came back as %+v, %v", r, r2, err)
			}
		}
		parseEntry(p.Data)
		parsePresence(p.Data)
		AnswerDiscover(b, Presence{Name: "x"})
	})
}
