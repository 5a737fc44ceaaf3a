package robots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

var errAsleep = errors.New("the robot says nothing")

const (
	askTries = 5
	askPause = 300 * time.Millisecond
	// A ride may be made while a list without it is on its way.
	forgiven = 2
)

// Ride is a wish: from one floor label to another. An empty Lift is any.
type Ride struct {
	Lift, From, To   string
	FromDoor, ToDoor string // sides; "" lets the agent choose
	Standby          bool   // it is not at the door yet: ready once it is told to come
	Priority         int    // 0 to 9
	OnWord           bool   // with Standby: ready only by [Robot.Say]
}

// Ask asks for a ride and gives its id; Run then rides it. It repeats an unheard
// request a few times under one id, so that there is never a second ride. The
// error is a *Refusal when the agent said no.
func (r *Robot) Ask(ctx context.Context, want Ride) (rideID string, err error) {
	body := newRide{
		ID: r.nextRide(), Robot: r.o.ID, Lift: want.Lift, From: want.From, To: want.To,
		FromDoor: want.FromDoor, ToDoor: want.ToDoor, Ready: !want.Standby, Priority: want.Priority,
	}
	if body.Lift == "" {
		body.Lift = "any"
	}
	if want.Standby && want.OnWord {
		r.holdReady(body.ID)
	}
	var made struct {
		ID string `json:"ride_id"`
	}
	for try := 1; ; try++ {
		err = errAsleep
		if !r.asleep() {
			err = r.api.call(ctx, http.MethodPost, "/v1/rides", body, &made)
		}
		if err == nil {
			break
		}
		if isRefusal(err) || try == askTries || !sleep(ctx, askPause) {
			r.freeReady(body.ID)
			return "", fmt.Errorf("robot %s asks for a ride: %w", r.o.ID, err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.follow[made.ID] = 0
	return made.ID, nil
}

func (r *Robot) nextRide() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	return fmt.Sprintf("%s-%s-%d", r.o.ID, r.tag, r.asked)
}

// tellEnds reports each ride that was followed and now is over or locked.
func (r *Robot) tellEnds(rides []ride) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id := range r.follow {
		r.follow[id]++
	}
	for _, x := range rides {
		over := x.State == stateDone || x.State == stateLocked
		if _, followed := r.follow[x.ID]; followed && over {
			r.tellEnd(x)
		} else if !over {
			r.follow[x.ID] = 0
		}
	}
	for id, missed := range r.follow {
		if missed > forgiven {
			r.tellEnd(ride{ID: id})
		}
	}
}

func (r *Robot) tellEnd(x ride) {
	delete(r.follow, x.ID)
	delete(r.onWord, x.ID)
	end := RideEnd{Ride: x.ID, Lift: x.Lift, State: x.State, Phase: x.Phase}
	if x.Fault != nil {
		end.Fault = x.Fault.Code
	}
	select {
	case r.done <- end:
	default:
		r.o.Log.Warn("nobody fetches the ends of rides; one is dropped", "ride", x.ID)
	}
}

// sleep reports whether it slept to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
