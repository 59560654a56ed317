package netmsg

import (
	"bytes"
	"crypto/cipher"
	"encoding/hex"
	"testing"
)

func fromHex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func keyOf(t testing.TB, s string) [32]byte {
	t.Helper()
	return [32]byte(fromHex(t, s))
}

// sealFrames gives packet number of connection cid with these frames.
func sealFrames(s *sealer, cid uint32, number uint64, frames []byte) []byte {
	b := make([]byte, sealedHeader, sealedExtra+len(frames))
	putSealedHeader(b, cid, number)
	return s.seal(append(b, frames...), number)
}

var packetVectors = []struct {
	pattern, c2s, s2c          string
	epoch0, epoch1             string
	c2sPacket0, c2sPacket65536 string
	s2cPacket0                 string
}{
	{
		"NK",
		"971820f7afa04e5b033fb43d60afc4298274afb734239f106d852b0efadc8485",
		"07ea5a23687f9fc533e270326696bef8a5a349adcc022468c0883017e5e7a0f7",
		"7672b4d7df87f0be24eb6bc8b3ce7bbd95b243f842e8b62612d0cf578f274b0d",
		"1349020621302b68ecfd8face4713208e9f83a3826b6d9d57ad378a3b1fa3e50",
		"9192939400001372a2c5fec7ba754db4ffa61b5e765c38",
		"91929394000090d6301a7054f0292931d93a68d33e62fc",
		"8a0b0c0d0000c9f29950f0cb0ffa743fa56ea2f418845d325a844570417b079ebc835f",
	},
	{
		"NKpsk0",
		"2fb0accd6dd86a1e73b2eaa43afa811f835e364b5cc8ec275f3cacae20a74723",
		"ab181aaec19aa57bc79bf74d9aafd2c1504a8b937278108fa68ff24c1f903de3",
		"fb1c3e66f15de5f7fae685eeb8cafb9aa86f92f7cc935652b868d215903fdefc",
		"7cfd95b9f5c11be3458687991cc631c1d06ad83f8eb8653c5c1176e048a038ff",
		"9192939400000b717fb7dd17e9d3f32511838563c6ef08",
		"919293940000932b9cf0bd3db6f8577fca4f52d1eba742",
		"8a0b0c0d00007790cfcc04fa3906003c6a3417a4a79ecba843e4232421ba1859dc540f",
	},
	{
		"IK",
		"e20c76acc4af8819011bc1871ae98eaebb9a71106fa48c136336863a307bcc0c",
		"da57a2f42f2857ebbb37618294f0aa0c909a85fc6cef447fd29c4b369d2bbdc4",
		"18ea65ef3f4d2beb46b09b0eff3778c6a0a4571fd2d1c61fbb38105f1309a377",
		"9ce1fe504a3ef9d3b345c7f4250398555306b67e6cac7785696eaf51b464ce2c",
		"919293940000d7031eb130556264413113a3f5bc9d543d",
		"919293940000a96cd0c3cf1e7aa026a55ad864f72a8b3a",
		"8a0b0c0d0000f5ab2778c3f1a868d3f987e7715978307cd70f5333f51a07736ef81fa7",
	},
	{
		"IKpsk1",
		"add1fa65d84535667bd131b50b48b8844b8bcf4329f2925e47181add6ecf5be9",
		"e4a843fe88326a7a133608ffa7bcfc7a690db05d44e82ff14a840236372dbd2e",
		"d208f149820d23142408923851295d23bc8f537e26a78fa64e25232b10448c3d",
		"82e640f2d4ddb5d8bec6a16777f1a410a740ec7e59d8c381aac12b3d4f56c2fc",
		"919293940000e2dcfded393038aa709a58aaf2f5faf0b1",
		"91929394000019372f2fa5cd9c8c3cd89767238bf3b68e",
		"8a0b0c0d00004d4dd3f6d5a9fe3eab40774ec8c16482468fadaf1d59d83bf04c604034",
	},
}

func TestVectorPacketKeysOfTwoEpochs(t *testing.T) {
	for _, v := range packetVectors {
		chain := keyChain(keyOf(t, v.c2s))
		next := chain.next()
		if got := chain.key(); got != keyOf(t, v.epoch0) {
			t.Errorf("%s: key of epoch 0 is %x, want %s", v.pattern, got, v.epoch0)
		}
		if got := next.key(); got != keyOf(t, v.epoch1) {
			t.Errorf("%s: key of epoch 1 is %x, want %s", v.pattern, got, v.epoch1)
		}
	}
}

func TestVectorSealedPackets(t *testing.T) {
	ping := []byte{0x01}
	hello := fromHex(t, "020000000a49000068656c6c6f")
	for _, v := range packetVectors {
		c2s, s2c := newSealer(keyOf(t, v.c2s)), newSealer(keyOf(t, v.s2c))
		for _, p := range []struct {
			name   string
			s      *sealer
			cid    uint32
			number uint64
			frames []byte
			want   string
		}{
			{"c2s 0", &c2s, 0x91929394, 0, ping, v.c2sPacket0},
			{"c2s 65536", &c2s, 0x91929394, 65536, ping, v.c2sPacket65536},
			{"s2c 0", &s2c, 0x8a0b0c0d, 0, hello, v.s2cPacket0},
		} {
			if got := sealFrames(p.s, p.cid, p.number, p.frames); !bytes.Equal(got, fromHex(t, p.want)) {
				t.Errorf("%s %s: sealed %x, want %s", v.pattern, p.name, got, p.want)
			}
		}

		o := newOpener(keyOf(t, v.c2s))
		for i, packet := range []string{v.c2sPacket0, v.c2sPacket65536} {
			number := uint64(i) * packetsPerEpoch
			if got, ok := o.open(nil, fromHex(t, packet), number); !ok || !bytes.Equal(got, ping) {
				t.Errorf("%s: packet %d opens to %x %v", v.pattern, number, got, ok)
			}
		}
	}
}

