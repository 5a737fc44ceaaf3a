package localapi

import (
	"net/http"
	"strings"
	"testing"
)

// A call without a body is told what belongs into one, and not that its JSON broke off.
func TestNoBodyIsSaid(t *testing.T) {
	for _, c := range []struct{ path, body, want string }{
		{"/v1/lifts/L1/car-empty", "", "needs a body: one JSON object with seen_by"},
		{"/v1/lifts/L1/car-empty", " \n", "needs a body: one JSON object with seen_by"},
		{"/v1/rides/ride-1/reset", "", "robot_is"},
		{"/v1/lifts/L1/car-empty", `{"seen_by"`, "ends before it is complete"},
	} {
		h := newHouse(t)
		got := h.do(t, request{method: "POST", path: c.path, token: techToken, body: c.body})
		if got.status != http.StatusBadRequest || !strings.Contains(string(got.body), c.want) {
			t.Errorf("%s %q: %d %s\nwant %q", c.path, c.body, got.status, got.body, c.want)
		}
		if n := len(h.loop.asked()); n != 0 {
			t.Errorf("%s %q: %d orders reached the loop", c.path, c.body, n)
		}
	}
}
