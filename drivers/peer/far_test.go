package peer

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// far is the other gateway as its public description has it: plain net/http and texts
// written by hand, on pipes, so that it lives in a bubble of virtual time.
type far struct {
	mu     sync.Mutex
	face   drivertest.Face
	spoil  drivertest.Spoil
	online bool  // what it says of its own link to the lift
	age    int64 // of every value, in ms
	seq    int   // of events
	asks   []string
	bodies []string
	heads  []http.Header
	rides  map[string]string // path below /v1/rides/ → answer
	status int               // of answers about rides; 0: 200
	late   time.Duration
	slow   bool // answers about rides come late
	mute   bool // the stream is open and silent
	denied bool // the token is wrong

	pipes *pipes
	srv   *http.Server
	moved chan struct{} // closed and made anew with each change
	up    sync.WaitGroup
}

func newFar() *far {
	return &far{online: true, rides: map[string]string{}, moved: make(chan struct{}), late: 3 * time.Second}
}

func (f *far) Power(on bool) {
	if on == (f.srv != nil) {
		return
	}
	if !on {
		f.mu.Lock()
		f.pipes.close()
		f.pipes = nil
		f.mu.Unlock()
		_ = f.srv.Close()
		f.srv = nil
		f.up.Wait()
		return
	}
	p := &pipes{calls: make(chan net.Conn), end: make(chan struct{})}
	f.mu.Lock()
	f.pipes = p
	f.mu.Unlock()
	srv := &http.Server{Handler: f}
	f.srv = srv
	f.up.Go(func() { _ = srv.Serve(p) })
}

func (f *far) Show(x drivertest.Face) { f.change(func() { f.face = x }) }

func (f *far) Spoil(how drivertest.Spoil, writes bool) {
	if writes {
		panic("this far end is told nothing that could be spoilt")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spoil = how
}

// Pressed counts whatever would change something.
func (f *far) Pressed() (out []drivertest.Press) {
	for _, a := range f.asked() {
		if !strings.HasPrefix(a, "GET ") {
			out = append(out, drivertest.Press{})
		}
	}
	return out
}

func (f *far) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.asks...)
}

// change does something that an event tells of.
func (f *far) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
	f.seq++
	close(f.moved)
	f.moved = make(chan struct{})
}

func (f *far) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	f.mu.Lock()
	p := f.pipes
	f.mu.Unlock()
	if p == nil {
		return nil, syscall.ECONNREFUSED
	}
	near, end := net.Pipe()
	select {
	case p.calls <- end:
		return near, nil
	case <-p.end:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *far) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := make([]byte, 0, 512)
	for {
		b := make([]byte, 512)
		n, err := r.Body.Read(b)
		if body = append(body, b[:n]...); err != nil {
			break
		}
	}
	f.mu.Lock()
	f.asks = append(f.asks, r.Method+" "+r.URL.RequestURI())
	f.bodies, f.heads = append(f.bodies, string(body)), append(f.heads, r.Header.Clone())
	spoil, denied := f.spoil, f.denied
	f.mu.Unlock()
	switch {
	case denied:
		send(w, r, "", 0, 401, `{"type":"urn:hoistway:problem:E-2003","title":"wrong token","status":401,"code":"E-2003"}`)
	case r.URL.Path == "/v1/events":
		f.events(w, r)
	case strings.HasPrefix(r.URL.Path, "/v1/lifts/"):
		f.answer(w, r, spoil)
	default:
		f.ride(w, r, spoil)
	}
}

