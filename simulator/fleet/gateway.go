package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync/atomic"
	"time"

	"hoistway/sync/mqttlink"
	"hoistway/sync/replica"
	"hoistway/sync/shadow"
)

// gateway is one device. What is above the line outlives its power cuts.
type gateway struct {
	f        *fleet
	n        int
	serial   string
	x        string // before each of its topics
	instance string
	seed     uint64
	store    memory
	drift    time.Duration // of its wall clock
	since    int64         // what its monotonic clock showed when the run began
	orders   chan order
	number   atomic.Uint64 // of the connection
	epoch    atomic.Uint64
	up       atomic.Bool
	wire     atomic.Pointer[conn]
	cutBy    atomic.Uint32 // the cause of a loss that is our doing

	// Of its own goroutine.
	rides      int
	ride       ride
	truth      shadow.Tree // what the lift's shadow shall show
	times      timetable
	due        time.Duration // of the next transition
	book       book
	setting    int64
	done       map[string]int // how often each intent was carried out
	unsure     []string       // intents whose result no accepted report has told
	away       *absence
	registered bool

	// Of one time under power.
	session *shadow.Session
	carrier *replica.Replica
	box     *mailbox
	told    told // the report of the classic shadow in the air
	last    string
}

// told is a report, and the intents whose results it brings.
type told struct {
	token   string
	intents int
}

// order is what the conductor asks of a gateway.
type order struct {
	off  time.Duration      // be without power for so long
	view chan<- shadow.View // tell what you believe
}

const defaultWait = 60 // seconds of wait_timeout, as the agent has it

func newGateway(f *fleet, n int) *gateway {
	rng := rand.New(rand.NewPCG(f.o.Seed, uint64(n)+1))
	serial := f.o.Name + "-" + strconv.Itoa(n+1)
	g := &gateway{
		f: f, n: n, serial: serial, x: "hoistway/things/" + serial, instance: f.instance + strconv.Itoa(n),
		seed: rng.Uint64() | 1, since: rng.Int64N(int64(time.Hour)), orders: make(chan order, 1),
		truth: idle(), times: newTimetable(rng, f.o.RidesPerDay), setting: defaultWait, done: map[string]int{},
	}
	if f.o.Drift > 0 {
		g.drift = time.Duration(rng.Int64N(2*int64(f.o.Drift)+1)) - f.o.Drift
	}
	if g.times.gap > 0 {
		g.due = time.Duration(rng.Int64N(int64(g.times.gap)))
	}
	g.ride.leg = len(legs) - 1 // none is under way
	return g
}

// live is the gateway from the first power to the end of the run.
func (g *gateway) live(ctx context.Context) {
	g.away = g.f.tally.gone(arrivalCause, g.f.now())
	for {
		off, again := g.power(ctx)
		if !again {
			return
		}
		select {
		case <-time.After(off):
		case <-g.f.quiet: // all come back for the end
		case <-ctx.Done():
			return
		}
	}
}

// power is one time under power; again tells that it comes back after off.
func (g *gateway) power(ctx context.Context) (off time.Duration, again bool) {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	link, err := mqttlink.New(g.linkOptions())
	if err != nil {
		g.f.tally.couldNot(err)
		return 0, false
	}
	g.session, g.box = shadow.New(g.config()), newMailbox()
	g.carrier = replica.New(&g.store, uplink{link, g.f.tally}, nil)
	defer g.f.owned(inner, link.Run, g.carrier.Run)()
	defer cancel()
	g.boot()
	off, again = g.loop(ctx)
	if again {
		g.cut(powerCause)
		g.down(nil)
	} else {
		g.offline()
	}
	return off, again
}

func (g *gateway) config() shadow.Config {
	return shadow.Config{
		Serial: g.serial, Prefix: g.x + "/shadow", Beside: g.x, Shadows: []string{"", lift}, Seed: g.seed,
		Register: shadow.Tree{
			"kind": "gateway", "firmware": "fleet", "protocol": number(1), "lifts": []any{lift}, "instance": g.instance,
			"static": shadow.Tree{"campus": "fleet", "building": "B" + strconv.Itoa(g.n/10)},
		},
	}
}

