package devices

import (
	"encoding/hex"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
)

// strict is lift L1, which starts at B1, in the time of a bubble; ask is one request.
func strict(t *testing.T, wants Wants) (u *Unit, ask func(request, want string)) {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	u, err = newUnit(NewWorld(b, func() elevator.Instant { return elevator.Instant(time.Since(began)) + 1 }), Seat{Car: "L1", Unit: 1, Wants: wants})
	if err != nil {
		t.Fatal(err)
	}
	return u, func(request, want string) {
		t.Helper()
		raw, err := hex.DecodeString(request)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := u.respond(raw); hex.EncodeToString(got) != want {
			t.Errorf("after %v %s: %x, want %s", time.Since(began), request, got, want)
		}
	}
}

// RD-3: a call stands for five seconds after it was written last, and 0 drops it.
func TestACallIsKeptUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, ask := strict(t, Wants{Level: true})
		lamps := "04000a0003"
		ask("0600000004", "0600000004") // landing 4, up
		ask(lamps, "0406000800000000")
		time.Sleep(4 * time.Second)
		ask("0600000004", "0600000004")
		time.Sleep(4 * time.Second)
		ask(lamps, "0406000800000000")
		time.Sleep(1001 * time.Millisecond)
		ask(lamps, "0406000000000000")
		ask("0600020005", "0600020005") // the car's button
		ask(lamps, "0406000000000010")
		ask("0600020000", "0600020000")
		ask(lamps, "0406000000000000")
		var asked []string
		for _, w := range u.Writes() {
			asked = append(asked, w.Asks())
		}
		if len(asked) != 4 || asked[0] != "landing-call" || asked[1] != "" || asked[2] != "car-call" || asked[3] != "cancel" {
			t.Errorf("asked %q", asked)
		}
	})
}

// RD-13: no call before the claim, which a controller without power forgets.
func TestACarIsClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, ask := strict(t, Wants{Claim: true})
		ask("0600020003", "8606")
		ask("04000e0001", "04020000")
		ask("0600070002", "8603")
		ask("0600070001", "0600070001")
		ask("04000e0001", "04020002")
		ask("0600020003", "0600020003")
		ask("0600070000", "0600070000")
		ask("0600020004", "8606")
		ask("0600070001", "0600070001")
		if err := u.world.Inject(faults.Fault{Target: "L1", Kind: "restart", Arg: "2s"}); err != nil {
			t.Fatal(err)
		}
		ask("04000e0001", "")
		time.Sleep(3 * time.Second)
		ask("04000e0001", "04020000")
	})
}

// IL-2: the controller's own word comes a second and a half after the door is open.
func TestAControllerPermits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u, ask := strict(t, Wants{Permission: true})
		ask("0600000001", "0600000001") // where it stands: the door opens
		for u.world.Car("L1").Doors[elevator.Front].State != elevator.DoorOpen {
			time.Sleep(10 * time.Millisecond)
		}
		ask("04000e0001", "04020000")
		time.Sleep(1490 * time.Millisecond)
		ask("04000e0001", "04020000")
		time.Sleep(20 * time.Millisecond)
		ask("04000e0001", "04020001")
		ask("04000f0001", "8402")
		ask("0600080001", "8602")
	})
}

// The plain lift has neither of the two registers.
func TestThePlainLiftWantsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, ask := strict(t, Wants{})
		ask("04000e0001", "8402")
		ask("0600070001", "8602")
		ask("0600020000", "8603")
	})
}