func TestAnOpenerFollowsTheSealerOverEpochs(t *testing.T) {
	s, o := newSealer([32]byte{1}), newOpener([32]byte{1})
	for number := uint64(0); number < 5*packetsPerEpoch; number += 4099 {
		p := sealFrames(&s, 0x80000001, number, []byte("frames"))

		if got, ok := o.open(nil, p, number); !ok || string(got) != "frames" {
			t.Fatalf("packet %d opens to %q %v", number, got, ok)
		}
	}
	if o.failed != 0 {
		t.Errorf("%d packets failed", o.failed)
	}
}

func TestTheKeyBeforeServes2048NumbersIntoTheEpoch(t *testing.T) {
	late, s, o := newSealer([32]byte{1}), newSealer([32]byte{1}), newOpener([32]byte{1})
	last := sealFrames(&late, 0x80000001, 65535, []byte{1})
	open := func(number uint64) bool {
		_, ok := o.open(nil, sealFrames(&s, 0x80000001, number, []byte{1}), number)
		return ok
	}

	if !open(65536) || !open(65536+2047) {
		t.Fatal("the next epoch does not open")
	}
	if _, ok := o.open(nil, last, 65535); !ok {
		t.Error("a late packet of the epoch before does not open")
	}
	if !open(65536 + 2048) {
		t.Fatal("packet 2,048 of the epoch does not open")
	}
	if _, ok := o.open(nil, last, 65535); ok {
		t.Error("the key before is kept past 2,048 numbers")
	}
}

func TestForgeriesOfTheNextEpochAreWorkOnceAndStepNothing(t *testing.T) {
	s, o := newSealer([32]byte{1}), newOpener([32]byte{1})
	forged := make([]byte, 40)
	o.open(nil, forged, 65536)
	candidate := o.candidate

	for range 100 {
		o.open(nil, forged, 65537)
		o.open(nil, forged, 3*65536) // no key is made for it: not even tried
	}

	if o.candidate != candidate || o.epoch != 0 || o.failed != 101 {
		t.Errorf("candidate kept %v, epoch %d, %d failures; want true, 0, 101", o.candidate == candidate, o.epoch, o.failed)
	}
	if _, ok := o.open(nil, sealFrames(&s, 0x80000001, 65535, []byte{1}), 65535); !ok {
		t.Error("a genuine packet no longer opens")
	}
	if _, ok := o.open(nil, sealFrames(&s, 0x80000001, 65540, []byte{1}), 65540); !ok || o.epoch != 1 {
		t.Error("a genuine packet of the next epoch does not step")
	}
}

func TestNoKeySealsTwoPacketsOfOneNumberNorOver65536(t *testing.T) {
	s := newSealer([32]byte{1})
	var keys []*countingKey
	for number := uint64(0); number < 3*packetsPerEpoch; number++ {
		if c, ok := s.key.AEAD.(*countingKey); !ok || number%packetsPerEpoch == 0 {
			if ok && c.sealed != packetsPerEpoch {
				t.Fatalf("a key sealed %d packets", c.sealed)
			}
			s.seal(make([]byte, 7, 40), number) // the step, if one is due
			keys = append(keys, &countingKey{AEAD: s.key.AEAD, sealed: 1})
			s.key.AEAD = keys[len(keys)-1]
			continue
		}
		s.seal(make([]byte, 7, 40), number)
	}
	if len(keys) != 3 {
		t.Errorf("%d keys for three epochs", len(keys))
	}
}

// countingKey counts what it seals.
type countingKey struct {
	cipher.AEAD
	sealed int
}

func (k *countingKey) Seal(dst, nonce, plain, data []byte) []byte {
	k.sealed++
	return k.AEAD.Seal(dst, nonce, plain, data)
}

func TestEachBitOfASealedPacketMatters(t *testing.T) {
	s, o := newSealer([32]byte{1}), newOpener([32]byte{1})
	p := sealFrames(&s, 0x80000001, 7, []byte("frames"))
	for bit := range len(p) * 8 {
		p[bit/8] ^= 1 << (bit % 8)
		if _, ok := o.open(nil, p, 7); ok {
			t.Errorf("bit %d flipped, and it opens", bit)
		}
		p[bit/8] ^= 1 << (bit % 8)
	}
	if o.failed != uint64(len(p)*8) {
		t.Errorf("%d failures counted, want %d", o.failed, len(p)*8)
	}
}

func TestSealingAndOpeningAllocateNothing(t *testing.T) {
	s, o := newSealer([32]byte{1}), newOpener([32]byte{1})
	buf, plain := make([]byte, 1200), make([]byte, 1200)
	number := uint64(0)
	got := testing.AllocsPerRun(1000, func() {
		putSealedHeader(buf, 0x80000001, number)
		p := s.seal(buf[:1200-sealedTag], number)
		if _, ok := o.open(plain[:0], p, number); !ok {
			t.Error("does not open")
		}
		number++
	})
	if got != 0 {
		t.Errorf("%v allocations a packet", got)
	}
}

func BenchmarkSeal1200(b *testing.B) {
	s := newSealer([32]byte{1})
	buf := make([]byte, 1200)
	b.SetBytes(1200)
	number := uint64(0)
	for b.Loop() {
		putSealedHeader(buf, 0x80000001, number)
		s.seal(buf[:1200-sealedTag], number)
		number++
	}
}
