package cli

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"slices"

	"hoistway/simulator/devices"
)

// shapePush is a service that pushes what changes to an address.
const shapePush devices.WebShape = "push"

// pushing are the words of a building file for how a service pushes.
func pushing() map[string]devices.PushManners {
	return map[string]devices.PushManners{
		"well": {}, "twice": {Twice: true}, "backwards": {Backwards: true}, "missing": {Miss: true}, "losing": {Lose: true},
		"by_queue": {ByQueue: true}, "wrong_sign": {WrongSign: true},
	}
}

func pushWords() []string { return slices.Sorted(maps.Keys(pushing())) }

// wrongPush says what is wrong with the address that a lift is to push to, "" for nothing.
func wrongPush(u *url.URL) (msg, hint string) {
	to := u.Query().Get("to")
	if to == "" {
		return "", ""
	}
	if webShape(u) != shapePush {
		return "only a service of shape push pushes to an address", "http://127.0.0.1:0?shape=push&to=" + to
	}
	at, err := url.Parse(to)
	if err != nil || at.Scheme != "http" || at.Port() == "" || !loopback(at.Host) {
		return fmt.Sprintf("%s is no address that is pushed to: only loopback is", to), "to=http://127.0.0.1:8080/v1/webhooks/L1: the gateway's door for this lift"
	}
	return "", ""
}

// raisePush puts lifts behind a pushing service. Each has an address of its own to be told
// at, or none: then what it tells can be asked for.
func (r *raised) raisePush(world *devices.World, seats []seat, out io.Writer) error {
	var cars []string
	for _, s := range seats {
		cars = append(cars, s.lift)
	}
	p, err := devices.ServePush(world, net.Listen, seats[0].url.Host, cars...)
	if err != nil {
		return err
	}
	p.Behave(pushing()[seats[0].pushes])
	r.closers = append(r.closers, p)
	for _, s := range seats {
		r.lifts = append(r.lifts, &namedWire{lift: s.lift, kind: webPlaces["http"][shapePush].kind, wire: p.Lift(s.lift)})
		fmt.Fprintf(out, "%s http://%s?lift=%s&attach=sim\n", s.lift, p.Addr(), s.lift)
		if to := s.url.Query().Get("to"); to != "" {
			p.PushTo(s.lift, to)
		}
	}
	fmt.Fprintf(out, "    its secrets are access=%s app_key=%s app_secret=%s\n", devices.PushAccess, devices.PushKey, devices.PushSecret)
	return nil
}
