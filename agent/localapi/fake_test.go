package localapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

const (
	robotToken = "robot-one-token"
	otherToken = "robot-two-token"
	techToken  = "technician-token"
)

func sumOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// fakeLoop stands in for the ride loop: a view that tests change, and answers
// that they choose. It remembers what was asked.
type fakeLoop struct {
	mu     sync.Mutex
	view   *core.View
	orders []core.Order
	answer func(core.Order) (core.Answer, error)
}

func (f *fakeLoop) View() *core.View {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.view
}

func (f *fakeLoop) Ask(_ context.Context, o core.Order) (core.Answer, error) {
	f.mu.Lock()
	f.orders = append(f.orders, o)
	answer := f.answer
	f.mu.Unlock()
	if answer == nil {
		return core.Answer{Status: core.Accepted}, nil
	}
	return answer(o)
}

func (f *fakeLoop) asked() []core.Order {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]core.Order(nil), f.orders...)
}

// change makes the next view from a copy of the last.
func (f *fakeLoop) change(edit func(*core.View)) *core.View {
	f.mu.Lock()
	defer f.mu.Unlock()
	next := *f.view
	next.Seq++
	next.Lifts = append([]core.LiftView(nil), f.view.Lifts...)
	next.Rides = append([]core.RideView(nil), f.view.Rides...)
	edit(&next)
	f.view = &next
	return &next
}

// building is a view with two lifts and five floors, of which G opens on both
// sides, and one ride of R1 in L1.
func building(now elevator.Instant) *core.View {
	floors := elevator.Table{
		{Label: "B1", Wire: 1, Doors: []elevator.Side{elevator.Front}},
		{Label: "G", Wire: 2, Doors: []elevator.Side{elevator.Front, elevator.Rear}},
		{Label: "1", Wire: 3, Doors: []elevator.Side{elevator.Front}},
		{Label: "2", Wire: 4, Doors: []elevator.Side{elevator.Front}},
		{Label: "3", Wire: 5, Doors: []elevator.Side{elevator.Front}},
	}
	return &core.View{
		Seq: 1, At: now, Cloud: true,
		Lifts: []core.LiftView{
			{ID: "L1", Group: "G1", Floors: floors, Car: carAt(2, 3500, now), Owner: "ride-1", Robot: "R1", Accepting: true, Area: "A"},
			{ID: "L2", Floors: floors, Car: carAt(1, 0, now), Accepting: true, Area: "A"},
		},
		Areas: []core.AreaView{{Area: "A", Lifts: []string{"L1", "L2"}}},
		Rides: []core.RideView{rideView("ride-1", "R1", floors, now)},
		Shadow: shadow.View{Connected: true, Session: 4, Epoch: 2, Shadows: []shadow.ShadowView{
			{Name: "", Version: 12, Reported: shadow.Tree{"state": "IDLE"}, Updates: 3},
			{Name: "L1", Version: 9, Desired: shadow.Tree{"wait_timeout": 60}, Delta: shadow.Tree{"wait_timeout": 60}, Settled: true},
		}},
	}
}

func carAt(floor elevator.Floor, mm int32, now elevator.Instant) elevator.Snapshot {
	car := elevator.Snapshot{Link: elevator.Online, LinkSince: 1}
	car.Floor = seen(floor, now)
	car.Motion = seen(elevator.Stopped, now)
	car.Mode = seen(elevator.Normal, now)
	car.Position = seen(mm, now)
	car.Doors[elevator.Front] = seen(elevator.DoorOpen, now)
	car.UpCalls = seen(elevator.FloorSet(0).With(2), now)
	car.Overload = seen(elevator.No, now)
	return car
}

func seen[T comparable](v T, at elevator.Instant) elevator.Seen[T] {
	return elevator.Seen[T]{Value: v, At: at, Source: elevator.Controller}
}

