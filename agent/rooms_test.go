package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// wall says what one room may import of ours. An entry that ends in /... admits
// the rooms below as well.
type wall struct {
	may  []string
	pure bool
	why  string
}

// wireWork is what the rooms of protocols may use.
var wireWork = []string{"drivers", "drivers/fieldbus", "drivers/view", "drivers/carry", "drivers/secrets", "drivers/profiles", "fsm/elevator"}

// walls lists every room. A folder with Go files that is not here fails the test:
// a new room writes its README and its row first.
var walls = map[string]wall{
	"fsm/elevator": {nil, true, "facts about lifts stand alone"},
	"fsm":          {[]string{"fsm/elevator"}, true, "the ride machine knows lifts and nothing else"},
	"fsm/dispatch": {[]string{"fsm", "fsm/elevator"}, true, "choosing between rides knows rides and lifts"},

	"sync/shadow":              {nil, true, "the shadow is blind to what it carries"},
	"sync/aws":                 {[]string{"sync/shadow"}, true, "another service's words for what the session says"},
	"sync/aws/awstest":         {[]string{"sync/shadow"}, true, "the public pages alone, and the type of a message"},
	"sync/shadow/schema":       {nil, false, "shapes alone"},
	"sync/boltstore":           {[]string{"sync/shadow"}, false, "the store takes rows, whatever they mean"},
	"sync/mqttlink":            {[]string{"sync/shadow"}, false, "the uplink takes messages, whatever they mean"},
	"sync/replica":             {[]string{"sync/shadow"}, false, "it declares store and uplink and imports neither"},
	"sync/replica/replicatest": {[]string{"sync/shadow", "sync/replica"}, false, "the suite for stores and uplinks"},

	"drivers":                   {[]string{"fsm/elevator"}, false, "the seam names lifts only"},
	"drivers/all":               {[]string{"drivers", "drivers/fieldbus", "drivers/modbus", "drivers/serial", "drivers/rest", "drivers/opcua", "drivers/pubsub", "drivers/peer"}, false, "the explicit list of drivers"},
	"drivers/fieldbus":          {[]string{"drivers", "fsm/elevator", "drivers/fieldbus/schedule"}, false, "line I/O only"},
	"drivers/fieldbus/schedule": {[]string{"fsm/elevator"}, true, "what goes on a line next, as a pure step"},
	"drivers/profiles":          {[]string{"fsm/elevator", "drivers/profiles/strict"}, true, "a vendor is data"},
	"drivers/profiles/strict":   {nil, true, "reading YAML strictly knows no domain"},
	"drivers/view":              {[]string{"drivers", "fsm/elevator"}, false, "what any link has beside its wire"},
	"drivers/carry":             {[]string{"drivers", "drivers/view", "drivers/profiles", "fsm/elevator"}, false, "a command's way, whatever the wire"},
	"drivers/secrets":           {nil, false, "reading secrets knows no link"},
	"drivers/modbus":            {wireWork, false, "wire work of one protocol"},
	"drivers/serial":            {wireWork, false, "wire work of declared frames"},
	"drivers/rest":              {wireWork, false, "wire work of HTTP and WebSocket"},
	"drivers/opcua":             {wireWork, false, "wire work of one protocol"},
	"drivers/pubsub":            {wireWork, false, "messages of a broker"},
	"drivers/peer":              {append([]string{"drivers/peer/wire"}, wireWork...), false, "another gateway as the controller"},
	"drivers/peer/wire":         {nil, false, "the local API's JSON"},
	"drivers/wrap":              {[]string{"drivers", "fsm/elevator"}, false, "behaviour around any link"},
	"drivers/drivertest":        {[]string{"drivers", "fsm/elevator"}, false, "one suite for all drivers"},

	"agent/commission":        {agentSide, false, "finding out why a controller does not talk"},
	"agent":                   {[]string{"agent/cli"}, false, "main only calls the command line"},
	"agent/cli":               {agentSide, false, "the agent never knows the simulator"},
	"agent/daemon":            {agentSide, false, "the only wiring"},
	"agent/core":              {[]string{"fsm", "fsm/elevator", "fsm/dispatch", "sync/shadow"}, true, "it joins a ride's step and its report"},
	"agent/gateway":           {agentSide, false, "the agent never knows the simulator"},
	"agent/config":            {agentSide, false, "the agent never knows the simulator"},
	"agent/hooks":             {agentSide, false, "the agent never knows the simulator"},
	"agent/rmf":               {[]string{"agent/core", "fsm", "fsm/elevator"}, true, "what a fleet says becomes orders, and a lift its state"},
	"agent/rmf/bridge":        {[]string{"agent/core", "agent/rmf", "fsm/elevator", "sync/shadow"}, false, "it carries messages and decides nothing"},
	"agent/robot":             {[]string{"agent/core", "drivers", "fsm", "fsm/elevator"}, true, "a mirror of what a gateway says, and what the robot may do alone"},
	"agent/robot/escort":      {[]string{"agent/core", "agent/robot", "drivers", "fsm", "fsm/elevator", "sync/shadow"}, false, "it carries and decides nothing about a ride"},
	"agent/localapi":          {agentSide, false, "the agent never knows the simulator"},
	"agent/localapi/pagetest": {nil, false, "a browser knows the page by what it shows"},
	"agent/localapi/examples": {nil, false, "a stranger's robot knows the public page alone"},
	"agent/explain":           {nil, false, "both programs read it"},
	"agent/journal":           {[]string{"agent/core", "drivers", "fsm", "fsm/elevator"}, false, "it writes down what it is shown"},
	"agent/audit":             {[]string{"agent/core", "fsm/elevator"}, false, "who did what, whatever it was"},

	"simulator":                   {[]string{"simulator/cli"}, false, "main only calls the command line"},
	"simulator/cli":               {[]string{"simulator/...", "drivers/profiles/strict", "agent/config", "agent/explain"}, false, "the demo runs the real agent by its own door"},
	"simulator/broker":            {nil, false, "a broker knows no topic"},
	"simulator/building":          {[]string{"fsm/elevator", "simulator/faults"}, true, "physics and people, no wire"},
	"simulator/faults":            {[]string{"fsm/elevator"}, true, "what can go wrong, by name, and when it strikes"},
	"simulator/picture":           {nil, true, "what a picture shows, as JSON"},
	"simulator/picture/draw":      {[]string{"simulator/picture", "simulator/building", "simulator/faults", "fsm/elevator"}, true, "the truth of a building as a picture"},
	"simulator/scenarios":         {[]string{"fsm/elevator", "simulator/building", "simulator/timeline", "simulator/faults"}, true, "the scenario language and its player"},
	"simulator/laws":              {[]string{"fsm", "fsm/elevator", "agent/core", "simulator/building"}, true, "what must hold at every instant of a run"},
	"simulator/virtual":           {pureRooms, true, "a whole site in virtual time is laws only"},
	"simulator/soak":              {append([]string{"simulator/virtual"}, pureRooms...), true, "years in seconds are laws only"},
	"simulator/fleet":             {[]string{"sync/mqttlink", "sync/replica", "sync/shadow"}, false, "light clients with the real sync and no store"},
	"simulator/loopback":          {nil, false, "serving this machine knows no site"},
	"simulator/page":              {[]string{"simulator/picture", "simulator/faults", "simulator/loopback"}, false, "the picture knows shapes, no site"},
	"simulator/real":              {[]string{"simulator/...", "agent/daemon", "agent/config", "drivers", "fsm/elevator", "sync/shadow"}, false, "the real agent on a pretend building"},
	"simulator/timeline":          {nil, true, "a clock and a heap"},
	"simulator/devices":           {[]string{"simulator/broker", "simulator/building", "simulator/faults", "fsm/elevator", "drivers/profiles"}, false, "both sides from one table would prove nothing"},
	"simulator/robots":            {[]string{"simulator/building", "simulator/faults"}, false, "a robot knows the API by its words alone"},
	"simulator/cloud":             {[]string{"simulator/broker", "simulator/cloud/rules", "simulator/cloud/ops", "sync/..."}, false, "the cloud's half speaks by the same libraries"},
	"simulator/cloud/conformance": {[]string{"simulator/cloud/rules", "sync/mqttlink", "sync/shadow", "sync/shadow/schema"}, false, "it judges by messages alone"},
	"simulator/cloud/face":        {[]string{"simulator/cloud", "simulator/cloud/ops", "simulator/cloud/rules", "simulator/loopback", "sync/shadow"}, false, "an operator's door decides nothing"},
	"simulator/cloud/ops":         {[]string{"sync/shadow"}, true, "the operator's half as a pure step"},
	"simulator/cloud/rules":       {[]string{"sync/shadow"}, true, "the service's half as a pure step"},
}

