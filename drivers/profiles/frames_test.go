package profiles

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"
)

// framesOf gives the frames of each profile that has some: the catalog's and the invented ones.
func framesOf(t testing.TB) map[string]*Profile {
	t.Helper()
	out := map[string]*Profile{}
	add := func(name string, src []byte) {
		if p, _ := Parse(name, src); p != nil && p.Frames() != nil {
			out[name] = p
		}
	}
	for _, id := range IDs() {
		src, _ := Lookup(id)
		add(id, src)
	}
	for _, f := range globbed(t) {
		add(f.name, f.src)
	}
	if len(out) < 8 {
		t.Fatalf("only %d profiles speak by frames", len(out))
	}
	return out
}

// What is wrong in a file of frames is said at its place.
// DR-2, DR-7
func TestFrameFaults(t *testing.T) {
	src, _ := Lookup("bench/frame-lift")
	for _, c := range []struct{ from, to, say string }{
		{"mod: 100", "mod: 256", "the checksum of these bytes is"},
		{`is: "35 33"`, `is: "35 34"`, "the checksum of these bytes is 3533"},
		{`"03": "04 07"`, `"03": "04 06"`, "stand for another byte already"},
		{`"03": "04 07"`, `"03": "04 03"`, "an escape holds the start or the end"},
		{`"04": "04 04", `, ``, "begins an escape and is not escaped itself"},
		{"most: 36", "most: 4", "leaves no room"},
		{"most: 36", "most: 36\n  length: {at: 1, from: 2}", "a length or escapes, not both"},
		{"match: [floor, second]", "match: [flor]", "do not both have flor"},
		{"from: inquire.floor}", "from: inquire.flor}", "inquire says no flor"},
		{"from: inquire.floor}", "from: enquire.floor}", "no message enquire"},
		{"with: {floor: $wire}", "with: {flor: $wire}", "check_in has no flor"},
		{", with: {floor: $wire}", "", " needs with.floor"},
		{"message: release}", "message: arrived}", "arrived only comes, it cannot be sent"},
		{"reply: [{as: u8, is: 40}]", "ask: [{as: u8, is: 40}]", "what comes unasked is not asked"},
		{"tells: inquire\n\nref", "tells: enquire\n\nref", "no message enquire"},
		{"door: 4-5", "door: 4-9", "is not within the number's 8 bits"},
		{"robot: {default: 1}", "robot: {default: 300}", "its default is not within"},
		{"{as: u8, is: 50}", "{as: u8, is: x}", "is not a whole number"},
		{"{as: u8, is: 50}", "{as: u8, width: 2}", "u8 has a width of its own"},
		{"{as: u8, is: 50}", "{as: bcd}", "bcd needs a width"},
		{"answer: [{as: u8, is: 35}]", "unanswered: true\n    answer: [{as: u8, is: 35}]", "never answered has an answer"},
		{"    answer: [{as: u8, is: 35}]\n", "", "what comes is not said"},
	} {
		t.Run(c.to, func(t *testing.T) {
			text := strings.Replace(string(src), c.from, c.to, 1)
			if text == string(src) {
				t.Fatalf("%q is not in the profile", c.from)
			}
			_, faults := Parse("f", []byte(text))
			for _, f := range faults {
				if strings.Contains(f.Error(), c.say) && strings.HasPrefix(f.Error(), "f:") {
					return
				}
			}
			t.Errorf("want a fault with %q, have %v", c.say, faults)
		})
	}
}