func rideView(id, robot string, floors elevator.Table, now elevator.Instant) core.RideView {
	r := fsm.Ride{
		Request: fsm.Request{ID: id, Robot: robot, Lift: "L1", From: 2, To: 5, FromSide: elevator.Front, ToSide: elevator.Front, Ready: true},
		State:   fsm.Waiting, Phase: fsm.Boarding, Where: fsm.Outside, Since: now, PhaseAt: now, Deadline: now.Add(30 * time.Second),
		Permit: fsm.Permit{N: 7, Epoch: 3, Kind: fsm.Enter, Floor: 2, Side: elevator.Front, Start: now.Add(2 * time.Second), Through: now.Add(9 * time.Second)},
	}
	return core.RideView{Ride: r, Floors: floors, Marks: []core.Mark{
		{At: now, Wall: 1_750_000_000_123, From: fsm.Idle, To: fsm.Requesting, Phase: fsm.Calling, Why: "lease granted"},
	}}
}

// house is a server with its loop, on a clock that tests move.
type house struct {
	*Server
	loop *fakeLoop
	mu   sync.Mutex
	now  elevator.Instant
	tick func() elevator.Instant // nil: now stands until a test moves it
}

const start = elevator.Instant(100 * time.Second)

func (h *house) clock() elevator.Instant {
	if h.tick != nil {
		return h.tick()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *house) advance(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

func newHouse(t testing.TB, edit ...func(*Options)) *house {
	t.Helper()
	h := &house{loop: &fakeLoop{view: building(start)}, now: start}
	o := Options{
		Backend: h.loop, Now: h.clock,
		Wall:        func() time.Time { return time.UnixMilli(1_750_000_000_000) },
		Robots:      []RobotAuth{{ID: "R1", TokenSHA256: sumOf(robotToken), Crossing: 8 * time.Second}, {ID: "R2", TokenSHA256: sumOf(otherToken)}},
		Technicians: []TechAuth{{Name: "site-technician", TokenSHA256: sumOf(techToken)}},
		Version:     "test",
	}
	for _, e := range edit {
		e(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	s.rules = rules{
		withheld: func(r *fsm.Ride, _ elevator.Instant) []fsm.Unmet {
			if r.Permit.N != 0 || r.State == fsm.Moving || r.State == fsm.Done {
				return nil
			}
			return []fsm.Unmet{{Part: "door", Want: "open", Seen: "closing", Source: elevator.Controller}}
		},
		advise: func(r *fsm.Ride, now elevator.Instant) fsm.Advice {
			if r.State == fsm.Fault {
				return fsm.Advice{Do: fsm.DoWait, Why: "no car came within 90 s; the call is tried again"}
			}
			if r.Where == fsm.Inside {
				return fsm.Advice{Do: fsm.DoStay, Why: "the car is on its way"}
			}
			return fsm.Advice{Do: fsm.DoEnter, Why: "the door is open", Until: now.Add(2 * time.Second)}
		},
		pass: func(r *fsm.Ride, now elevator.Instant) (fsm.LeavePass, bool) {
			return fsm.LeavePass{Floor: r.To, Side: r.ToSide, NotAfter: now.Add(10 * time.Minute)}, r.Where == fsm.Inside
		},
	}
	h.Server = s
	return h
}

// request is one call, made from this machine unless it says otherwise.
type request struct {
	method, path, token, body string
	header                    map[string]string
	remote, host              string
}

type reply struct {
	status  int
	header  http.Header
	body    []byte
	problem Problem
}

func (h *house) do(t testing.TB, q request) reply {
	t.Helper()
	r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
	r.Host, r.RemoteAddr = "127.0.0.1:8732", "127.0.0.1:50000"
	if q.host != "" {
		r.Host = q.host
	}
	if q.remote != "" {
		r.RemoteAddr = q.remote
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	if q.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for k, v := range q.header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	h.Handler().ServeHTTP(w, r)
	return read(t, w.Result())
}

func read(t testing.TB, res *http.Response) reply {
	t.Helper()
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	out := reply{status: res.StatusCode, header: res.Header, body: body}
	if res.Header.Get("Content-Type") == problemType {
		if err := json.Unmarshal(body, &out.problem); err != nil {
			t.Fatalf("a problem that is no JSON: %v: %s", err, body)
		}
	}
	return out
}

func decoded[T any](t testing.TB, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(r.body, &v); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return v
}