func (f *far) ride(w http.ResponseWriter, r *http.Request, spoil drivertest.Spoil) {
	f.mu.Lock()
	text, known := f.rides[strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/v1/"), "/signals")]
	status := f.status
	if f.slow {
		spoil = drivertest.Late
	}
	late := f.late
	f.mu.Unlock()
	if !known {
		status, text = 404, `{"type":"urn:hoistway:problem:E-2006","title":"no such ride","status":404,"code":"E-2006"}`
	}
	if status == 0 {
		status = 200
	}
	send(w, r, spoil, late, status, text)
}

// answer tells of the lift.
func (f *far) answer(w http.ResponseWriter, r *http.Request, spoil drivertest.Spoil) {
	lift := "L7"
	if spoil == drivertest.Foreign {
		lift = "L8"
	}
	f.mu.Lock()
	text := liftText(lift, f.face, f.online, f.age)
	late := f.late
	f.mu.Unlock()
	send(w, r, spoil, late, http.StatusOK, text)
}

func send(w http.ResponseWriter, r *http.Request, spoil drivertest.Spoil, late time.Duration, status int, text string) {
	kind := "application/json"
	if status >= 400 {
		kind = "application/problem+json"
	}
	body := []byte(text)
	switch spoil {
	case drivertest.Silent:
		<-r.Context().Done()
		return
	case drivertest.Late:
		time.Sleep(late)
	case drivertest.Garbled:
		for i := 0; i < len(body); i += 7 {
			body[i] ^= 0x80
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(status)
	if spoil == drivertest.Short {
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(body)
}

// events tells of a change by a line that holds nothing true: it is there to be asked about.
func (f *far) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(w, "retry: 1000\nevent: hello\ndata: {\"version\":\"1\",\"resumed\":false}\n\n")
	for {
		w.(http.Flusher).Flush()
		f.mu.Lock()
		moved, mute := f.moved, f.mute
		f.mu.Unlock()
		if mute {
			<-r.Context().Done()
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-time.After(10 * time.Second):
			_, _ = fmt.Fprint(w, ": beat\n\n")
		case <-moved:
			f.mu.Lock()
			_, _ = fmt.Fprintf(w, "id: boot-%d\nevent: lift\ndata: {\"id\":\"L7\"}\n\n", f.seq)
			for path := range f.rides {
				_, _ = fmt.Fprintf(w, "id: boot-%d\nevent: ride\ndata: {\"ride_id\":%q}\n\n", f.seq, strings.TrimPrefix(path, "rides/"))
			}
			f.mu.Unlock()
		}
	}
}

var (
	labels  = map[elevator.Floor]string{1: "G", 2: "1", 3: "2"}
	motions = map[elevator.Motion]string{elevator.Stopped: "stopped", elevator.MovingUp: "up"}
	doors   = map[elevator.Door]string{elevator.DoorOpen: "open", elevator.DoorClosed: "closed"}
)

// liftText is a lift as the description has it.
func liftText(id string, x drivertest.Face, online bool, age int64) string {
	link := map[bool]string{true: "online", false: "offline"}[online]
	v := func(value string) string { return fmt.Sprintf(`{"value":%s,"age_ms":%d,"quality":"good"}`, value, age) }
	q := func(word string) string { return v(`"` + word + `"`) }
	never := `{"value":null,"age_ms":null,"quality":"unknown"}`
	return fmt.Sprintf(`{"id":%q,"group":"G1","link":%q,"link_age_ms":12,"heard_ms":0,
 "floors":[{"label":"G","doors":["front"],"height_mm":null},{"label":"1","doors":["front"],"height_mm":4000},{"label":"2","doors":["front"],"height_mm":null}],
 "floor":%s,"doors":{"front":%s},"motion":%s,"mode":%s,"position_mm":%s,"load_kg":%s,"overload":%s,"nudging":%s,
 "obstruction":%s,"emergency_stop":%s,"calls":{"up":%s,"down":%s,"car":%s},"vendor_code":%s,
 "owner":null,"occupied":false,"queue":[],"accepting":true,"alarms":[],"state":"IDLE","phase":"free","what_a_newer_one_tells":1}`,
		id, link, q(labels[x.Floor]), q(doors[x.Door]), q(motions[x.Motion]), q("normal"), v("4100"), never, v("false"), v("true"),
		v("null"), never, v(`["G","2"]`), v(`[]`), v(`["roof"]`), v("0"))
}

// pipes is a listener within the process.
type pipes struct {
	calls chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.calls:
		return c, nil
	case <-p.end:
		return nil, net.ErrClosed
	}
}

func (p *pipes) close()         { p.once.Do(func() { close(p.end) }) }
func (p *pipes) Close() error   { p.close(); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// clock starts at an instant that is not never.
func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

var table = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}