func (g *gateway) linkOptions() mqttlink.Options {
	return mqttlink.Options{
		Broker: g.f.o.Broker, ClientID: g.serial, Topics: shadow.New(g.config()).Topics(),
		BeforeConnect: g.beforeConnect, Dial: g.dial, ConnectSpread: g.f.o.Spread, Seed: g.seed + g.number.Load(),
	}
}

// beforeConnect counts the connection in the store, and makes its will.
func (g *gateway) beforeConnect(context.Context) (*shadow.Message, error) {
	n := g.number.Add(1)
	rec := shadow.Record{Bucket: "uplink", Key: "uplink:gateway:self:session", Value: strconv.AppendUint(nil, n, 10)}
	if err := g.store.Commit([]shadow.Record{rec}); err != nil {
		return nil, err
	}
	return &shadow.Message{
		Topic:   g.x + "/" + shadow.BesidePresence,
		Payload: shadow.PresencePayload(false, g.epoch.Load(), n, "lost"), QoS: 1, Retain: true,
	}, nil
}

func (g *gateway) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: localAddr(addr, g.n)}
	raw, err := d.DialContext(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: raw, tally: g.f.tally}
	g.wire.Store(c)
	return c, nil
}

// cut ends a connection that is up, for any goroutine. It returns whether there
// was one.
func (g *gateway) cut(why cause) bool {
	c := g.wire.Load()
	if c == nil || !g.up.Load() {
		return false
	}
	g.cutBy.Store(uint32(why))
	c.cut()
	return true
}

// boot hands the session what the store holds, and what the lift now is.
func (g *gateway) boot() {
	records, err := g.store.Load(shadow.Bucket)
	if err != nil {
		g.f.tally.couldNot(fmt.Errorf("load: %w", err))
	}
	g.told, g.last = told{}, ""
	g.book.lost()
	g.step(shadow.Loaded{Records: records})
	g.loadSetting()
	g.step(shadow.Report{Shadow: lift, Fields: g.truth})
}

const (
	settingBucket = "settings"
	settingKey    = "setting:gateway:self:wait_timeout"
	settingName   = "wait_timeout"
)

func (g *gateway) loadSetting() {
	g.setting = defaultWait
	rows, err := g.store.Load(settingBucket)
	if err != nil || len(rows) == 0 {
		return
	}
	if n, err := strconv.ParseInt(string(rows[0].Value), 10, 64); err == nil {
		g.setting = n
	}
}

// facts is what the classic shadow reports at each connection.
func (g *gateway) facts() shadow.Tree {
	return shadow.Tree{"kind": "gateway", "firmware": "fleet", "protocol": number(1), settingName: number(g.setting)}
}

// judge puts a wish in force, or says why not; the record belongs to its batch.
func (g *gateway) judge(a shadow.Apply) ([]shadow.Result, []shadow.Record) {
	g.done[a.Intent]++
	if g.done[a.Intent] > 1 {
		g.f.tally.twice.Add(1)
	}
	var out []shadow.Result
	var batch []shadow.Record
	for path, v := range a.Values {
		r, rec := g.judgeOne(a.Shadow, path, v)
		out = append(out, r)
		batch = append(batch, rec...)
		if r.Code != 200 {
			g.f.tally.refused.Add(1)
			continue
		}
		g.f.tally.carriedOut.Add(1)
	}
	g.unsure = append(g.unsure, a.Intent)
	return out, batch
}

func (g *gateway) judgeOne(name, path string, v any) (shadow.Result, []shadow.Record) {
	if name != "" || path != settingName {
		return shadow.Result{Path: path, Code: 405, Detail: "not a setting of this shadow"}, nil
	}
	rec := shadow.Record{Bucket: settingBucket, Key: settingKey}
	n := int64(defaultWait)
	if v != nil {
		asked, _ := v.(json.Number)
		whole, err := asked.Int64()
		if err != nil || whole < 5 || whole > 3600 {
			return shadow.Result{Path: path, Code: 400, Value: number(g.setting), Detail: "takes 5 to 3600 s"}, nil
		}
		n, rec.Value = whole, strconv.AppendInt(nil, whole, 10)
	}
	g.setting = n
	return shadow.Result{Path: path, Code: 200, Value: number(n)}, []shadow.Record{rec}
}
