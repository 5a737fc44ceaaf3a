package localapi

import (
	"path"
	"time"
)

// exampleOf is the example of a shape by its reference, nil for one that explains itself.
func exampleOf(ref string) any {
	e, known := examples()[path.Base(ref)]
	if !known {
		return nil
	}
	return e
}

const exampleAt = "2026-03-04T02:31:07.250Z"

// examples are of one night: robot R1 waits at G for lift L1, which is on its way.
func examples() map[string]any {
	no, eta, crossing, hour, odo := false, 40, 6, 3600, 12.4
	return map[string]any{
		"Lift": exampleLift(), "Ride": exampleRide(),
		"NewRide": NewRide{
			ID: "r1-20260304-17", Task: "linen-2nd-floor", Robot: "R1", Lift: anyLift, From: "G", To: "2", ToDoor: "front", Priority: 2,
			Ready: &no, EtaS: &eta, Crossing: &crossing,
		},
		"Signal": Signal{
			Kind: "entered", Boot: "7c1e", Seq: 41, AgeMs: 80, Where: "car", Floor: "G", FloorSure: true, Motion: "still", OdoM: &odo,
			SeesDoor: &SeesDoor{Floor: "G", Side: "front", Open: true}, Permit: "r1-20260304-17/3",
		},
		"Caller":         Caller{Role: "robot", Name: "R1"},
		"Change":         Change{To: "3", Aboard: true},
		"NewMaintenance": NewMaintenance{ForS: &hour, Why: "new ropes"},
		"NewStop":        NewStop{On: true, Lift: "L1", Why: "water in the pit"},
		"Attest":         Attest{SeenBy: "M. Weber"},
		"Cleared":        Cleared{Area: "A", Lifts: []string{"L1", "L2"}},
		"Reset":          Reset{RobotIs: "outside", SeenBy: "M. Weber"},
		"Heard":          Heard{Robot: "R1", Rides: []string{"r1-20260304-17"}},
		"Finished":       Finished{Task: "linen-2nd-floor", Result: "done"},
		"TaskHeard":      TaskHeard{Robot: "R1", Task: "linen-2nd-floor", Result: "done", Cloud: true},
		"Shadow": Shadow{At: exampleAt, Configured: true, Connected: true, Session: 4, Epoch: 2, Shadows: []ShadowDocument{{
			Name: "L1", Version: 912, Sync: "converged", Updates: 88, Pending: map[string]any{},
			State: ShadowState{Desired: map[string]any{}, Reported: map[string]any{"state": "WAITING", "elevator_id": "L1"}, Delta: map[string]any{}},
		}}, Settings: []Setting{{Path: "wait_timeout", Value: 120, From: "cloud", Batch: "B20241015-001", By: "ops"}}},
		"Outputs": Outputs{
			Lift: "L1", At: exampleAt, Held: []Held{}, Owed: []Owed{}, Line: []LineDebt{},
			Lamps: Calls{Up: known([]string{"G"}), Down: known([]string{}), Car: known([]string{})},
			Asked: []Output{{Ride: "r1-20260304-17", Robot: "R1", N: 1, What: "landing_call", Floor: "G", Side: "front", State: "taken", AgeMs: ms(4200)}},
		},
		"Ready":   Ready{Ready: true, Reasons: []string{"lift L2 is offline"}},
		"Notice":  Notice{Text: "Pushes pause on Sunday from 2 to 4."},
		"NewPoke": NewPoke{Question: "coil:7=1", IUnderstand: true},
		"Problem": Problem{
			Type: "urn:hoistway:problem:E-2101", Title: "unknown floor", Status: 422, Code: "E-2101", Field: "/to",
			Detail: `there is no floor "7"; known: B1, G, 1, 2`, Instance: "/v1/rides",
		},
	}
}

func ms(n int64) *int64 { return &n }

func known(v any) Value { return Value{Value: v, AgeMs: ms(120), Quality: "good"} }

func exampleLift() Lift {
	never := Value{Quality: "unknown"}
	return Lift{
		ID: "L1", At: exampleAt, Group: "G1", Link: "online", LinkAgeMs: ms(86_400_000), HeardMs: ms(120),
		Floors: []Landing{{Label: "G", Doors: []string{"front", "rear"}}, {Label: "2", Doors: []string{"front"}}},
		Floor:  known("2"), Doors: map[string]Value{"front": known("closed"), "rear": known("closed")},
		Motion: known("down"), Mode: known("normal"), Position: known(5400), Load: never, Overload: known(false),
		Nudging: known(false), Obstacle: never, Stop: known(false),
		Calls: Calls{Up: known([]string{"G"}), Down: known([]string{}), Car: known([]string{})}, Vendor: known(0),
		Owner: &Owner{Ride: "r1-20260304-17", Robot: "R1"}, Queue: []string{"r2-9"},
		Waiting:   []Waiting{{Ride: "r2-9", Robot: "R2", Place: 1, Why: "R1 has the car"}},
		Accepting: true, Alarms: []Alarm{}, State: "WAITING", Phase: "called", Area: "A",
	}
}

func exampleRide() Ride {
	crossing := (6 * time.Second).Seconds()
	return Ride{
		ID: "r1-20260304-17", At: exampleAt, Task: "linen-2nd-floor", Robot: "R1", Lift: "L1", From: "G", To: "2", FromDoor: "front", ToDoor: "front",
		State: "WAITING", Phase: "called", EtaMs: ms(12_000), CarWhy: "L1 comes soonest", Where: "outside", Priority: 2, CrossingS: &crossing,
		Withheld: []Unmet{{Part: "floor", Want: "G", Seen: "2", Source: "controller"}},
		Do:       Do{Action: "wait", Why: "the car is called", UntilMs: ms(85_800)}, DeadlineMs: ms(85_800),
		Marks: []Transition{{At: "2026-03-04T02:31:03.050Z", From: "IDLE", To: "REQUESTING", Phase: "calling", Why: "lease granted"}},
	}
}
