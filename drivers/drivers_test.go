package drivers

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

type bare struct{ Link }

func (bare) Watch(context.Context, func(elevator.Snapshot)) error { return nil }

type shell struct{ Link }

func (s shell) Unwrap() Link { return s.Link }

func TestAs(t *testing.T) {
	in := bare{}
	if got, ok := As[bare](shell{shell{in}}); !ok || got != in {
		t.Error("a power two wrappers deep is not found")
	}
	if _, ok := As[Watcher](shell{shell{nil}}); ok {
		t.Error("a power is found in nothing")
	}
	if _, ok := As[Watcher](nil); ok {
		t.Error("a power is found in no link")
	}
}

func TestRegistry(t *testing.T) {
	asked := ""
	f := func(scheme string) Factory {
		return Factory{Scheme: scheme, New: func(s Spec) (Opener, error) {
			asked = scheme + " for " + s.Lift
			return nil, nil
		}}
	}
	r, err := NewRegistry(f("b+tcp"), f("a"))
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Schemes(); !slices.Equal(got, []string{"a", "b+tcp"}) {
		t.Errorf("schemes %v", got)
	}
	u, _ := url.Parse("b+tcp://x")
	if _, err := r.New(Spec{Lift: "L1", URL: u}); err != nil || asked != "b+tcp for L1" {
		t.Errorf("asked %q, %v", asked, err)
	}
	u.Scheme = "c"
	if _, err := r.New(Spec{URL: u}); err == nil || !strings.Contains(err.Error(), "[a b+tcp]") {
		t.Errorf("an unknown scheme: %v", err)
	}
	if _, err := NewRegistry(f("a"), f("a")); err == nil {
		t.Error("two drivers of one scheme")
	}
	if _, err := r.New(Spec{}); err == nil {
		t.Error("no link at all")
	}
}

// A refusal is an error of its kind, and tells what came.
func TestRideRefusal(t *testing.T) {
	r := &RideRefusal{Kind: ErrConflict, Code: "E-2111", Title: "not now", Detail: "it is over", Field: "/to"}
	if !errors.Is(r, ErrConflict) || errors.Is(r, ErrGone) || r.Error() != "E-2111 not now: it is over (/to)" {
		t.Errorf("%v", r)
	}
	if r := (&RideRefusal{Kind: ErrGone, Code: "E-2006"}); r.Error() != "E-2006" {
		t.Errorf("%q", r.Error())
	}
}

// DR-1: the first fault of a link stands, and a parameter that nobody knows is one.
func TestQuery(t *testing.T) {
	for link, want := range map[string]string{
		"x://h?n=7&w=b":       "",
		"x://h?n=12":          "n 12: a number from 1 to 9",
		"x://h?n=0&w=c":       "n 0",
		"x://h?w=c":           "w c: a or b",
		"x://h?n=7&n=8":       "n is given 2 times",
		"x://h?more=1&n=7":    "more is not known; there are n, w, late",
		"x://h?late=1h":       "late 1h: a time from",
		"x://h?late=%zz&more": "after ?",
	} {
		u, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		q := NewQuery(u)
		n, w := q.Number("n", 5, 1, 9), q.Word("w", "a", "b")
		q.Duration("late", time.Second, time.Millisecond, time.Minute)
		q.NothingElse()
		if err := q.Err(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", link, err, want)
		}
		if want == "" && (n != 7 || w != "b") {
			t.Errorf("%s reads as %d, %s", link, n, w)
		}
	}
}
