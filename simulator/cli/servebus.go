package cli

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"

	"hoistway/simulator/devices"
)

// isBus reports a place on an OPC UA server or behind a broker.
func isBus(u *url.URL) bool { return u.Scheme == "opc.tcp" || u.Scheme == "mqtt" }

// wrongBus says what is wrong with such a place, "" for nothing.
func wrongBus(u *url.URL) (msg, hint string) {
	for name, vs := range u.Query() {
		if _, err := strconv.ParseBool(vs[0]); u.Scheme != "mqtt" || name != "strangers" || err != nil {
			return fmt.Sprintf("%s=%s is nothing that a lift on %s has", name, vs[0], u.Scheme), "mqtt has strangers=true: robots that are not registered may ask for the car's state"
		}
	}
	return "", ""
}

// raiseBus puts lifts on a server or behind a broker and says what links to them look like.
func (r *raised) raiseBus(world *devices.World, seats []seat, out io.Writer) error {
	at := seats[0].url
	if at.Scheme == "opc.tcp" {
		return r.raiseNodes(world, seats, out)
	}
	m := devices.LCIManner()
	m.TellsStrangers = at.Query().Get("strangers") == "true"
	var on []devices.LCISeat
	for i, s := range seats {
		on = append(on, devices.LCISeat{Car: s.lift, Building: "sim", Bank: "A", Elevator: strconv.Itoa(i + 1)})
	}
	s, err := devices.ServeLCI(world, net.Listen, at.Host, m, on...)
	if err != nil {
		return err
	}
	r.closers = append(r.closers, s)
	for _, x := range on {
		r.lifts = append(r.lifts, &namedWire{lift: x.Car, kind: "LCI", wire: s.Lift(x.Car)})
		fmt.Fprintf(out, "%s mqtt://%s?building=%s&bank=%s&elevator=%s\n", x.Car, s.Addr(), x.Building, x.Bank, x.Elevator)
	}
	return nil
}

func (r *raised) raiseNodes(world *devices.World, seats []seat, out io.Writer) error {
	var cars []string
	for _, s := range seats {
		cars = append(cars, s.lift)
	}
	n, err := devices.ServeNodes(world, seats[0].url.Host, cars...)
	if err != nil {
		return err
	}
	r.closers = append(r.closers, n)
	for _, car := range cars {
		r.lifts = append(r.lifts, &namedWire{lift: car, kind: "OPC UA", wire: n.Lift(car)})
		fmt.Fprintf(out, "%s opc.tcp://%s?base=%s\n", car, n.Addr(), n.Base(car))
	}
	return nil
}
