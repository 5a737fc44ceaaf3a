package commission

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers/profiles"
)

func bench(t testing.TB) *profiles.Profile {
	t.Helper()
	src, ok := profiles.Lookup("bench/modbus-lift")
	p, faults := profiles.Parse("bench/modbus-lift", src)
	if !ok || len(faults) > 0 {
		t.Fatal(faults)
	}
	return p
}

func searchOf(t testing.TB) Search {
	u := link(t, "modbus+rtu:///dev/ttyX?baud=9600&parity=none")
	own, err := ModeOf(u)
	must(t, err)
	return Search{Link: u, Units: []byte{1, 2, 3, 4}, Settings: Settings(own, false), Listen: time.Second, Wait: 300 * time.Millisecond}
}

func codes(fs []Finding) string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Code)
	}
	return strings.Join(out, " ")
}

// CT-1: silence at the settings that differ, spoilt bytes at the wrong parity, an
// answer at the right one: found, and stopped at once.
func TestScanFindsSettingAndUnit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard()
		s := searchOf(t)
		last := Progress{}
		s.Progress = func(p Progress) { last = p }
		most := s.Estimate()
		f, err := b.world().Scan(t.Context(), s)
		if err != nil || f.Link != "modbus+rtu:///dev/ttyX?baud=19200&parity=even&stop=1&unit=3" || f.Setting != "19200 8E1" || f.Answer != "exception 1" {
			t.Fatalf("%+v, %v", f, err)
		}
		if f.Tries != 15 || last.Try != 15 || last.Of != 48 || f.Took > most || last.Left <= 0 {
			t.Errorf("%d tries in %s of at most %s, told %+v", f.Tries, f.Took, most, last)
		}
		if len(f.Heard) != 4 || f.Heard[3].Verdict != "silence" || f.Heard[3].Setting != "19200 8E1" {
			t.Errorf("heard %+v", f.Heard)
		}
	})
}

// A question of the profile is answered with values.
func TestScanByAProfile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := searchOf(t)
		s.Profile = bench(t)
		if f, err := newBoard().world().Scan(t.Context(), s); err != nil || f.Unit != 3 || f.Answer != "answer" {
			t.Errorf("%+v, %v", f, err)
		}
	})
}

// The wrong parity and the wrong unit are told apart when nothing is found.
func TestScanExplainsWhatItDidNotFind(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*board, *Search)
		want string
	}{
		"wrong parity": {func(b *board, s *Search) { b.mode.Parity = "odd" }, "E-6017"},
		"wrong unit":   {func(b *board, s *Search) { b.unit = 9 }, "E-6022"},
		"echo":         {func(b *board, s *Search) { b.unit, b.echo = 9, true }, "E-6013"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b, s := newBoard(), searchOf(t)
			c.edit(b, &s)
			f, err := b.world().Scan(t.Context(), s)
			if err != nil || f.Link != "" || !f.Done || codes(f.Notes) != c.want {
				t.Errorf("%s: %+v, %v", name, f, err)
			}
		})
	}
}

// CT-1: on a line where another master speaks nothing is sent; the setting is found
// by listening. The frames are a master's question for unit 7 and its answer.
func TestScanDoesNotSpeakOnALiveLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard()
		b.chat = append(summed([]byte{7, 3, 0, 16, 0, 1}), summed([]byte{7, 3, 2, 1, 32})...)
		s := searchOf(t)
		s.Units = s.Units[:0:0]
		for u := byte(1); u < 9; u++ {
			s.Units = append(s.Units, u)
		}
		s.Settings = s.Settings[3:] // from 19200 8E1 on
		f, err := b.world().Scan(t.Context(), s)
		if err != nil || f.Setting != "19200 8E1" || f.Link != "" || codes(f.Notes) != "E-6014" || len(b.asked) != 0 {
			t.Errorf("%+v, %v; asked %v", f, err, b.asked)
		}
		if h := f.Heard[0]; h.Frames != 2 || !slices.Equal(h.Units, []byte{7}) {
			t.Errorf("%+v", h)
		}
	})
}

// A search that was broken off goes on where it was.
func TestScanGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newBoard(), searchOf(t)
		ctx, cancel := context.WithCancel(t.Context())
		at := 0
		s.Progress = func(p Progress) {
			if at = p.Try; at == 6 {
				cancel()
			}
		}
		f, err := b.world().Scan(ctx, s)
		if err != nil || f.Done || at != 6 {
			t.Fatalf("%+v, %v", f, err)
		}
		b.opened = map[string]int{}
		s.From = at
		f, err = b.world().Scan(t.Context(), s)
		if err != nil || f.Unit != 3 || b.opened["9600 8N1"] != 0 || b.opened["9600 8E1"] != 1 {
			t.Errorf("%+v, %v, opened %v", f, err, b.opened)
		}
	})
}

// CT-1: what a found unit tells of itself.
func TestLearn(t *testing.T) {
	at := link(t, "modbus+rtu:///dev/ttyX?baud=19200&parity=even&stop=1&unit=3")
	synctest.Test(t, func(t *testing.T) {
		b := newBoard()
		e := &Expect{At: profiles.Block{Table: profiles.InputRegisters, Addr: 8, Count: 1}, Value: 4000}
		l, err := b.world().Learn(t.Context(), at, bench(t), profiles.Library{}, e, 300*time.Millisecond)
		if err != nil || len(l.Notes) != 0 || l.Cap != 0 || !strings.Contains(l.CapNote, "14 registers can be read, then exception 2") {
			t.Errorf("%+v, %v", l, err)
		}
		if got := fmt.Sprint(l.Near); got != "[{input:7 4000 true} {input:8 75 false} {input:9 0 false}]" || !strings.Contains(l.Base, "counts from 1") {
			t.Errorf("%s, %s", got, l.Base)
		}
		if len(l.Fits) != 1 || l.Fits[0].Profile != "bench/modbus-lift" || l.Fits[0].Known < 12 {
			t.Errorf("fits %+v", l.Fits)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := newBoard()
		b.most, b.twin = 6, true
		l, err := b.world().Learn(t.Context(), at, bench(t), profiles.Library{}, nil, 300*time.Millisecond)
		if err != nil || l.Cap != 6 || codes(l.Notes) != "E-6019" {
			t.Errorf("%+v, %v", l, err)
		}
	})
}

func lookup(t testing.TB) ([]byte, bool) {
	t.Helper()
	src, ok := profiles.Lookup("bench/modbus-lift")
	if !ok {
		t.Fatal("no bench profile")
	}
	return src, ok
}
