package cli

import (
	"io"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/fleet"
)

// SM-5: a figure of 0 on the command line is none, and not the usual one.
func TestAFleetAsGiven(t *testing.T) {
	o, err := asGiven(fleet.Options{Gateways: 1, Broker: "mqtt://127.0.0.1:1", OnlinePercent: 97})
	if err != nil || o.DropsPerHour >= 0 || o.RidesPerDay >= 0 || o.Spread >= 0 || o.OnlinePercent != 97 {
		t.Errorf("taken as %+v, %v", o, err)
	}
	o, err = asGiven(fleet.Options{Gateways: 1, Broker: "mqtt://127.0.0.1:1", OnlinePercent: 50, DropsPerHour: 2, RidesPerDay: 3, Spread: time.Second})
	if err != nil || o.DropsPerHour != 2 || o.RidesPerDay != 3 || o.Spread != time.Second || o.OnlinePercent != 50 {
		t.Errorf("taken as %+v, %v", o, err)
	}
}

// SM-5: a broker that is not there is named by its code.
func TestAFleetWithoutABroker(t *testing.T) {
	var told strings.Builder
	args := []string{"fleet", "--gateways", "1", "--broker", "mqtt://127.0.0.1:1"}
	if got := Main(args, nil, io.Discard, &told); got != exitReach || !strings.Contains(told.String(), "E-8107") {
		t.Errorf("ended with %d: %s", got, told.String())
	}
}

// SM-5: options that cannot be are wrong usage, said before a broker is asked.
func TestAFleetThatCannotBe(t *testing.T) {
	for flags, says := range map[string]string{
		"--storms 1 --for 0s": "a life that has an end", "--broker http://127.0.0.1:1": "mqtt://", "--broker mqtt://": "mqtt://",
	} {
		var told strings.Builder
		args := append([]string{"fleet", "--cloud", "--broker", "mqtt://127.0.0.1:1"}, strings.Fields(flags)...)
		if got := Main(args, nil, io.Discard, &told); got != exitUsage || !strings.Contains(told.String(), says) {
			t.Errorf("%s ended with %d: %s", flags, got, told.String())
		}
	}
}
