package cli

import (
	"context"
	"log/slog"
	"net"
	"time"

	"hoistway/simulator/page"
	"hoistway/simulator/picture"
)

// drawEvery is the time between two frames of a live picture.
const drawEvery = 200 * time.Millisecond

// live is the page of a site that runs now.
type live struct {
	page *page.Page
	ln   net.Listener
	url  string
}

func newLive(listen string, o page.Options) (*live, error) {
	ln, err := listenOn("page", listen, "--page 127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return &live{page: page.New(o), ln: ln, url: "http://" + ln.Addr().String() + "/"}, nil
}

// run draws and serves until ctx ends. It calls frame from one goroutine.
func (l *live) run(ctx context.Context, frame func() picture.Frame, log *slog.Logger) {
	served := make(chan error, 1)
	go func() { served <- l.page.Serve(ctx, l.ln) }()
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-served:
			if err != nil {
				log.Error("the page ended", "error", err)
			}
			return
		case <-tick.C:
			l.page.Show(frame())
		}
	}
}
