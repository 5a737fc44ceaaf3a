package devices

import (
	"bytes"
	"context"
	"net"
	"net/url"
	"slices"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/serial"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// What becomes of a call on a board with each habit, and how often the board did it:
// never twice for one command.
// DR-8, DR-9, DR-11
func TestCallsOnBadBoards(t *testing.T) {
	for _, kind := range []struct{ protocol, profile string }{
		{STXBoard, "bench/frame-lift"}, {MC1E, "mitsubishi/fx-lift-mc1e"},
	} {
		for name, c := range map[string]struct {
			habits Habits
			want   []elevator.Result
			times  int // -1: not known, as what is refused after it began
		}{
			"good":      {Habits{}, []elevator.Result{elevator.Done}, 1},
			"silent":    {Habits{Silent: true}, []elevator.Result{elevator.ResultUnknown, elevator.NotSent}, -1},
			"bad check": {Habits{BadCheck: true}, []elevator.Result{elevator.ResultUnknown, elevator.NotSent}, -1},
			"refuses":   {Habits{Refuses: true}, []elevator.Result{elevator.Refused}, 0},
			"echoes":    {Habits{Echoes: true}, []elevator.Result{elevator.Done, elevator.ResultUnknown, elevator.NotSent}, -1},
		} {
			if c.habits.BadCheck && kind.protocol == MC1E {
				continue // it has no checksum: TCP's has to do
			}
			t.Run(kind.protocol+" "+name, func(t *testing.T) {
				t.Parallel()
				w := world(t, since(time.Now()))
				b, err := ServeBoardTCP(w, kind.protocol, net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 1})
				if err != nil {
					t.Fatal(err)
				}
				defer closed(t, b)
				env := drivers.Env{Now: since(time.Now().Add(-time.Second))}
				l := linkTo(t, fieldbus.NewLines(env), env, w, kind.profile, "serial+tcp://"+b.Where()+"?timeout=300ms")
				defer closed(t, l)
				claim := elevator.Command{Verb: elevator.Claim, ID: elevator.CommandID{Ride: "r", N: 1}, Until: env.Now().Add(time.Minute)}
				if o := l.Do(context.Background(), claim); o.Result != elevator.Done {
					t.Fatalf("%+v", o)
				}
				b.Behave(c.habits)
				call := elevator.Command{
					Verb: elevator.CarCall, Floor: 3, Side: elevator.Front,
					ID: elevator.CommandID{Ride: "r", N: 2}, Until: env.Now().Add(3 * time.Second),
				}
				for range 2 {
					o := l.Do(context.Background(), call)
					if !slices.Contains(c.want, o.Result) || o.Result == elevator.Refused && o.Code == "" {
						t.Errorf("%+v, want one of %v", o, c.want)
					}
				}
				b.Behave(Habits{})
				time.Sleep(300 * time.Millisecond)
				n := did(b, "check in at 1") + did(b, "go to 1")
				if c.times >= 0 && n != c.times || n > 1 {
					t.Errorf("the board did it %d times: %v", n, b.Deeds())
				}
			})
		}
	}
}

// A trigger that the PLC never clears leaves the command unknown, and is taken back.
// DR-8, RD-7
func TestTriggerThatStays(t *testing.T) {
	w := world(t, since(time.Now()))
	b, err := ServeBoardTCP(w, MC1E, net.Listen, "127.0.0.1:0", Seat{Car: "L1"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, b)
	b.Behave(Habits{TriggersStay: true})
	env := drivers.Env{Now: since(time.Now().Add(-time.Second))}
	src, _ := profiles.Lookup("mitsubishi/fx-lift-mc1e")
	short := bytes.Replace(src, []byte("within: 30s"), []byte("within: 1s"), 1)
	if bytes.Equal(src, short) {
		t.Fatal("the profile waits otherwise")
	}
	u, _ := url.Parse("serial+tcp://" + b.Where())
	var floors elevator.Table
	w.Do(func(x *building.Building) { floors = x.Table("L1") })
	o, err := serial.TCP(fieldbus.NewLines(env), env).New(drivers.Spec{Lift: "L1", URL: u, ProfileName: "short", Profile: short, Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, l)
	out := l.Do(context.Background(), elevator.Command{
		Verb: elevator.Hold, Floor: 1, Side: elevator.Front,
		ID: elevator.CommandID{Ride: "r", N: 1}, Until: env.Now().Add(time.Minute),
	})
	if out.Result != elevator.ResultUnknown {
		t.Errorf("%+v", out)
	}
	for end := time.Now().Add(20 * time.Second); did(b, "door trigger taken back") == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never taken back: %v", b.Deeds())
		}
	}
}