var pureRooms = []string{
	"fsm", "fsm/elevator", "fsm/dispatch", "sync/shadow", "agent/core", "drivers/fieldbus/schedule", "simulator/building",
	"simulator/timeline", "simulator/faults", "simulator/laws", "simulator/scenarios", "simulator/picture", "simulator/picture/draw", "simulator/cloud/rules",
}

var agentSide = []string{"agent/...", "drivers", "drivers/...", "fsm", "fsm/...", "sync/..."}

// soleImporters are the libraries that one room alone may import.
var soleImporters = map[string]string{
	"go.etcd.io/bbolt":                         "sync/boltstore",
	"github.com/eclipse/paho.mqtt.golang":      "sync/mqttlink",
	"go.bug.st/serial":                         "drivers/fieldbus",
	"github.com/looplab/fsm":                   "fsm",
	"github.com/mochi-mqtt/server/v2":          "simulator/broker",
	"github.com/santhosh-tekuri/jsonschema/v6": "sync/shadow/schema",
}

// onlyBeside are libraries that the agent's program must not link.
var onlyBeside = []string{"github.com/mochi-mqtt/", "github.com/simonvetter/", "github.com/creack/pty"}

// impure are the doors through which time, chance and the world come in.
var impure = []string{
	"os", "net", "net/http", "log", "log/slog", "math/rand", "crypto/rand", "io/ioutil", "os/exec",
	"path/filepath", "runtime", "sync", "sync/atomic", "syscall", "context",
}

