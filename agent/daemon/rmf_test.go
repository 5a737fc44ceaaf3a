package daemon

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"hoistway/agent/rmf"
	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

// site is the fleet's side of a site's broker.
type site struct {
	r    *rig
	link *mqttlink.Link
}

// withSite puts a broker beside the rig and a fleet on it.
func withSite(t *testing.T, r *rig) *site {
	t.Helper()
	at, stop := embedded(t, "127.0.0.1:0")
	t.Cleanup(stop)
	r.own = r.config() + fmt.Sprintf("rmf: {broker: 'mqtt://%s', prefix: rmf, robots: [{session: fleet/r1, robot: R1}]}\n", at)
	link, err := mqttlink.New(mqttlink.Options{Broker: "mqtt://" + at, ClientID: "fleet", Topics: []string{"rmf/lifts/+/state"}, LongestPause: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _ = link.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return &site{r, link}
}

// until says a request each second, as fleets do, until a state is as wanted.
func (s *site) until(what string, say func() rmf.LiftRequest, ok func(rmf.LiftState) bool) {
	s.r.t.Helper()
	end, again := time.After(patience), time.NewTicker(time.Second)
	defer again.Stop()
	var last []byte
	for {
		select {
		case <-end:
			s.r.t.Fatalf("%s never came; last seen %s", what, last)
		case <-again.C:
			if say != nil {
				raw, _ := json.Marshal(say())
				_ = s.link.Publish(context.Background(), shadow.Message{Topic: "rmf/lifts/L1/request", Payload: raw, QoS: 1})
			}
		case e := <-s.link.Events():
			if e.Kind != shadow.LinkMessage {
				continue
			}
			last = e.Message.Payload
			var state rmf.LiftState
			if err := json.Unmarshal(last, &state); err != nil {
				s.r.t.Fatal(err)
			}
			if ok(state) {
				return
			}
		}
	}
}

func asking(session string, kind rmf.RequestType, floor string) func() rmf.LiftRequest {
	return func() rmf.LiftRequest {
		now := time.Now()
		return rmf.LiftRequest{
			LiftName: "L1", RequestTime: rmf.Time{Sec: int32(now.Unix()), Nanosec: uint32(now.Nanosecond())},
			SessionID: session, RequestType: kind, DestinationFloor: floor, DoorState: rmf.DoorOpen,
		}
	}
}

// RB-2: the whole agent tells the same of a lift by the site's broker and by its own door.
func TestRMFStates(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	s := withSite(t, r)
	r.start()
	r.online()
	s.until("the lift's state", asking("stranger", rmf.RequestAGV, "3"), func(s rmf.LiftState) bool {
		return s.LiftName == "L1" && s.CurrentFloor != "" && s.CurrentMode == rmf.ModeHuman && s.SessionID == "" && len(s.AvailableFloors) == 5
	})
	var byDoor rmf.LiftState
	if err := r.get("/rmf/lifts/L1/state", &byDoor); err != nil || byDoor.CurrentFloor == "" || byDoor.SessionID != "" {
		t.Errorf("%+v %v", byDoor, err)
	}
	raw, _ := json.Marshal(asking("stranger", rmf.RequestAGV, "3")())
	if status, answer := r.post("/rmf/lifts/L1/request", string(raw)); status != http.StatusUnprocessableEntity {
		t.Errorf("%d %s", status, answer)
	}
}
