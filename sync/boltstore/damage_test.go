package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"hoistway/sync/shadow"
)

// sample is a store with branch pages, several buckets, overflow pages and free
// pages, what it holds, and what it held one commit before.
func sample(t *testing.T) (image []byte, want, older []shadow.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	s, _ := open1(t, path, Options{})
	var batch []shadow.Record
	for i := range 300 {
		batch = append(batch, rec("b", fmt.Sprintf("r:x:%03d:v", i), strings.Repeat(fmt.Sprint(i), 40)))
	}
	commit(t, s, batch...)
	commit(t, s, rec("big", "r:x:1:v", strings.Repeat("long", 4000)), rec("small", "r:x:1:v", "inline"))
	for i := range 100 {
		older = everything(t, s)
		commit(t, s, shadow.Record{Bucket: "b", Key: fmt.Sprintf("r:x:%03d:v", i*2)})
	}
	want = everything(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return image, want, older
}

func everything(t *testing.T, s *Store) []shadow.Record {
	t.Helper()
	var out []shadow.Record
	for _, bucket := range []string{"b", "big", "small"} {
		out = append(out, load(t, s, bucket)...)
	}
	return out
}

func write(t *testing.T, path string, image []byte) {
	t.Helper()
	if err := os.WriteFile(path, image, 0o600); err != nil {
		t.Fatal(err)
	}
}

// ST-3: each kind of damage is set aside and said, and the fresh store works.
func TestDamageIsSetAside(t *testing.T) {
	image, _, _ := sample(t)
	page := os.Getpagesize()
	clear2 := bytes.Clone(image)
	clear(clear2[:2*page])
	tail := bytes.Clone(image)
	clear(tail[2*page:])
	flip := bytes.Clone(image)
	flip[bytes.LastIndex(flip, []byte("longlong"))] ^= 0x10
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db, err := bbolt.Open(foreign, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	markerless, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		image []byte
		why   string
	}{
		"empty":           {nil, "empty"},
		"one byte":        {[]byte{0}, "not a database"},
		"not a database":  {[]byte(strings.Repeat("plain text, and a lot of it\n", 2000)), "not a database"},
		"both metas gone": {clear2, "both meta pages"},
		"pages zeroed":    {tail, "wrong header"},
		"all zero":        {make([]byte, len(image)), "not a database"},
		"cut in half":     {image[:len(image)/2], "cut off"},
		"one page short":  {image[:3*page], "cut off"},
		"flipped value":   {flip, "wrong checksum"},
		"no marker":       {markerless, "no marker"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "state.db")
			write(t, path, c.image)
			s, opened := open1(t, path, Options{})
			if !opened.Fresh || !strings.Contains(opened.Why, c.why) || !strings.HasPrefix(opened.SetAside, path+".bad-") {
				t.Fatalf("%+v, want why %q", opened, c.why)
			}
			if aside, err := os.ReadFile(opened.SetAside); err != nil || !bytes.Equal(aside, c.image) {
				t.Fatalf("the damaged file was not kept as it was: %v", err)
			}
			if rows := everything(t, s); len(rows) != 0 {
				t.Fatalf("a fresh store with %d rows", len(rows))
			}
			commit(t, s, rec("b", "r:x:1:v", "works"))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if _, opened := open1(t, path, Options{}); opened != (Opened{}) {
				t.Fatalf("reopen of the fresh one: %+v", opened)
			}
		})
	}
}

// Only the newest damaged file is kept, and no neighbour is touched.
func TestOneBadFileIsKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "st[a]te.db")
	write(t, path+".bad-20200101T000000Z", []byte("old"))
	write(t, path+".badge", []byte("a neighbour"))
	write(t, path, nil)
	_, opened := open1(t, path, Options{})
	bad, err := filepath.Glob(globQuote(path) + ".bad*")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{opened.SetAside, path + ".badge"}; !reflect.DeepEqual(bad, want) {
		t.Fatalf("left beside the store: %q, want %q", bad, want)
	}
}

// A crash in the middle of making a store leaves no half store behind.
func TestHalfMadeStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	write(t, path+".new", nil)
	if _, opened := open1(t, path, Options{}); opened != (Opened{Fresh: true}) {
		t.Fatalf("%+v", opened)
	}
	if _, err := os.Stat(path + ".new"); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the temporary file is still there: %v", err)
	}
}

