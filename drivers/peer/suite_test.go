package peer

import (
	"net/url"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func opening(t testing.TB, env drivers.Env, link string) (drivers.Opener, error) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	r, err := drivers.NewRegistry(Factories(env)...)
	if err != nil {
		t.Fatal(err)
	}
	return r.New(drivers.Spec{Lift: "L7", URL: u, Floors: table})
}

// DR-1, DR-8, DR-10, DR-11: the suite of all drivers, in virtual time.
func TestConformance(t *testing.T) {
	now := clock()
	drivertest.Run(t, drivertest.Harness{
		Virtual: true, ReadOnly: true, Grain: time.Millisecond, Period: pollEvery, Return: 30 * time.Second,
		Now: func() elevator.Instant { return now() },
		Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
			now = clock() // each bubble begins its own time
			f := newFar()
			o, err := opening(t, drivers.Env{Now: now, Dial: f.dial}, "hoistway+http://127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			return f, o
		},
	})
}
