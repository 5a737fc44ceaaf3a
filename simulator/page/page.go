package page

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"hoistway/simulator/faults"
	"hoistway/simulator/loopback"
	"hoistway/simulator/picture"
)

// Site is where faults go. Its methods are called from many goroutines and should
// answer within a second or so. It may be a [Clock] too.
type Site interface {
	// Inject begins a fault that [faults.Check] let through.
	Inject(f faults.Fault) error
	// Clear ends the faults of a target that are of a kind; kind "" is all of them.
	Clear(target, kind string) error
	// Targets are the names that a fault of this aim may have.
	Targets(aim faults.Aim) []string
}

// Clock is the power of a site whose time is virtual.
type Clock interface {
	// Speed is how many seconds of the site pass in one of the wall.
	Speed() (times float64, paused bool)
	SetSpeed(times float64, paused bool) error
	// Step goes on to the next thing that happens, and pauses there.
	Step() error
}

// Recording is a file that the page offers.
type Recording struct {
	Name string // for people
	File string
}

// Options of a page. With a Site, or with a header and no recordings, it is live.
type Options struct {
	Header     picture.Header // of the live site
	Site       Site           // nil: nothing can be made to happen
	Recordings []Recording
	Log        *slog.Logger // nil: no log
	AgentURL   string       // of the agent's own page; "" for none
}

// Page is the page of one site. All its methods may be called from any goroutine.
type Page struct {
	o       Options
	live    bool
	hub     *hub
	handler http.Handler
	ended   chan struct{}
	once    sync.Once
}

// New makes a page. It starts nothing.
func New(o Options) *Page {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.Header = o.Header.Whole()
	p := &Page{
		o: o, hub: newHub(), ended: make(chan struct{}),
		live: o.Site != nil || o.Header.Picture != 0 && len(o.Recordings) == 0,
	}
	p.handler = guard(p.routes())
	return p
}

// Show takes the next frame. It never blocks, and keeps f: the caller must not
// change afterwards what f points to. A time more than a second before that of the
// last frame begins another run under the same header.
func (p *Page) Show(f picture.Frame) { p.hub.show(f) }

// Serve answers on ln, which must be of this machine only, until ctx ends; then it
// sends readers away and closes ln. It returns nil after such an end. A page is
// served once.
func (p *Page) Serve(ctx context.Context, ln net.Listener) error {
	if err := loopback.Serve(ctx, ln, p.handler, p.end, p.o.Log); err != nil {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}

func (p *Page) end() { p.once.Do(func() { close(p.ended) }) }

func (p *Page) routes() *http.ServeMux {
	mux := http.NewServeMux()
	webRoutes(mux)
	mux.HandleFunc("GET /sim/site", p.site)
	mux.HandleFunc("GET /sim/stream", p.stream)
	mux.HandleFunc("GET /sim/recordings/{n}", p.recording)
	mux.HandleFunc("GET /sim/catalogue", p.catalogue)
	mux.HandleFunc("GET /sim/targets", p.targets)
	mux.HandleFunc("POST /sim/faults", p.inject)
	mux.HandleFunc("DELETE /sim/faults", p.clear)
	mux.HandleFunc("GET /sim/control", p.control)
	mux.HandleFunc("POST /sim/control", p.setControl)
	return mux
}
