package timeline

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// SM-4: events of one instant come out in the order in which they were planned.
func TestTiesKeepTheirOrder(t *testing.T) {
	var tl Timeline[string]
	tl.Plan(20, "c")
	tl.Plan(10, "a")
	tl.Plan(20, "d")
	tl.Plan(10, "b")
	var got []string
	for {
		_, e, ok := tl.Take()
		if !ok {
			break
		}
		got = append(got, e)
	}
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if tl.Now() != 20 {
		t.Errorf("clock at %d, want 20", tl.Now())
	}
}

func TestThePastMeansNow(t *testing.T) {
	var tl Timeline[int]
	tl.Plan(50, 1)
	tl.Take()
	tl.Plan(50, 2)
	tl.Plan(7, 3)
	for _, want := range []int{2, 3} {
		if at, e, ok := tl.Take(); at != 50 || e != want || !ok {
			t.Errorf("got %d at %d (%v), want %d at 50", e, at, ok, want)
		}
	}
}

func TestCancelledHandleStaysHarmless(t *testing.T) {
	var tl Timeline[int]
	h := tl.Plan(1, 1)
	if !tl.Cancel(h) || tl.Cancel(h) || tl.Cancel(Handle{}) {
		t.Fatal("an event is cancelled once, and the zero handle names none")
	}
	tl.Plan(1, 2) // takes its place
	if tl.Cancel(h) {
		t.Error("an old handle cancelled the event of another")
	}
	if tl.Len() != 1 {
		t.Errorf("%d events wait, want 1", tl.Len())
	}
}

// What is taken out of the middle leaves the others in their order.
func TestCancelInTheMiddle(t *testing.T) {
	var tl Timeline[int64]
	var eleven Handle
	for _, at := range []int64{1, 10, 2, 11, 12, 3, 4, 13, 14, 15, 16, 5, 6, 7, 8} {
		if h := tl.Plan(at, at); at == 11 {
			eleven = h
		}
	}
	tl.Cancel(eleven)
	for _, want := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15, 16} {
		if _, e, _ := tl.Take(); e != want {
			t.Errorf("got %d, want %d", e, want)
		}
	}
}

func TestSkipStopsAtTheNextEvent(t *testing.T) {
	var tl Timeline[int]
	tl.Plan(100, 1)
	for _, c := range []struct{ to, want int64 }{{40, 40}, {10, 40}, {500, 100}} {
		if got := tl.Skip(c.to); got != c.want {
			t.Errorf("Skip(%d) = %d, want %d", c.to, got, c.want)
		}
	}
	if _, _, ok := tl.TakeUntil(99); ok {
		t.Error("took an event before its limit")
	}
	if _, _, ok := tl.TakeUntil(100); !ok {
		t.Error("did not take an event at its limit")
	}
}

// The dumb twin: a slice kept in order by a stable sort.
type twin struct {
	at int64
	id int
	h  Handle
}

// SM-4
func TestAgainstSortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tl Timeline[int]
		var waiting []twin
		next := 0
		t.Repeat(map[string]func(*rapid.T){
			"plan": func(t *rapid.T) {
				at := rapid.Int64Range(0, 20).Draw(t, "at")
				h := tl.Plan(at, next)
				waiting = append(waiting, twin{max(at, tl.Now()), next, h})
				slices.SortStableFunc(waiting, func(a, b twin) int { return int(a.at - b.at) })
				next++
			},
			"cancel": func(t *rapid.T) {
				if len(waiting) == 0 {
					t.Skip("nothing waits")
				}
				i := rapid.IntRange(0, len(waiting)-1).Draw(t, "which")
				if !tl.Cancel(waiting[i].h) {
					t.Fatalf("event %d was not there", waiting[i].id)
				}
				waiting = slices.Delete(waiting, i, i+1)
			},
			"take": func(t *rapid.T) {
				at, id, ok := tl.Take()
				if ok != (len(waiting) > 0) {
					t.Fatalf("took %v with %d waiting", ok, len(waiting))
				}
				if ok {
					if at != waiting[0].at || id != waiting[0].id {
						t.Fatalf("took %d at %d, want %d at %d", id, at, waiting[0].id, waiting[0].at)
					}
					waiting = waiting[1:]
				}
			},
			"": func(t *rapid.T) {
				if tl.Len() != len(waiting) {
					t.Fatalf("%d wait, want %d", tl.Len(), len(waiting))
				}
			},
		})
	})
}

func TestNoAllocationOnceWarm(t *testing.T) {
	tl := busy()
	if n := testing.AllocsPerRun(1000, func() { step(tl) }); n != 0 {
		t.Errorf("%v allocations a step, want none", n)
	}
}

func busy() *Timeline[uint64] {
	tl := new(Timeline[uint64])
	for i := range uint64(64) {
		tl.Plan(int64(i*7919%1000), i)
	}
	return tl
}

func step(tl *Timeline[uint64]) {
	at, e, _ := tl.Take()
	e = e*6364136223846793005 + 1442695040888963407
	tl.Plan(at+int64(e>>54), e)
}

// BenchmarkStep takes one event and plans another with 64 waiting.
func BenchmarkStep(b *testing.B) {
	tl := busy()
	b.ReportAllocs()
	for b.Loop() {
		step(tl)
	}
}