// ST-3: whatever bit flips, run of garbage or cut comes, the process lives, and
// the store either holds exactly what was committed or says what it lost.
func TestRandomDamage(t *testing.T) {
	image, want, older := sample(t)
	rng := rand.New(rand.NewPCG(7, 7))
	count := map[string]int{}
	path := filepath.Join(t.TempDir(), "state.db")
	for round := range 250 {
		hurt, how := damage(rng, image)
		write(t, path, hurt)
		s, opened, err := Open(path, Options{})
		if err != nil {
			t.Fatalf("round %d, %s: %v", round, how, err)
		}
		got := everything(t, s)
		same := reflect.DeepEqual(got, want)
		switch {
		case opened.Fresh && opened.SetAside != "" && len(got) == 0:
			count["set aside"]++
		case !opened.Fresh && same:
			count["harmless"]++
		case !opened.Fresh && opened.Why != "" && reflect.DeepEqual(got, older):
			count["one commit back"]++
		default:
			t.Fatalf("round %d, %s: %d rows of %d, same=%v, %+v", round, how, len(got), len(want), same, opened)
		}
		if err := s.Commit([]shadow.Record{rec("b", "r:x:1:v", "after")}); err != nil {
			t.Fatalf("round %d, %s: commit: %v", round, how, err)
		}
		if err := s.Close(); err != nil {
			t.Fatalf("round %d, %s: close: %v", round, how, err)
		}
	}
	t.Log(count)
	if count["set aside"] == 0 || count["harmless"] == 0 {
		t.Errorf("the damage was all of one kind: %v", count)
	}
}

func damage(rng *rand.Rand, image []byte) ([]byte, string) {
	hurt := bytes.Clone(image)
	at := rng.IntN(len(hurt))
	switch kind := rng.IntN(4); kind {
	case 0, 1: // one bit; half of the time in the head of a page, where it hurts
		if kind == 1 {
			at -= at % os.Getpagesize()
			at += rng.IntN(128)
		}
		hurt[at] ^= 1 << rng.IntN(8)
		return hurt, fmt.Sprintf("bit at %d", at)
	case 2:
		end := min(at+1+rng.IntN(600), len(hurt))
		for i := at; i < end; i++ {
			hurt[i] = byte(rng.Uint32())
		}
		return hurt, fmt.Sprintf("garbage from %d to %d", at, end)
	}
	return hurt[:at], fmt.Sprintf("cut at %d", at)
}

// A page that goes bad under an open store is an error of that call, not the end
// of the process: the file is cut while it is mapped.
func TestDamageUnderAnOpenStore(t *testing.T) {
	image, _, _ := sample(t)
	path := filepath.Join(t.TempDir(), "state.db")
	write(t, path, image)
	s, _ := open1(t, path, Options{})
	if err := os.Truncate(path, int64(2*os.Getpagesize())); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("b"); !errors.Is(err, ErrDamaged) {
		t.Fatalf("load: %v", err)
	}
	if err := s.Commit([]shadow.Record{rec("b", "r:x:1:v", "x")}); !errors.Is(err, ErrDamaged) {
		t.Fatalf("commit: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, opened := open1(t, path, Options{}); !opened.Fresh || opened.SetAside == "" {
		t.Fatalf("%+v", opened)
	}
}

// verify alone must stand any bytes.
func FuzzVerify(f *testing.F) {
	f.Add([]byte(nil), uint32(0), byte(0))
	path := filepath.Join(f.TempDir(), "state.db")
	s, _, err := Open(path, Options{})
	if err != nil {
		f.Fatal(err)
	}
	if err := s.Commit([]shadow.Record{rec("b", "r:x:1:v", "one"), rec("c", "r:x:1:v", strings.Repeat("two", 3000))}); err != nil {
		f.Fatal(err)
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	image, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{0xff, 0xff}, uint32(4*os.Getpagesize()+8), byte(1))
	f.Fuzz(func(t *testing.T, patch []byte, at uint32, times byte) {
		hurt := bytes.Clone(image)
		for i := range int(times%8) + 1 {
			start := (int(at) + i*os.Getpagesize()) % len(hurt)
			copy(hurt[start:], patch)
		}
		if _, err := verify(bytes.NewReader(hurt), int64(len(hurt))); err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
	})
}