// A wrong fact in a profile turns a case red: the bytes of the cases do not come from
// the profile.
// DR-2, DR-7
func TestWrongFrameFactsAreSeen(t *testing.T) {
	for _, c := range []struct{ id, from, to string }{
		{"bench/frame-lift", "{name: controller, as: u8}, {name: elevator, as: u8}, {name: robot, as: u8}]   #", "{name: controller, as: u8}, {name: elevator, as: u8}]   #"},
		{"bench/frame-lift", "run: 0-1", "run: 1-2"},
		{"bench/frame-lift", "enum: {0: closed, 1: open}", "enum: {0: closed, 1: open, 2: open}"},
		{"bench/frame-lift", "is: 34}", "is: 36}"},
		{"bench/frame-lift", "dies_after: 15s", "dies_after: 20s"},
		{"robotboard/auto-elevator", "unframed: true", "unframed: false"},
		{"robotboard/auto-elevator", "match: [floor, second]", "match: [second]"},
		{"mitsubishi/fx-lift-mc1e", "{name: floor, as: i16le}\n      - {name: motion", "{name: floor, as: i16be}\n      - {name: motion"},
		{"mitsubishi/fx-lift-mc1e", "4D 01 00 10}", "4D 01 00 01}"},
		{"mitsubishi/fx-lift-mc1e", "is: \"83\"}, {name: completion, as: u8, not: 0", "is: \"83\"}, {name: completion, as: u8, is: 0"},
		{"mitsubishi/elsgw", "as: u16be, from: 12", "as: u16le, from: 12"},
		{"mitsubishi/elsgw", "is: 255", "is: 254"},
		{"mitsubishi/e-lip", "from: 4}", "from: 3}"},
		{"mitsubishi/e-lip", "sequence: {first: 1, last: 255}", "sequence: {first: 0, last: 255}"},
		{"buttonboard/stm32", "restart: true", "restart: false"},
		{"buttonboard/stm32", "last: 25}", "last: 24}"},
	} {
		t.Run(c.id+" "+c.to, func(t *testing.T) {
			src, _ := Lookup(c.id)
			text := strings.ReplaceAll(string(src), c.from, c.to)
			if text == string(src) {
				t.Fatalf("%q is not in the profile", c.from)
			}
			p, _ := Parse("changed", []byte(text))
			if p == nil {
				return // not even taken
			}
			for _, k := range cases(t, strings.ReplaceAll(c.id, "/", "-")) {
				if len(play(p, k)) > 0 {
					return
				}
			}
			t.Error("no case notices")
		})
	}
}

