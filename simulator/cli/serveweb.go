package cli

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/simulator/devices"
)

// webPlace is how a service is named and reached: the scheme and shape of the building
// file, and what a link to it looks like.
type webPlace struct {
	kind string // as people call it
	path string // of links
	lift string // the word of a link that names the lift
}

var webPlaces = map[string]map[devices.WebShape]webPlace{
	"http": {
		devices.ShapeBench: {"HTTP", "", "lift"},
		devices.ShapeYunR:  {"HTTP, yun-r", "/api/cloud", "device"},
		shapePush:          {"HTTP, pushes", "", "lift"},
	},
	"ws": {
		devices.ShapeLiftAuth: {"WebSocket, LiftAuth", "", "lift"},
		devices.ShapeKONE:     {"WebSocket, KONE", "", "deck"},
	},
}

// webShape is the shape that a place is to speak; "" is the first of its scheme.
func webShape(u *url.URL) devices.WebShape {
	if s := devices.WebShape(u.Query().Get("shape")); s != "" {
		return s
	}
	return map[string]devices.WebShape{"http": devices.ShapeBench, "ws": devices.ShapeLiftAuth}[u.Scheme]
}

func isWeb(u *url.URL) bool { return webPlaces[u.Scheme] != nil }

// wrongWeb says what is wrong with a place, "" for nothing.
func wrongWeb(u *url.URL) (msg, hint string) {
	if _, ok := webPlaces[u.Scheme][webShape(u)]; !ok {
		return fmt.Sprintf("no service of shape %q over %s", webShape(u), u.Scheme), "http has bench, yun-r and push, ws has liftauth and kone"
	}
	return wrongPush(u)
}

// serviceSchema is how a service is built or goes wrong, see [devices.WebManners].
func serviceSchema() strict.Schema {
	span := func(name string, hi time.Duration) strict.Key {
		return strict.Key{Name: name, Default: "0s", Schema: strict.Of(strict.Duration).Within(0, hi)}
	}
	flag := func(name string) strict.Key {
		return strict.Key{Name: name, Default: "false", Schema: strict.Of(strict.Bool)}
	}
	return strict.Keys(
		span("answer_delay", time.Minute), flag("login_page"), flag("error_body"),
		strict.Key{Name: "quota", Default: "0", Schema: strict.Of(strict.Int).In(0, 10_000)},
		strict.Key{Name: "quota_as", Default: "429", Schema: strict.OneOf("429", "401")},
		span("retry_after", time.Hour), span("drip", time.Second), flag("drop_calls"),
		span("token_life", 24*time.Hour), span("socket_life", 24*time.Hour),
		strict.Key{Name: "pushes", Default: "well", Schema: strict.OneOf(pushWords()...)},
	)
}

func webManners(v *strict.Value) devices.WebManners {
	m := devices.WebManners{
		AnswerDelay: v.Get("answer_delay").Duration(), LoginPage: v.Get("login_page").Bool(), ErrorBody: v.Get("error_body").Bool(),
		Quota: v.Get("quota").Int(), QuotaAs: 429, RetryAfter: v.Get("retry_after").Duration(), Drip: v.Get("drip").Duration(),
		DropCalls: v.Get("drop_calls").Bool(), TokenLife: v.Get("token_life").Duration(), SocketLife: v.Get("socket_life").Duration(),
	}
	if v.Get("quota_as").Text() == "401" {
		m.QuotaAs = 401
	}
	return m
}

// raiseWeb puts lifts behind a service and says what links to them look like.
func (r *raised) raiseWeb(world *devices.World, seats []seat, out io.Writer) error {
	at, shape := seats[0].url, webShape(seats[0].url)
	if shape == shapePush {
		return r.raisePush(world, seats, out)
	}
	place := webPlaces[at.Scheme][shape]
	var cars []string
	for _, s := range seats {
		cars = append(cars, s.lift)
	}
	web, err := devices.ServeWeb(world, net.Listen, at.Host, shape, cars...)
	if err != nil {
		return err
	}
	web.Behave(seats[0].web)
	r.closers = append(r.closers, web)
	for i, car := range cars {
		r.lifts = append(r.lifts, &namedWire{lift: car, kind: place.kind, wire: web.Lift(car)})
		name := car
		if shape == devices.ShapeKONE {
			name = fmt.Sprint(1001010 + 10*i)
		}
		fmt.Fprintf(out, "%s %s://%s%s?%s=%s\n", car, at.Scheme, web.Addr(), place.path, place.lift, name)
	}
	fmt.Fprintf(out, "    it lets in %s with %s\n", devices.WebClient, devices.WebSecret)
	return nil
}
