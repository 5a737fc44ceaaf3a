package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hoistway/simulator/real"
	"hoistway/simulator/robots"
)

// journeys is where each robot rides, over and over. Each leg starts where the
// one before ended.
func journeys(robot string) []robots.Ride {
	if robot == "R1" {
		return []robots.Ride{{Lift: "L1", From: "G", To: "1"}, {Lift: "L1", From: "1", To: "G"}}
	}
	return []robots.Ride{{Lift: "L2", From: "1", To: "2"}, {Lift: "L2", From: "2", To: "1"}}
}

// asked is one ride that a robot asked for.
type asked struct {
	id, robot, lift, from, to string
	at                        time.Time
	err                       error
}

// ask lets the robots ask for their rides, each when its last is over, and gives
// each ride's id when it is known. The channel closes when all rides are asked.
func (d *demo) ask(ctx context.Context) <-chan asked {
	out := make(chan asked, 64)
	if d.flags.idle {
		return out
	}
	share := make([]int, len(d.robots))
	for i := range d.flags.rides {
		share[i%len(share)]++
	}
	d.wg.Go(func() {
		defer close(out)
		var asking sync.WaitGroup
		for i, r := range d.robots {
			asking.Go(func() { d.askAll(ctx, r, share[i], out) })
		}
		asking.Wait()
	})
	return out
}

func (d *demo) askAll(ctx context.Context, r *robots.Robot, n int, out chan<- asked) {
	legs := journeys(r.ID())
	for i := 0; (d.flags.rides == 0 || i < n) && ctx.Err() == nil; i++ {
		leg := legs[i%len(legs)]
		a := asked{robot: r.ID(), lift: leg.Lift, from: leg.From, to: leg.To, at: time.Now()}
		a.id, a.err = r.Ask(ctx, leg)
		select {
		case out <- a:
		case <-ctx.Done():
			return
		default: // nobody counts the rides of an endless demo
		}
		if a.err != nil && !sleep(ctx, time.Second) {
			return
		}
		if a.err == nil && !d.untilOver(ctx, a.id) {
			return
		}
		if d.flags.rides == 0 && !sleep(ctx, 2*time.Second) {
			return
		}
	}
}

// untilOver waits until the ride with that id has ended and another may begin.
func (d *demo) untilOver(ctx context.Context, id string) bool {
	for {
		var r real.AgentRide
		if d.site.Read("/v1/rides/"+id, &r) == nil && r.State == "DONE" {
			return true
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return false
		}
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

func clockOf(d time.Duration) string { return fmt.Sprintf("%6.1f s", d.Seconds()) }
