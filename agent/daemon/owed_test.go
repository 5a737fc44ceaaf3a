package daemon

import (
	"net/http"
	"testing"
	"time"

	"hoistway/simulator/faults"
	"hoistway/simulator/robots"
)

// IL-7, RD-11: the controller goes while the car is called, and the ride is
// cancelled meanwhile. When it is back the call is taken back, once, and no other
// is placed.
func TestOwedCancelIsPaidOnReconnect(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "WAITING")
	if err := r.lift.Play(faults.Fault{Kind: "unplugged", Target: "L1"}); err != nil {
		t.Fatal(err)
	}
	r.reaches("r1", "FAULT")
	if code, body := r.ask(http.MethodDelete, "/v1/rides/r1", ""); code != http.StatusAccepted {
		t.Errorf("cancel: %d %s", code, body)
	}
	if n := r.presses(5, 2); n != 0 {
		t.Errorf("%d cancels reached a controller that is gone", n)
	}
	r.lift.ClearNamed("unplugged")
	r.online()
	r.until("the call taken back", func() bool { return r.presses(5, 2) > 0 }, func() any { return r.lift.Writes() })
	time.Sleep(2 * time.Second) // long enough for ten polls to ask for more
	if n := r.presses(5, 2); n != 1 {
		t.Errorf("taken back %d times", n)
	}
	if n := r.presses(0, 2) + r.presses(1, 2); n != 1 {
		t.Errorf("%d landing calls", n)
	}
}

// CT-7: the service manager hears of readiness once, of each third of its watchdog
// limit, and of the end when it begins.
func TestServiceManagerIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	told := make(chan string, 1024)
	r.deps.Notify = func(s string) { told <- s }
	r.deps.WatchdogEvery = 3 * time.Second
	r.start()
	r.online()
	wait := func(want string) (before []string) {
		t.Helper()
		late := time.After(patience)
		for {
			select {
			case s := <-told:
				if s == want {
					return before
				}
				before = append(before, s)
			case <-late:
				t.Fatalf("%s never came, only %v", want, before)
			}
		}
	}
	if before := wait("READY=1"); len(before) != 0 {
		t.Errorf("before READY: %v", before)
	}
	wait("WATCHDOG=1")
	wait("WATCHDOG=1")
	r.robot(robots.Manner{Dies: "entering"})
	r.post("/v1/rides", callFromG)
	r.until("a robot in the doorway", func() bool { return r.ride("r1").Where == "crossing" }, func() any { return r.ride("r1") })
	ended := make(chan struct{})
	go func() {
		r.stop()
		close(ended)
	}()
	wait("STOPPING=1")
	wait("WATCHDOG=1") // the loop waits for the robot, and is alive meanwhile
	r.reaches("r1", "FAULT")
	r.post("/v1/rides/r1/reset", `{"robot_is":"outside"}`)
	<-ended
}
