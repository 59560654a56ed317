package nlp

import (
	"bytes"
	"testing"
)

func TestRowZ2EveryVectorIsReadAndWrittenAsItWas(t *testing.T) {
	for name, want := range vectors(t) {
		t.Run(name, func(t *testing.T) {
			p, ok := Parse(want)
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

func TestRowZ2FieldsStandWhereTheVectorSays(t *testing.T) {
	p, ok := Parse(vectors(t)["nlp.encode"])
	if !ok || p.Type != 9 || p.Flags != 3 || p.Seq != 0xabcd || p.Ack != 0xfffe || p.Bits != 0x8001 || p.Recipients != 0 || !bytes.Equal(p.Data, []byte{1, 2, 3}) {
		t.Fatalf("read %+v", p)
	}
}

func TestRowZ4MalformedDatagramsAreRefused(t *testing.T) {
	good := vectors(t)["nlp.encode"]
	change := func(i int, b byte) []byte { c := bytes.Clone(good); c[i] = b; return c }
	for name, b := range map[string][]byte{
		"empty":                   {},
		"two bytes":               good[:2],
		"header cut":              good[:17],
		"data cut":                good[:len(good)-1],
		"another magic":           change(2, 'Q'),
		"version 2":               change(3, 2),
		"length past the end":     change(17, 4),
		"length of 65,535":        append(append(bytes.Clone(good[:16]), 0xff, 0xff), good[18:]...),
		"a Server64 packet's":     []byte("S64\x01\x01\x00\x00\x00\x00\x00\x00\x04LIST\x00\x00"),
		"a header of zeros alone": make([]byte, HeaderSize),
	} {
		if p, ok := Parse(b); ok {
			t.Errorf("%s: read as %+v", name, p)
		}
	}
}

func TestRowZ3VersionZeroTrailingBytesAndUnknownFlagsAreTaken(t *testing.T) {
	b := append(bytes.Clone(vectors(t)["nlp.encode"]), 7, 7)
	b[3], b[5] = 0, 0xF3
	if p, ok := Parse(b); !ok || len(p.Data) != 3 || p.Flags != 0xF3 {
		t.Fatalf("read %+v, %v", p, ok)
	}
}

func TestDataOverTheLimitIsRefusedWithBothSizes(t *testing.T) {
	_, err := Packet{Data: make([]byte, MaxData+1)}.Append(nil)
	if err == nil || err.Error() != "nlp: 4079 bytes of data, at most 4078" {
		t.Fatal(err)
	}
}

func FuzzPacket(f *testing.F) {
	for _, b := range vectors(f) {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, ok := Parse(b)
		if !ok || len(p.Data) > MaxData {
			return
		}
		again, err := p.Append(nil)
		if err != nil || !bytes.Equal(again, b[:len(again)]) {
			t.Fatalf("%x was written as %x: %v", b, again, err)
		}
	})
}
