package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"hoistway/agent/localapi"
)

func newStatusCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say in a few lines how the agent is",
		Long: `Say in a few lines how the agent is: readiness, lifts, rides, cloud and shadow.
The exit status is 1 when the agent is not ready.`,
		Example: `  hoistway status
  hoistway status --api https://gw-8842.example --token-file ~/.hoistway-token
  hoistway status --json`,
		Args: wants(),
	}
	q := a.asks(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return q.status(cmd) }
	return cmd
}

// state is everything that status looks at, as it came.
type state struct {
	API    string          `json:"api"`
	Ready  json.RawMessage `json:"ready"`
	Lifts  json.RawMessage `json:"lifts"`
	Rides  json.RawMessage `json:"rides"`
	Shadow json.RawMessage `json:"shadow"`
}

func (q *asking) status(cmd *cobra.Command) error {
	c, err := q.client()
	if err != nil {
		return err
	}
	s, err := c.state(cmd.Context())
	if err != nil {
		return err
	}
	return q.printStatus(s)
}

// state asks for everything at once. Not being ready is an answer, too.
func (c *client) state(ctx context.Context) (state, error) {
	s := state{API: c.base.String()}
	for _, want := range []struct {
		path string
		into *json.RawMessage
	}{{"/readyz", &s.Ready}, {at("lifts"), &s.Lifts}, {at("rides"), &s.Rides}, {at("shadow"), &s.Shadow}} {
		also := 0
		if want.path == "/readyz" {
			also = http.StatusServiceUnavailable
		}
		var err error
		if *want.into, err = c.get(ctx, want.path, also); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (q *asking) printStatus(s state) error {
	ready, err := read[localapi.Ready](s.Ready, nil)
	if err != nil {
		return err
	}
	t, err := statusTable(s, ready)
	switch {
	case err != nil:
		return err
	case q.json:
		err = q.app.printValue(s)
	default:
		err = t.print(q.app.out)
	}
	if err == nil && !ready.Ready {
		err = errFindings
	}
	return err
}

func statusTable(s state, ready localapi.Ready) (*table, error) {
	lifts, err := read[[]localapi.Lift](s.Lifts, nil)
	if err != nil {
		return nil, err
	}
	rides, err := read[[]localapi.Ride](s.Rides, nil)
	if err != nil {
		return nil, err
	}
	shadow, err := read[localapi.Shadow](s.Shadow, nil)
	if err != nil {
		return nil, err
	}
	t := &table{}
	t.row("agent", s.API)
	t.row("ready", readiness(ready))
	t.row("lifts", liftSummary(lifts))
	t.row("rides", rideSummary(rides))
	t.row("cloud", cloudSummary(shadow))
	t.row("shadow", shadowSummary(shadow))
	if text := settingsSummary(shadow); text != "" {
		t.row("settings", text)
	}
	return t, nil
}

func readiness(r localapi.Ready) string {
	if len(r.Reasons) == 0 {
		return yes(r.Ready)
	}
	return yes(r.Ready) + ": " + strings.Join(r.Reasons, "; ")
}

func liftSummary(lifts []localapi.Lift) string {
	online, accepting := 0, 0
	for _, l := range lifts {
		if l.Link == "online" {
			online++
		}
		if l.Accepting {
			accepting++
		}
	}
	return fmt.Sprintf("%d, %d online, %d accepting rides", len(lifts), online, accepting)
}

// rideSummary counts rides that have not ended.
func rideSummary(rides []localapi.Ride) string {
	running, queued, fault := 0, 0, 0
	for _, r := range rides {
		switch r.State {
		case "IDLE":
			queued++
		case "FAULT", "FAULT_LOCKED":
			fault++
		case "DONE":
		default:
			running++
		}
	}
	return fmt.Sprintf("%d running, %d waiting, %d in fault", running, queued, fault)
}

func cloudSummary(s localapi.Shadow) string {
	if !s.Configured {
		return "not configured"
	}
	out := "not connected"
	if s.Connected {
		out = fmt.Sprintf("connected, session %d", s.Session)
	}
	return out + besideSummary(s.Beside)
}

// besideSummary names what is not as it should be.
func besideSummary(b localapi.ShadowBeside) (out string) {
	if b.EventsWaiting > 0 {
		out += ", " + count(b.EventsWaiting, "event") + " to tell"
	}
	if b.EventsDropped > 0 {
		out += fmt.Sprintf(", %d dropped", b.EventsDropped)
	}
	if b.DriftS != nil && (*b.DriftS > 5 || *b.DriftS < -5) {
		out += fmt.Sprintf(", this clock is %+d s off the cloud's", *b.DriftS)
	}
	return out
}

func shadowSummary(s localapi.Shadow) string {
	if !s.Configured {
		return ""
	}
	settled := 0
	for _, d := range s.Shadows {
		if d.Sync == "converged" || d.Sync == "settled" {
			settled++
		}
	}
	return fmt.Sprintf("%s, %d in agreement with the cloud", count(len(s.Shadows), "document"), settled)
}
