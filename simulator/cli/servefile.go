package cli

import (
	_ "embed"
	"net"
	"net/url"
	"strconv"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/simulator/building"
)

//go:embed building.yaml
var sampleBuilding string

// served is one lift of a building file and where it answers.
type served struct {
	car  building.Car
	at   *url.URL
	unit uint8
	from *strict.Value // its place in the file
}

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
		strict.Key{Name: "floors", Required: true, Schema: strict.ListOf(landing, 2, 16)},
		strict.Key{Name: "start", Schema: strict.Of(strict.Name)},
		strict.Key{Name: "recall", Schema: strict.Of(strict.Name)},
		rate("speed_m_s", "2.5", 20), rate("accel_m_s2", "1.0", 3), rate("jerk_m_s3", "1.4", 10),
		span("start_delay", "500ms"), span("levelling", "700ms"),
		span("door_open", "1800ms"), span("door_close", "2400ms"), span("dwell", "2s"),
		strict.Key{Name: "rated_kg", Default: "630", Schema: strict.Of(strict.Int).In(100, 20000)},
	)
	return strict.Keys(strict.Key{Name: "lifts", Required: true, Schema: strict.ListOf(lift, 1, 8)})
}

// readBuilding reads a building file. Every fault comes with its place.
func readBuilding(file string, src []byte) ([]served, []strict.Fault) {
	schema := buildingSchema()
	root, faults := strict.Read(file, src, &schema)
	if root == nil {
		return nil, faults
	}
	var out []served
	seen := map[string]bool{}
	for _, v := range root.Get("lifts").Items() {
		id := v.Get("id").Text()
		if seen[id] && id != "" {
			faults = append(faults, v.Get("id").Fault("a lift with this id stands above", "give each lift an id of its own"))
		}
		seen[id] = true
		at, unit, fault := servedAt(v.Get("serve"))
		if fault != nil {
			faults = append(faults, *fault)
		}
		out = append(out, served{car: carOf(v), at: at, unit: unit, from: v})
	}
	return out, faults
}

func carOf(v *strict.Value) building.Car {
	c := building.Car{
		ID: v.Get("id").Text(), Start: v.Get("start").Text(), Recall: v.Get("recall").Text(),
		Limits:     building.Limits{Speed: v.Get("speed_m_s").Float(), Accel: v.Get("accel_m_s2").Float(), Jerk: v.Get("jerk_m_s3").Float()},
		StartDelay: v.Get("start_delay").Duration(), Levelling: v.Get("levelling").Duration(),
		DoorOpen: v.Get("door_open").Duration(), DoorClose: v.Get("door_close").Duration(),
		Nudge: 6 * time.Second, NudgeAfter: 20 * time.Second,
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

// servedAt reads where a lift answers. Only loopback is served.
func servedAt(v *strict.Value) (*url.URL, uint8, *strict.Fault) {
	bad := func(msg, hint string) (*url.URL, uint8, *strict.Fault) {
		f := v.Fault(msg, hint)
		return nil, 0, &f
	}
	if !v.OK() {
		return nil, 0, nil
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
	switch u.Scheme {
	case "modbus+rtu":
	case "modbus+tcp":
		host, _, err := net.SplitHostPort(u.Host)
		if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
			return bad("only a loopback address with a port is served", "modbus+tcp://127.0.0.1:1502?unit=1")
		}
	default:
		return bad("no such protocol "+strconv.Quote(u.Scheme), "modbus+tcp or modbus+rtu")
	}
	return u, uint8(unit), nil
}
