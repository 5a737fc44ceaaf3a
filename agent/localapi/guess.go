package localapi

import (
	"context"
	"sync"
	"time"

	"hoistway/fsm/elevator"
)

const (
	guessPlaces  = 256             // places remembered at once
	guessWaiting = 16              // wrong tokens that wait at once
	guessForget  = 5 * time.Minute // after this silence a place starts anew
	guessStep    = 100 * time.Millisecond
	guessLongest = 2 * time.Second
)

// guesses slows down whoever tries tokens. It never locks anyone out: a right
// token is not asked about here at all.
type guesses struct {
	mu      sync.Mutex
	places  map[string]guessed
	waiting chan struct{}
}

type guessed struct {
	wrong int
	last  elevator.Instant
}

func newGuesses() *guesses {
	return &guesses{places: make(map[string]guessed), waiting: make(chan struct{}, guessWaiting)}
}

// pause waits as long as the place has earned. False: too many wait already.
func (g *guesses) pause(ctx context.Context, place string, now elevator.Instant) bool {
	d := g.count(place, now)
	select {
	case g.waiting <- struct{}{}:
		defer func() { <-g.waiting }()
	default:
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	return true
}

func (g *guesses) count(place string, now elevator.Instant) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	p, known := g.places[place]
	if now.Sub(p.last) > guessForget {
		p = guessed{}
	}
	if !known && len(g.places) >= guessPlaces {
		g.dropOldest()
	}
	p.wrong++
	p.last = now
	g.places[place] = p
	return min(guessStep<<min(p.wrong-1, 10), guessLongest)
}

func (g *guesses) dropOldest() {
	oldest := ""
	for place, p := range g.places {
		if oldest == "" || p.last < g.places[oldest].last {
			oldest = place
		}
	}
	delete(g.places, oldest)
}
