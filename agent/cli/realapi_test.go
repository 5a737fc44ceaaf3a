package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/hooks"
	"hoistway/agent/localapi"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// The canned answers of testdata/cases are ours. Here the words come from the real
// local API, over a view of one lift that nobody has heard of yet and a backend
// that takes every order.
func TestAgainstTheRealLocalAPI(t *testing.T) {
	for _, c := range []struct {
		args  string
		token string
		exit  int
		out   []string // each must be there
		errs  string
	}{
		{"lifts", "", 0, []string{"L1    -     -      -"}, ""},
		{"lifts L1", "", 0, []string{"floors", "G (front)  1 (front)", "mode", "link"}, ""},
		{"lifts L9", "", 1, nil, "hoistway: E-2005: no such lift: "},
		{"lifts outputs L1", "", 0, []string{"nothing is asked of L1"}, ""},
		{"lifts outputs L9", "", 1, nil, "hoistway: E-2005: no such lift: "},
		{"rides", "", 0, []string{"r1    R1     L1    G     1   WAITING"}, ""},
		{"ride r1", "", 0, []string{"WAITING · called", "G front", "1 front"}, ""},
		{"ride r9", "", 1, nil, "hoistway: E-2006: no such ride: "},
		{"faults", "", 1, []string{"E-6001  OFFLINE  L1"}, ""},
		{"shadow", "", 0, []string{"cloud: not configured"}, ""},
		{"status", "", 1, []string{"ready   no: L1 was never heard", "1 running"}, ""},
		{"status --json", "", 1, []string{`"ready": false`, `"ride_id": "r1"`}, ""},
		{"ride call --robot R1 --lift L1 G 1", "", 1, nil, "hoistway: E-2003: no token, or a wrong one"},
		{"ride call --robot R1 --lift L1 G 1", "wrong", 1, nil, "hoistway: E-2003: no token, or a wrong one"},
		{"ride call --robot R1 --lift L1 G 9", "tech", 1, nil, "hoistway: E-2101: unknown floor: "},
		{"ride call --robot R1 --lift L1 G G", "tech", 1, nil, "hoistway: E-2102: from equals to: "},
		{"ride call --robot R1 --lift L9 G 1", "tech", 1, nil, "hoistway: E-2103: unknown lift in a request: "},
		{"ride call --robot R7 G 1", "tech", 1, nil, "hoistway: E-2007: no such robot: "},
		{"ride call --robot R1 --priority 99 G 1", "tech", 1, nil, "hoistway: E-2112: a value is out of range: "},
		{"ride call --robot R1 --lift L1 --id r1 --task T1 --standby --from-door front G 1", "tech", 0, []string{"ride        r1"}, ""},
		{"ride cancel r1", "tech", 0, []string{"ride        r1"}, ""},
		{"ride cancel r9", "tech", 1, nil, "hoistway: E-2006: no such ride: "},
		{"ride to r1 1", "tech", 0, []string{"ride        r1"}, ""},
		{"ride to r1 9", "tech", 1, nil, "hoistway: E-2101: unknown floor: "},
		{"ride to r1 1 --door rear", "tech", 1, nil, "hoistway: E-2104: that door does not open there: "},
		{"ride to r1 1", "", 1, nil, "hoistway: E-2003: no token, or a wrong one"},
		{"lifts maintenance L1 --for 4h", "tech", 0, []string{"lift            L1"}, ""},
		{"lifts maintenance L1 --end", "tech", 0, []string{"lift            L1"}, ""},
		{"lifts maintenance L1 --until tomorrow", "tech", 1, nil, "hoistway: E-2112: a value is out of range: "},
		{"lifts maintenance L9", "tech", 1, nil, "hoistway: E-2005: no such lift: "},
		{"lifts maintenance L1 --for 10ms", "tech", 2, nil, "hoistway: E-1102: --for must be at least 1s"},
		{"lifts empty L1 --seen-by Weber", "tech", 0, []string{"lift            L1"}, ""},
		{"lifts empty L1 --seen-by Weber", "", 1, nil, "hoistway: E-2003: no token, or a wrong one"},
		{"stop", "tech", 0, []string{"L1    -     -      -"}, ""},
		{"stop L9", "tech", 1, nil, "hoistway: E-2103: unknown lift in a request: "},
		{"stop --end", "", 1, nil, "hoistway: E-2003: no token, or a wrong one"},
		{"areas", "", 0, []string{"A     L1     none"}, ""},
		{"areas clear A --seen-by Weber", "tech", 0, []string{"cleared  area A  L1"}, ""},
		{"areas clear B --seen-by Weber", "tech", 1, nil, "hoistway: E-2020: no such area: "},
		{"webhooks L1", "", 0, []string{"pushed  nothing"}, ""},
		{"webhooks enable L1", "", 1, nil, "hoistway: E-2003: no token, or a wrong one"},
		{"webhooks enable L1", "tech", 1, nil, "hoistway: E-6037: nothing is pushed for this lift"},
		{"ride reset r1 --robot-is outside --seen-by Weber", "tech", 0, []string{"ride        r1"}, ""},
	} {
		t.Run(c.args, func(t *testing.T) {
			env := map[string]string{envAPI: realAPI(t), envToken: c.token}
			exit, out, errs := asked(env, strings.Fields(c.args)...)
			if exit != c.exit || !strings.HasPrefix(errs, c.errs) || (c.errs == "" && errs != "") {
				t.Fatalf("exit %d\n%s%s", exit, out, errs)
			}
			for _, want := range c.out {
				if !strings.Contains(out, want) {
					t.Errorf("%q is not in\n%s", want, out)
				}
			}
		})
	}
}

func realAPI(t *testing.T) string {
	t.Helper()
	hash := sha256.Sum256([]byte("tech"))
	pushes, err := hooks.New(hooks.Options{})
	if err != nil {
		t.Fatal(err)
	}
	api, err := localapi.New(localapi.Options{
		Pushes:  pushes,
		Backend: agreeable{}, Now: func() elevator.Instant { return elevator.Instant(time.Hour) }, Wall: time.Now,
		Robots:      []localapi.RobotAuth{{ID: "R1", Crossing: 8 * time.Second}},
		Technicians: []localapi.TechAuth{{Name: "t", TokenSHA256: hex.EncodeToString(hash[:])}},
		Ready:       func() (bool, []string) { return false, []string{"L1 was never heard"} },
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.Handler())
	t.Cleanup(server.Close)
	return server.URL
}

// agreeable takes every order about r1.
type agreeable struct{}

func (agreeable) View() *core.View {
	floors := elevator.Table{{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}}, {Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}}}
	ride := fsm.Ride{
		Request: fsm.Request{ID: "r1", Task: "T1", Robot: "R1", Lift: "L1", From: 1, To: 2, FromSide: elevator.Front, ToSide: elevator.Front},
		State:   fsm.Waiting, Phase: fsm.Called, Where: fsm.Outside, Battery: -1,
	}
	return &core.View{
		Seq: 1, At: elevator.Instant(time.Hour),
		Lifts:  []core.LiftView{{ID: "L1", Group: "L1", Area: "A", Floors: floors}},
		Areas:  []core.AreaView{{Area: "A", Lifts: []string{"L1"}}},
		Rides:  []core.RideView{{Ride: ride, Floors: floors}},
		Shadow: shadow.View{}, Params: fsm.DefaultParams(),
	}
}

func (agreeable) Ask(context.Context, core.Order) (core.Answer, error) {
	return core.Answer{Status: core.Existing, Ride: "r1"}, nil
}