type source struct {
	file    string
	room    string
	test    bool
	imports []string
	body    string
}

func TestWalls(t *testing.T) {
	for _, s := range sources(t) {
		w, known := walls[s.room]
		if !known {
			t.Errorf("%s: room %q is not known: give it a README and a row in walls", s.file, s.room)
			continue
		}
		if s.test {
			continue
		}
		for _, imp := range s.imports {
			if ours, ok := strings.CutPrefix(imp, "hoistway/"); ok && !allowed(w.may, ours) {
				t.Errorf("%s: %s must not import %s: %s", s.file, s.room, ours, w.why)
			}
			if sole, ok := soleImporters[imp]; ok && sole != s.room {
				t.Errorf("%s: only %s imports %s", s.file, sole, imp)
			}
			if beside := slices.ContainsFunc(onlyBeside, func(p string) bool { return strings.HasPrefix(imp, p) }); beside && !strings.HasPrefix(s.room, "simulator") {
				t.Errorf("%s: %s belongs to the simulator and to tests", s.file, imp)
			}
		}
	}
}

// Drivers and sync never meet, in tests neither.
func TestDriversAndSyncNeverMeet(t *testing.T) {
	for _, s := range sources(t) {
		for _, imp := range s.imports {
			if strings.HasPrefix(s.room, "drivers") && strings.HasPrefix(imp, "hoistway/sync") ||
				strings.HasPrefix(s.room, "sync") && strings.HasPrefix(imp, "hoistway/drivers") {
				t.Errorf("%s imports %s: drivers and sync never meet; only agent knows both", s.file, imp)
			}
		}
	}
}

func TestPureRooms(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !walls[s.room].pure {
			continue
		}
		for _, imp := range s.imports {
			if slices.Contains(impure, imp) && !(imp == "context" && s.file == "fsm/table.go") {
				t.Errorf("%s: a pure room must not import %s", s.file, imp)
			}
		}
		for _, call := range []string{"time.Now(", "time.Since(", "time.Sleep(", "time.After(", "time.NewTimer(", "go func(", " rand.IntN(", " rand.N(", " rand.Float64(", " rand.Uint64("} {
			if strings.Contains(s.body, call) {
				t.Errorf("%s: a pure room must not use %s", s.file, call)
			}
		}
	}
}

func TestNoInit(t *testing.T) {
	for _, s := range sources(t) {
		if !s.test && strings.Contains(s.body, "\nfunc init()") {
			t.Errorf("%s: there is no init in this house", s.file)
		}
	}
}

// Only main packages and the two command lines end the process.
func TestOnlyMainExits(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || slices.Contains([]string{"agent", "simulator", "agent/cli", "simulator/cli", "agent/localapi/examples"}, s.room) {
			continue
		}
		for _, call := range []string{"os.Exit(", "log.Fatal"} {
			if strings.Contains(s.body, call) {
				t.Errorf("%s: %s is for main alone", s.file, call)
			}
		}
	}
}

func TestEachRoomHasAReadme(t *testing.T) {
	for _, room := range slices.Sorted(maps.Keys(walls)) {
		if _, err := os.Stat(filepath.Join("..", room, "README.md")); err != nil {
			t.Errorf("%s has no README.md", room)
		}
	}
}

func TestNothingLooseAtTheTop(t *testing.T) {
	want := []string{"agent", "drivers", "fsm", "sync", "simulator", "packaging", "systemd", "go.mod", "go.sum", "README.md", "LICENSE"}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	ignored, err := os.ReadFile("../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(string(ignored), "\n/"+e.Name()+"\n") {
			continue // what somebody builds or tries out there
		}
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(want, e.Name()) {
			t.Errorf("%s does not belong at the top", e.Name())
		}
	}
}

func allowed(may []string, ours string) bool {
	return slices.ContainsFunc(may, func(m string) bool {
		if below, ok := strings.CutSuffix(m, "/..."); ok {
			return strings.HasPrefix(ours, below+"/")
		}
		return m == ours
	})
}

// sources parses every Go file of the house for its imports.
func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || path.Ext(name) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.ImportsOnly)
		if err != nil {
			return err
		}
		s := source{file: name, room: path.Dir(name), test: strings.HasSuffix(name, "_test.go"), body: string(src)}
		for _, i := range f.Imports {
			p, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, p)
		}
		out = append(out, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("only %d Go files found: the test looks in the wrong place", len(out))
	}
	return out
}
