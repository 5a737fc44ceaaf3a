package cli

import (
	_ "embed"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

//go:embed building.yaml
var sampleBuilding string

// plan is a building file: where its lifts answer, and the building with its people.
type plan struct {
	lifts []served
	conf  building.Config
	b     *building.Building
}

// served is one lift of a building file and where it answers.
type served struct {
	id      string
	at      []place
	manners devices.Manners
	web     devices.WebManners
	pushes  string
	face    devices.Face // nil: the map of the bench lift
}

// place is one wire that a lift is on.
type place struct {
	url  *url.URL
	unit uint8
}

// wire tells the places apart that are one socket or one line; "" is one of its own.
func (p place) wire() string {
	if p.url.Port() == "0" || p.url.Host == "" {
		return ""
	}
	return p.url.Scheme + "://" + p.url.Host
}

// maxLifts is what one building holds.
const maxLifts = 64

func buildingSchema() strict.Schema {
	landing := strict.Keys(
		strict.Key{Name: "label", Required: true, Schema: strict.Of(strict.Name).In(1, 16)},
		strict.Key{Name: "wire", Required: true, Schema: strict.Of(strict.Int).In(1, 16)},
		strict.Key{Name: "height_m", Required: true, Schema: strict.Of(strict.Float).In(-200, 1000)},
		strict.Key{Name: "doors", Schema: strict.ListOf(strict.OneOf("front", "rear"), 1, 2)},
	)
	span := func(name, fallback string) strict.Key {
		return strict.Key{Name: name, Default: fallback, Schema: strict.Of(strict.Duration).Within(0, time.Minute)}
	}
	rate := func(name, fallback string, hi float64) strict.Key {
		return strict.Key{Name: name, Default: fallback, Schema: strict.Of(strict.Float).In(0.05, hi)}
	}
	lift := strict.Keys(
		strict.Key{Name: "id", Required: true, Schema: strict.Of(strict.Name).Matching(`^[A-Za-z0-9_-]{1,32}$`, "letters, digits, - and _, 32 at most")},
		strict.Key{Name: "serve", Required: true, Schema: strict.Of(strict.Text)},
		strict.Key{Name: "also", Schema: strict.ListOf(strict.Of(strict.Text), 1, 8)},
		strict.Key{Name: "floors", Required: true, Schema: strict.ListOf(landing, 2, 16)},
		strict.Key{Name: "start", Schema: strict.Of(strict.Name)},
		strict.Key{Name: "recall", Schema: strict.Of(strict.Name)},
		rate("speed_m_s", "2.5", 20), rate("accel_m_s2", "1.0", 3), rate("jerk_m_s3", "1.4", 10),
		span("start_delay", "500ms"), span("levelling", "700ms"),
		span("door_open", "1800ms"), span("door_close", "2400ms"), span("dwell", "2s"),
		span("advance_opening", "0s"), span("nudge", "6s"), span("nudge_after", "20s"),
		strict.Key{Name: "rated_kg", Default: "630", Schema: strict.Of(strict.Int).In(100, 20000)},
		strict.Key{Name: "device", Schema: deviceSchema()},
	)
	return strict.Keys(append(useSchema(), strict.Key{Name: "lifts", Required: true, Schema: strict.ListOf(lift, 1, maxLifts)})...)
}

// deviceSchema is how a lift's controller is built, see [devices.Manners].
func deviceSchema() strict.Schema {
	span := func(name string, hi time.Duration) strict.Key {
		return strict.Key{Name: name, Default: "0s", Schema: strict.Of(strict.Duration).Within(0, hi)}
	}
	flag := func(name string) strict.Key {
		return strict.Key{Name: name, Default: "false", Schema: strict.Of(strict.Bool)}
	}
	return strict.Keys(
		strict.Key{Name: "profile", Schema: strict.Of(strict.Name)},
		span("answer_delay", time.Minute), span("turnaround", time.Minute), span("byte_pause", time.Second),
		strict.Key{Name: "max_registers", Default: "125", Schema: strict.Of(strict.Int).In(1, 125)},
		strict.Key{Name: "lacks", Schema: strict.ListOf(strict.OneOf("3", "4", "6", "16"), 0, 4)},
		strict.Key{Name: "other_unit", Default: "usual", Schema: strict.OneOf("usual", "silence", "exception")},
		flag("one_connection"), flag("closes_after_answer"),
		strict.Key{Name: "service", Schema: serviceSchema()},
	)
}

// readBuilding reads a building file. Every fault comes with its place.
func readBuilding(file string, src []byte) (plan, []strict.Fault) {
	schema := buildingSchema()
	root, faults := strict.Read(file, src, &schema)
	if root == nil {
		return plan{}, faults
	}
	var p plan
	seen, taken := map[string]bool{}, map[string]string{}
	for _, v := range root.Get("lifts").Items() {
		id := v.Get("id").Text()
		faults = append(faults, lone(seen, v.Get("id"), "a lift with this id stands above", "give each lift an id of its own")...)
		at, more := placesOf(v, id, taken)
		faults = append(faults, more...)
		face, more := faceOf(file, v, at)
		faults = append(faults, more...)
		p.lifts = append(p.lifts, served{id: id, at: at, manners: mannersOf(v.Get("device")), web: webManners(v.Get("device").Get("service")), pushes: v.Get("device").Get("service").Get("pushes").Text(), face: face})
		p.conf.Cars = append(p.conf.Cars, carOf(v))
	}
	if faults = append(faults, useOf(root, &p.conf)...); len(faults) > 0 {
		return p, strict.Sort(faults)
	}
	var err error
	if p.b, err = building.New(p.conf); err != nil {
		return p, []strict.Fault{root.Fault(err.Error(), "")}
	}
	people := root.Get("people")
	if err = populate(p.b, people); err != nil {
		return p, []strict.Fault{people.Fault(err.Error(), "people come to one group, or to lifts of the same landings; where there are two, in the mix two-way")}
	}
	return p, nil
}

// lone asks that a value is the first of its name.
func lone(seen map[string]bool, v *strict.Value, msg, hint string) (faults []strict.Fault) {
	if v.OK() && seen[v.Text()] {
		faults = append(faults, v.Fault(msg, hint))
	}
	seen[v.Text()] = true
	return faults
}

// placesOf reads where a lift answers. taken has the lift on each unit of a wire.
func placesOf(v *strict.Value, id string, taken map[string]string) (at []place, faults []strict.Fault) {
	for _, w := range append([]*strict.Value{v.Get("serve")}, v.Get("also").Items()...) {
		p, fault := servedAt(w)
		if fault != nil {
			faults = append(faults, *fault)
		}
		if p == nil {
			continue
		}
		if wire := p.wire(); wire != "" && !isWeb(p.url) && !isBus(p.url) {
			seat := fmt.Sprintf("%s?unit=%d", wire, p.unit)
			if other := taken[seat]; other != "" {
				faults = append(faults, w.Fault("lift "+other+" answers there already", "give each lift of a wire its own unit"))
			}
			taken[seat] = id
		}
		at = append(at, *p)
	}
	return at, faults
}

func mannersOf(v *strict.Value) devices.Manners {
	if !v.Given() {
		return devices.Manners{}
	}
	m := devices.Manners{
		AnswerDelay: v.Get("answer_delay").Duration(), Turnaround: v.Get("turnaround").Duration(),
		BytePause: v.Get("byte_pause").Duration(), MaxRegisters: v.Get("max_registers").Int(),
		OneConnection: v.Get("one_connection").Bool(), ClosesAfterAnswer: v.Get("closes_after_answer").Bool(),
	}
	for _, fn := range v.Get("lacks").Items() {
		switch fn.Text() {
		case "3":
			m.NoReadHoldings = true
		case "4":
			m.NoReadInputs = true
		case "6":
			m.NoWriteOne = true
		case "16":
			m.NoWriteSeveral = true
		}
	}
	switch v.Get("other_unit").Text() {
	case "silence":
		m.OtherUnit = devices.OtherSilence
	case "exception":
		m.OtherUnit = devices.OtherException
	}
	return m
}

func carOf(v *strict.Value) building.Car {
	c := building.Car{
		ID: v.Get("id").Text(), Start: v.Get("start").Text(), Recall: v.Get("recall").Text(),
		Limits:     building.Limits{Speed: v.Get("speed_m_s").Float(), Accel: v.Get("accel_m_s2").Float(), Jerk: v.Get("jerk_m_s3").Float()},
		StartDelay: v.Get("start_delay").Duration(), Levelling: v.Get("levelling").Duration(),
		DoorOpen: v.Get("door_open").Duration(), DoorClose: v.Get("door_close").Duration(),
		AdvanceOpening: v.Get("advance_opening").Duration(),
		Nudge:          v.Get("nudge").Duration(), NudgeAfter: v.Get("nudge_after").Duration(),
		DwellCar: v.Get("dwell").Duration(), DwellLanding: v.Get("dwell").Duration(), RatedKg: v.Get("rated_kg").Int(),
	}
	for _, f := range v.Get("floors").Items() {
		l := building.Landing{Label: f.Get("label").Text(), Wire: f.Get("wire").Int(), HeightMM: int(f.Get("height_m").Float() * 1000)}
		var doors []string
		for _, d := range f.Get("doors").Items() {
			doors = append(doors, d.Text())
		}
		l.Doors, _ = building.SidesOf(doors) // the schema admits no other words
		c.Landings = append(c.Landings, l)
	}
	if c.Start == "" && len(c.Landings) > 0 {
		c.Start = c.Landings[0].Label
	}
	if c.Recall == "" && len(c.Landings) > 0 {
		c.Recall = c.Landings[0].Label
	}
	return c
}

// servedAt reads one place where a lift answers. Only loopback is served.
func servedAt(v *strict.Value) (*place, *strict.Fault) {
	bad := func(msg, hint string) (*place, *strict.Fault) {
		f := v.Fault(msg, hint)
		return nil, &f
	}
	if !v.OK() {
		return nil, nil
	}
	u, err := url.Parse(v.Text())
	if err != nil {
		return bad("not an address", "modbus+tcp://127.0.0.1:1502?unit=1 or modbus+rtu://?unit=1")
	}
	unit := 1
	if q := u.Query().Get("unit"); q != "" {
		if unit, err = strconv.Atoi(q); err != nil || unit < 1 || unit > 247 {
			return bad("unit "+q+" is not a Modbus unit", "1 to 247")
		}
	}
	if isBoard(u.Scheme) {
		if fault := boardAt(v, u); fault != nil {
			return nil, fault
		}
		return &place{url: u, unit: uint8(unit)}, nil
	}
	switch u.Scheme {
	case "modbus+rtu":
		if u.Path != "" {
			return bad("a line has a name, not a path", "modbus+rtu://bus1?unit=1; lifts with one name share a line")
		}
	case "modbus+tcp", "http", "ws", "opc.tcp", "mqtt":
		if msg, hint := wrongBus(u); isBus(u) && msg != "" {
			return bad(msg, hint)
		}
		if msg, hint := wrongWeb(u); isWeb(u) && msg != "" {
			return bad(msg, hint)
		}
		host, _, err := net.SplitHostPort(u.Host)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return bad("only a loopback address with a port is served", "modbus+tcp://127.0.0.1:1502?unit=1")
		}
	default:
		return bad("no such protocol "+strconv.Quote(u.Scheme), "modbus+tcp, modbus+rtu, http, ws, opc.tcp or mqtt, and for boards serial, serial+tcp or serial+udp")
	}
	return &place{url: u, unit: uint8(unit)}, nil
}