// The map of two bits a landing, on the three examples that are known of it.
// DR-2, DR-7
func TestBitmapOfLandings(t *testing.T) {
	src, _ := Lookup("mitsubishi/e-lip")
	f := parsed(t, "e-lip", src).Frames()
	for _, c := range []struct {
		landings []int64
		at       int // the byte of the map
		want     []byte
	}{
		{[]int64{4, 8, 11}, 0, []byte{0x40, 0x40, 0x10, 0}},
		{[]int64{3, 4}, 0, []byte{0x50, 0}},
		{[]int64{25, 26, 27}, 6, []byte{0x15, 0}},
	} {
		list := Raw{Kind: RawList}
		for _, n := range c.landings {
			list.List = append(list.List, RawOfInt(n))
		}
		b, err := f.Encode("unlock", map[string]Raw{"landings": list}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := b[9+c.at:][:len(c.want)]; !bytes.Equal(got, c.want) || b[0] != 0x4C || len(b) != 80 {
			t.Errorf("%v: % X in % X", c.landings, got, b)
		}
	}
	for _, n := range []int64{0, 257, -1} {
		if b, err := f.Encode("unlock", map[string]Raw{"landings": RawOfInt(n)}, 0); err == nil {
			t.Errorf("landing %d: % X", n, b)
		}
	}
}

// Whatever comes, a deframer goes on: each verdict takes something off the front, more
// is asked for only below the longest frame.
// DR-11
func FuzzFrameCut(f *testing.F) {
	all := framesOf(f)
	names := slices.Sorted(maps.Keys(all))
	for i := range names {
		f.Add([]byte{0x02, 0x01, 0x01, 0x01, 0x32, 0x35, 0x33, 0x03}, uint8(i))
		f.Add([]byte{0x17, 0x30, 0, 8, 0x11, 1, 1, 1, 0, 0, 0, 0, 0x81, 6, 0, 0, 0xFF, 0xFF, 1, 0}, uint8(i))
		f.Add([]byte("[L,[H,A]"), uint8(i))
		f.Add([]byte{0x02, '1', '8', 0x03}, uint8(i))
		f.Add([]byte{8, 0x41, 0, 0, 0x90, 1, '0', '0', '7', '0', 0, 0}, uint8(i))
		f.Add([]byte("\x0200000000000000\x03"), uint8(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, which uint8) {
		name := names[int(which)%len(names)]
		fr := all[name].Frames()
		for b := in; len(b) > 0; {
			c := fr.Cut(b)
			if c.Verdict == CutMore {
				if len(b) >= fr.Most() {
					t.Fatalf("%s wants more than its longest frame after %d bytes: % X", name, len(b), b)
				}
				return
			}
			if c.N < 1 || c.N > len(b) || c.Verdict == CutTake && c.N > fr.Most() {
				t.Fatalf("%s: %+v of %d", name, c, len(b))
			}
			if c.Verdict == CutTake {
				fr.Unasked(b[:c.N])
			}
			b = b[c.N:]
		}
	})
}

// No bytes make the reader panic; what is heard is read, and has the number of its
// question where there is one.
// DR-11
func FuzzFrameDecode(f *testing.F) {
	all := framesOf(f)
	names := slices.Sorted(maps.Keys(all))
	for i := range names {
		f.Add([]byte{0x02, 0x01, 0x01, 0x01, 0x21, 0x04, 0x07, 0xF7, 0x82, 0x32, 0x34, 0x03}, uint8(3), uint8(i))
		f.Add([]byte{0x81, 0, 2, 0, 3, 0, 1, 0, 2, 0, 1, 0, 2, 0}, uint8(1), uint8(i))
		f.Add([]byte("00717"), uint8(6), uint8(i))
		f.Add([]byte{0x02, 0x46, 0x30, 0x35, 0x03, 0x40}, uint8(0), uint8(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, seq, which uint8) {
		p := all[names[int(which)%len(names)]]
		fr := p.Frames()
		for _, m := range fr.Messages() {
			_, _ = fr.Decode(m, in)
			if fr.Polled(m) && fr.Each(m) == nil {
				hearing(t, fr, m, in, int(seq))
			}
		}
	})
}

func hearing(t *testing.T, fr *Frames, m string, in []byte, seq int) {
	q, err := fr.Ask(m, nil, seq)
	if err != nil {
		t.Fatal(err)
	}
	h := q.Hear(in)
	if h.Verdict != CutTake {
		return
	}
	a, err := q.Read(in[:h.N])
	if err != nil {
		t.Fatalf("Hear took what Read refuses: %v", err)
	}
	if s := a.Get(sequence); s.Kind == RawInt && fr.Numbered() && s.Int != int64(fr.number(seq)) {
		t.Fatalf("number %d answers %d", s.Int, seq)
	}
}

// Every question of a catalog profile is one frame by its own rule.
// DR-2, DR-7
func TestQuestionsAreFrames(t *testing.T) {
	for name, p := range framesOf(t) {
		fr := p.Frames()
		for _, m := range fr.Messages() {
			if !fr.Polled(m) || fr.Each(m) != nil || fr.shape.free() {
				continue
			}
			for seq := range 700 {
				b, err := fr.Encode(m, nil, seq)
				if err != nil {
					t.Fatal(err)
				}
				if c := fr.Cut(b); c.Verdict != CutTake || c.N != len(b) {
					t.Fatalf("%s %s: % X is %+v", name, m, b, c)
				}
			}
		}
	}
}

// The check values of "123456789" that the catalogues of checksums give.
// DR-2
func TestChecksums(t *testing.T) {
	for name, c := range map[string]struct {
		sum  checksum
		want string
	}{
		"MODBUS":          {checksum{algo: "crc16", form: "bin", poly: 0x8005, first: 0xFFFF, reflect: true, lowFirst: true}, "\x37\x4B"},
		"ARC":             {checksum{algo: "crc16", form: "bin", poly: 0x8005, reflect: true}, "\xBB\x3D"},
		"XMODEM":          {checksum{algo: "crc16", form: "bin", poly: 0x1021}, "\x31\xC3"},
		"CCITT from FFFF": {checksum{algo: "crc16", form: "hexascii", poly: 0x1021, first: 0xFFFF}, "29B1"},
		"X-25":            {checksum{algo: "crc16", form: "hexascii", poly: 0x1021, first: 0xFFFF, reflect: true, to: 0xFFFF}, "906E"},
		"sum8":            {checksum{algo: "sum8", form: "bin"}, "\xDD"},
		"lrc":             {checksum{algo: "lrc", form: "hexascii"}, "23"},
		"xor":             {checksum{algo: "xor", form: "hexascii"}, "31"},
		"sum mod 100":     {checksum{algo: "sum", form: "decimal", mod: 100}, "77"},
		"sum mod 1000":    {checksum{algo: "sum", form: "decimal", mod: 1000}, "477"},
	} {
		got := c.sum.of([]byte("123456789"))
		if string(got) != c.want || c.sum.width() != len(c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if !c.sum.good([]byte("123456789"), []byte(strings.ToLower(c.want))) && c.sum.form == "hexascii" {
			t.Errorf("%s: small letters are refused", name)
		}
	}
}

// What one question costs beside its wire.
func BenchmarkFrame(b *testing.B) {
	src, _ := Lookup("bench/frame-lift")
	p, _ := Parse("bench", src)
	answer := []byte{0x02, 0x01, 0x01, 0x01, 0x21, 0x01, 0xF7, 0x50, 0x36, 0x34, 0x03}
	for b.Loop() {
		q, err := p.Frames().Ask("inquire", nil, 1)
		if err != nil {
			b.Fatal(err)
		}
		if h := q.Hear(answer); h.Verdict != CutTake {
			b.Fatal(h)
		}
		if _, err := q.Read(answer); err != nil {
			b.Fatal(err)
		}
	}
}
