package config

import (
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// Bounds of a configuration.
const (
	maxLifts       = 16
	maxRobots      = 256
	maxTechnicians = 64
	maxSessions    = 256
	maxOperators   = 64
)

// Schema is what a configuration may hold.
func Schema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "device", Required: true, Doc: "who this gateway is", Schema: deviceSchema()},
		strict.Key{Name: "lifts", Required: true, Doc: "the lifts that it runs", Schema: strict.ListOf(liftSchema(), 1, maxLifts)},
		strict.Key{Name: "profiles", Doc: "vendor profiles of the site's own", Schema: strict.Keys(
			strict.Key{Name: "dir", Default: DefaultProfiles, Doc: "a folder; a profile in it goes before the bundled one of the same id", Schema: path()},
		)},
		strict.Key{Name: "rides", Doc: "limits of a ride", Schema: ridesSchema()},
		strict.Key{Name: "robots", Doc: "the robots that may ride; absent is none", Schema: strict.ListOf(robotSchema(), 0, maxRobots)},
		strict.Key{Name: "robot", Doc: "what the agent of a robot knows of its own; with kind: robot only", Schema: aboardSchema()},
		strict.Key{Name: "api", Doc: "the local HTTP door", Schema: apiSchema()},
		strict.Key{Name: "cloud", Doc: "the broker of the shadow service; absent is no cloud", Schema: cloudSchema()},
		strict.Key{Name: "rmf", Doc: "Open-RMF; absent is by the local API alone", Schema: rmfSchema()},
		strict.Key{Name: "store", Doc: "where the agent keeps its state", Schema: strict.Keys(
			strict.Key{Name: "dir", Default: "/var/lib/hoistway", Doc: "a folder; a relative path is taken from the working folder", Schema: path()},
		)},
	)
}

func deviceSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "serial", Required: true, Doc: "its name in the cloud, such as GW-8842", Schema: name(`^[A-Za-z0-9:_-]{1,64}$`, "1 to 64 letters, digits, : _ or -")},
		strict.Key{Name: "kind", Default: "lift-gateway", Doc: "what it is", Schema: strict.OneOf("lift-gateway", "robot")},
		strict.Key{Name: "site", Doc: "where it hangs", Schema: strict.Keys(
			strict.Key{Name: "campus", Doc: "as people say it", Schema: strict.Of(strict.Name).In(0, 64)},
			strict.Key{Name: "building", Doc: "as people say it", Schema: strict.Of(strict.Name).In(0, 64)},
		)},
	)
}

func liftSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "id", Required: true, Doc: "its name here", Schema: id()},
		strict.Key{Name: "profile", Doc: "id of a profile (bench/modbus-lift), bundled or in profiles.dir, or a file (./mine.yaml) from this file's folder; required of a gateway", Schema: strict.Of(strict.Text).In(1, 256)},
		strict.Key{Name: "link", Required: true, Doc: "how its controller is reached", Schema: strict.Of(strict.Text).In(1, 512)},
		strict.Key{Name: "floors", Required: true, Doc: "the floor table, bottom to top", Schema: strict.ListOf(floorSchema(), 1, elevator.MaxFloors)},
		strict.Key{Name: "group", Doc: "lifts that answer the same landing buttons share one; absent is the lift alone", Schema: id()},
		strict.Key{Name: "area", Default: "building", Doc: "an alarm of fire or earthquake holds for all lifts of one area", Schema: strict.Of(strict.Name).In(1, 64)},
		strict.Key{Name: "deck", Doc: "which deck of its car this is; absent is the only one", Schema: id()},
		strict.Key{Name: "recall_floor", Doc: "where fire service recalls the car to; absent is none", Schema: label()},
		strict.Key{Name: "safe_floor", Doc: "where a robot is brought that cannot leave; absent is none", Schema: label()},
		strict.Key{Name: "sharing", Default: "with_people", Doc: "whether people ride at the same time", Schema: strict.OneOf("with_people", "exclusive")},
		strict.Key{Name: "robot_sight", Default: "refused", Doc: "may a robot's own eyes stand in for a missing door or floor input", Schema: strict.OneOf("refused", "allowed")},
		strict.Key{Name: "accept_no_end", Doc: "why the site accepts a door hold that the device never ends by itself", Schema: strict.Of(strict.Text).In(10, 200)},
		strict.Key{Name: "car", Doc: "what fits; what is absent is not checked", Schema: strict.Keys(
			strict.Key{Name: "id", Doc: "lifts with one car.id are decks of one car: one robot in it at a time; absent is a car of its own", Schema: id()},
			strict.Key{Name: "width_m", Doc: "inner width", Schema: strict.Of(strict.Float).In(0.3, 10)},
			strict.Key{Name: "depth_m", Doc: "inner depth", Schema: strict.Of(strict.Float).In(0.3, 10)},
			strict.Key{Name: "load_kg", Doc: "rated load", Schema: strict.Of(strict.Int).In(50, 20000)},
			strict.Key{Name: "door_m", Doc: "clear width of the door", Schema: strict.Of(strict.Float).In(0.3, 10)},
		)},
	)
}

func floorSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "label", Required: true, Doc: "as the building has it: B2, G, M, 3A", Schema: label()},
		strict.Key{Name: "wire", Doc: "the controller's own number; required of a gateway", Schema: strict.Of(strict.Int).In(-32768, 65535)},
		strict.Key{Name: "doors", Required: true, Doc: "the sides that open here", Schema: strict.ListOf(strict.OneOf(elevator.SideNames()[1:]...), 0, elevator.Sides-1)},
		strict.Key{Name: "robots", Default: "allowed", Doc: "may a robot ride from or to here", Schema: strict.OneOf("allowed", "refused")},
	)
}

func ridesSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "wait_timeout", Default: "90s", Doc: "wait for the car; then a fault", Schema: span(5*time.Second, time.Hour)},
		strict.Key{Name: "retries", Default: "3", Doc: "failures in a row before only a person helps", Schema: strict.Of(strict.Int).In(0, 10)},
		strict.Key{Name: "hold_limit", Default: "60s", Doc: "most that a door is held at one stop", Schema: span(5*time.Second, 10*time.Minute)},
		strict.Key{Name: "hold_renew", Default: "10s", Doc: "a hold is asked again after this; less than hold_limit", Schema: span(time.Second, 2*time.Minute)},
		strict.Key{Name: "expiry", Default: "15m", Doc: "a ride that has not begun ends after this; more than wait_timeout", Schema: span(time.Minute, 24*time.Hour)},
		strict.Key{Name: "standby", Default: "5m", Doc: "wait for a robot that is not ready; then others overtake", Schema: span(10*time.Second, 24*time.Hour)},
	)
}

func robotSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "id", Required: true, Doc: "its name here", Schema: id()},
		strict.Key{Name: "token_sha256", Required: true, Doc: "SHA-256 of its bearer token", Schema: sum()},
		strict.Key{Name: "crossing", Default: "8s", Doc: "how long it takes to enter or to leave", Schema: span(time.Second, 2*time.Minute)},
		strict.Key{Name: "footprint_m", Doc: "width and length; absent is not checked", Schema: strict.ListOf(strict.Of(strict.Float).In(0.05, 10), 2, 2)},
		strict.Key{Name: "mass_kg", Doc: "with its load; absent is not checked", Schema: strict.Of(strict.Int).In(1, 10000)},
	)
}

func aboardSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "displacement", Doc: "where the robot's own motion is told: http://127.0.0.1:9100/where, or exec:/path/to/program with its arguments; absent is by its signals alone", Schema: strict.Of(strict.Text).In(1, 512)},
		strict.Key{Name: "every", Default: "500ms", Doc: "it is asked again after this", Schema: span(100*time.Millisecond, 10*time.Second)},
		strict.Key{Name: "timeout", Default: "1s", Doc: "patience for one answer", Schema: span(100*time.Millisecond, 5*time.Second)},
	)
}

