package config

import (
	"encoding/base64"

	"hoistway/drivers/profiles/strict"
)

// build carries a tree without faults, or the defaults, over into a Config.
func build(root *strict.Value) *Config {
	c := &Config{
		Device:   buildDevice(root.Get("device")),
		Rides:    buildRides(root.Get("rides")),
		API:      buildAPI(root.Get("api")),
		Cloud:    buildCloud(root.Get("cloud")),
		RMF:      buildRMF(root.Get("rmf")),
		Store:    Store{Dir: root.Get("store").Get("dir").Text()},
		Profiles: Profiles{Dir: root.Get("profiles").Get("dir").Text()},
	}
	for _, l := range root.Get("lifts").Items() {
		c.Lifts = append(c.Lifts, buildLift(l))
	}
	if c.Device.OnRobot() {
		c.Robot = buildAboard(root.Get("robot"))
	}
	for _, r := range root.Get("robots").Items() {
		c.Robots = append(c.Robots, buildRobot(r))
	}
	return c
}

func buildDevice(v *strict.Value) Device {
	site := v.Get("site")
	return Device{
		Serial: v.Get("serial").Text(), Kind: v.Get("kind").Text(),
		Site: Site{Campus: site.Get("campus").Text(), Building: site.Get("building").Text()},
	}
}

func buildLift(v *strict.Value) Lift {
	car := v.Get("car")
	l := Lift{
		ID: v.Get("id").Text(), Profile: v.Get("profile").Text(), Link: v.Get("link").Text(),
		Group: v.Get("group").Text(), RecallFloor: v.Get("recall_floor").Text(), SafeFloor: v.Get("safe_floor").Text(),
		Area: v.Get("area").Text(), Deck: v.Get("deck").Text(),
		Sharing: v.Get("sharing").Text(), RobotSight: v.Get("robot_sight").Text(), AcceptNoEnd: v.Get("accept_no_end").Text(),
		Car: Car{
			ID: car.Get("id").Text(), WidthM: car.Get("width_m").Float(), DepthM: car.Get("depth_m").Float(),
			DoorM: car.Get("door_m").Float(), LoadKg: car.Get("load_kg").Int(),
		},
	}
	if l.Group == "" {
		l.Group = l.ID
	}
	for _, f := range v.Get("floors").Items() {
		row := Floor{Label: f.Get("label").Text(), Wire: f.Get("wire").Int(), Closed: f.Get("robots").Text() == "refused"}
		for _, d := range f.Get("doors").Items() {
			row.Doors = append(row.Doors, d.Text())
		}
		l.Floors = append(l.Floors, row)
	}
	return l
}

func buildRides(v *strict.Value) Rides {
	return Rides{
		WaitTimeout: v.Get("wait_timeout").Duration(), Retries: v.Get("retries").Int(),
		HoldLimit: v.Get("hold_limit").Duration(), HoldRenew: v.Get("hold_renew").Duration(),
		Expiry: v.Get("expiry").Duration(), Standby: v.Get("standby").Duration(),
	}
}

func buildRobot(v *strict.Value) Robot {
	r := Robot{
		ID: v.Get("id").Text(), TokenSHA256: v.Get("token_sha256").Text(),
		Crossing: v.Get("crossing").Duration(), MassKg: v.Get("mass_kg").Int(),
	}
	for i, side := range v.Get("footprint_m").Items() {
		r.FootprintM[i] = side.Float()
	}
	return r
}

func buildAboard(v *strict.Value) Aboard {
	return Aboard{Displacement: v.Get("displacement").Text(), Every: v.Get("every").Duration(), Timeout: v.Get("timeout").Duration()}
}

func buildAPI(v *strict.Value) API {
	a := API{Listen: v.Get("listen").Text()}
	if t := v.Get("tls"); t.Given() {
		a.TLS = &TLS{Listen: t.Get("listen").Text(), CertFile: t.Get("cert_file").Text(), KeyFile: t.Get("key_file").Text()}
	}
	for _, t := range v.Get("technicians").Items() {
		a.Technicians = append(a.Technicians, Technician{t.Get("name").Text(), t.Get("token_sha256").Text()})
	}
	return a
}

func buildCloud(v *strict.Value) *Cloud {
	if !v.Given() {
		return nil
	}
	broker, _ := parseBroker(v.Get("broker").Text())
	c := &Cloud{
		Broker: broker, Flavour: v.Get("flavour").Text(), ConnectSpread: v.Get("connect_spread").Duration(),
		CAFile: v.Get("ca_file").Text(), CertFile: v.Get("cert_file").Text(), KeyFile: v.Get("key_file").Text(),
		Username: v.Get("username").Text(), PasswordFile: v.Get("password_file").Text(),
	}
	for _, o := range v.Get("operators").Items() {
		key, _ := base64.StdEncoding.DecodeString(o.Get("key").Text()) // the schema has seen to its form
		c.Operators = append(c.Operators, Operator{o.Get("name").Text(), key})
	}
	return c
}

func buildRMF(v *strict.Value) *RMF {
	if !v.Given() {
		return nil
	}
	r := &RMF{
		Prefix: v.Get("prefix").Text(),
		CAFile: v.Get("ca_file").Text(), CertFile: v.Get("cert_file").Text(), KeyFile: v.Get("key_file").Text(),
		Username: v.Get("username").Text(), PasswordFile: v.Get("password_file").Text(),
	}
	if v.Get("broker").Given() {
		r.Broker, _ = parseBroker(v.Get("broker").Text())
	}
	for _, s := range v.Get("robots").Items() {
		r.Sessions = append(r.Sessions, Session{s.Get("session").Text(), s.Get("robot").Text()})
	}
	return r
}
