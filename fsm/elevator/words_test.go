package elevator

import "testing"

// Every value of every enumeration has a word of its own, zero is unknown, and a
// value out of range is never a word that could be read back.
func TestWords(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		word  func(uint8) string
		parse func(string) (uint8, bool)
	}{
		"door":      {5, func(i uint8) string { return Door(i).String() }, reader(ParseDoor)},
		"motion":    {4, func(i uint8) string { return Motion(i).String() }, reader(ParseMotion)},
		"direction": {3, func(i uint8) string { return Direction(i).String() }, reader(ParseDirection)},
		"mode":      {16, func(i uint8) string { return Mode(i).String() }, reader(ParseMode)},
		"side":      {Sides, func(i uint8) string { return Side(i).String() }, reader(ParseSide)},
		"tri":       {3, func(i uint8) string { return Tri(i).String() }, reader(ParseTri)},
		"verb":      {10, func(i uint8) string { return Verb(i).String() }, reader(ParseVerb)},
		"source":    {4, func(i uint8) string { return Source(i).String() }, nil},
		"quality":   {4, func(i uint8) string { return Quality(i).String() }, nil},
		"link":      {3, func(i uint8) string { return LinkState(i).String() }, nil},
		"notice":    {5, func(i uint8) string { return Notice(i).String() }, nil},
		"result":    {4, func(i uint8) string { return Result(i).String() }, nil},
	} {
		t.Run(name, func(t *testing.T) { words(t, c.n, c.word, c.parse) })
	}
}

func words(t *testing.T, n int, word func(uint8) string, parse func(string) (uint8, bool)) {
	seen := map[string]bool{}
	for i := range uint8(n) {
		w := word(i)
		if seen[w] || w == "" {
			t.Errorf("%d is called %q", i, w)
		}
		seen[w] = true
		if parse != nil {
			if back, ok := parse(w); !ok || back != i {
				t.Errorf("%q reads back as %d, %v", w, back, ok)
			}
		}
	}
	if word(0) != "unknown" {
		t.Errorf("zero is called %q", word(0))
	}
	if w := word(uint8(n)); w != "invalid("+string(rune('0'+n%10))+")" && n < 10 {
		t.Errorf("%d, out of range, is called %q", n, w)
	}
	if parse == nil {
		return
	}
	for _, w := range []string{"", "Unknown", "invalid(9)", "opem"} {
		if v, ok := parse(w); ok || v != 0 {
			t.Errorf("%q reads as %d", w, v)
		}
	}
}

func reader[T ~uint8](parse func(string) (T, bool)) func(string) (uint8, bool) {
	return func(s string) (uint8, bool) {
		v, ok := parse(s)
		return uint8(v), ok
	}
}

// The lists for schemas are copies: nobody can change the words.
func TestNamesAreCopies(t *testing.T) {
	DoorNames()[1], MotionNames()[1], ModeNames()[1], SideNames()[1] = "x", "x", "x", "x"
	if DoorClosed.String() != "closed" || Stopped.String() != "stopped" || Normal.String() != "normal" || Front.String() != "front" {
		t.Error("a caller changed the words")
	}
}