func apiSchema() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "listen", Default: "127.0.0.1:8732", Doc: "this machine only, without TLS; port 0 takes a free one", Schema: strict.Of(strict.Text).In(1, 256)},
		strict.Key{Name: "tls", Doc: "a door for others, beside the one for this machine; absent is none", Schema: strict.Keys(
			strict.Key{Name: "listen", Required: true, Doc: "such as 0.0.0.0:8733; a request must name a host that the certificate is for", Schema: strict.Of(strict.Text).In(1, 256)},
			strict.Key{Name: "cert_file", Required: true, Doc: "the certificate with its chain; a new one is taken without a restart", Schema: path()},
			strict.Key{Name: "key_file", Required: true, Doc: "its key, which only the agent's user or group may read", Schema: path()},
		)},
		strict.Key{Name: "technicians", Doc: "people with rights; absent is none", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "name", Required: true, Doc: "for the audit", Schema: strict.Of(strict.Name).Matching(`^[^\s\p{C}][^\p{C}]*$`, "a name").In(1, 64)},
			strict.Key{Name: "token_sha256", Required: true, Doc: "SHA-256 of the bearer token", Schema: sum()},
		), 0, maxTechnicians)},
	)
}

func cloudSchema() strict.Schema {
	return strict.Keys(append([]strict.Key{
		{Name: "broker", Required: true, Doc: "mqtts://host:8883; mqtt:// to loopback only", Schema: strict.Of(strict.Text).In(1, 512)},
		{Name: "flavour", Default: "hoistway", Doc: "whose topics are spoken: aws is the public AWS IoT service", Schema: strict.OneOf("hoistway", AWS)},
		{Name: "connect_spread", Default: "30s", Doc: "the first connection waits a random part of this, so that a campus does not come at once", Schema: span(0, 10*time.Minute)},
		{Name: "operators", Doc: "whose signatures may release from afar: end a stop or maintenance, reset a fault, open a door; absent is nobody", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "name", Required: true, Doc: "as signatures name the key", Schema: name(`^[A-Za-z0-9_.@-]{1,64}$`, "1 to 64 letters, digits, _ . @ or -")},
			strict.Key{Name: "key", Required: true, Doc: "the public half of an Ed25519 key", Schema: name(`^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$`, "32 bytes in base64: openssl pkey -in FILE -pubout -outform DER | tail -c 32 | base64")},
		), 0, maxOperators)},
	}, loginKeys()...)...)
}

func rmfSchema() strict.Schema {
	return strict.Keys(append([]strict.Key{
		{Name: "broker", Doc: "the site's broker: mqtts://host:8883; mqtt:// to loopback only; absent is the local API alone", Schema: strict.Of(strict.Text).In(1, 512)},
		{Name: "prefix", Default: "rmf", Doc: "its topics are PREFIX/lifts/LIFT/state and PREFIX/lifts/LIFT/request", Schema: name(`^[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64}){0,3}$`, "1 to 4 levels of a topic")},
		{Name: "robots", Doc: "the sessions of fleets; a robot's own id is one without being listed", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "session", Required: true, Doc: "session_id of its requests, such as FLEET/NAME", Schema: name(`^[^\s\p{C}]([^\p{C}]{0,126}[^\s\p{C}])?$`, "a session_id of 1 to 128 characters")},
			strict.Key{Name: "robot", Required: true, Doc: "id of the robot that it speaks for", Schema: id()},
		), 0, maxSessions)},
	}, loginKeys()...)...)
}

// loginKeys are how a broker knows this device, and how it is known.
func loginKeys() []strict.Key {
	return []strict.Key{
		{Name: "ca_file", Doc: "authorities that may vouch for the broker; absent is the system's", Schema: path()},
		{Name: "cert_file", Doc: "this device's certificate", Schema: path()},
		{Name: "key_file", Doc: "its key", Schema: path()},
		{Name: "username", Doc: "for the broker", Schema: strict.Of(strict.Name).In(1, 128)},
		{Name: "password_file", Doc: "a file that holds the password alone", Schema: path()},
	}
}

func name(pattern, looks string) strict.Schema {
	return strict.Of(strict.Name).Matching(pattern, looks)
}

func id() strict.Schema {
	return name(`^[A-Za-z0-9_-]{1,32}$`, "1 to 32 letters, digits, _ or -")
}

func label() strict.Schema {
	return name(`^[^\s\p{C}]([^\p{C}]{0,14}[^\s\p{C}])?$`, "a label of 1 to 16 characters")
}

func sum() strict.Schema {
	return name(`^[0-9a-fA-F]{64}$`, "64 hexadecimal digits: printf %s TOKEN | sha256sum").Hidden()
}

func path() strict.Schema { return strict.Of(strict.Text).In(1, 512) }

func span(lo, hi time.Duration) strict.Schema { return strict.Of(strict.Duration).Within(lo, hi) }
