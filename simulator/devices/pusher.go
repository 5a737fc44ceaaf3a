package devices

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Keys of the pushing service. They guard nothing: it is a pretend building.
const (
	PushAccess = "bench-access"
	PushKey    = "bench-key"
	PushSecret = "bench-secret"
)

// PushManners are how a service pushes well or badly. The zero PushManners are good.
type PushManners struct {
	Twice     bool          // each message is sent twice
	Backwards bool          // each message is sent behind the one that follows it
	Miss      bool          // messages are not sent, they can only be asked for
	Lose      bool          // messages are lost for good
	ByQueue   bool          // messages wait in the queue
	WrongSign bool          // signatures are wrong
	Skew      time.Duration // of the service's clock
	Refuse    string        // each control is taken, and fails later with this code
	Suspend   time.Duration // from 5 % of failed messages to the suspension; 0 is 30 min
}

// Pusher is lifts behind a service that pushes what changes. Its methods may be called
// from any goroutine. The owner calls Close once.
type Pusher struct {
	world *World
	cars  []string
	addr  string
	srv   *http.Server
	wg    sync.WaitGroup
	end   context.CancelFunc
	ctx   context.Context
	news  chan struct{}

	mu        sync.Mutex
	manners   PushManners
	callbacks map[string]string // by lift
	attach    map[string]string // by lift that is subscribed
	shown     map[string]string
	out       []pushed // to be sent
	failed    []pushed
	queue     []pushed
	on        bool
	noticed   time.Time
	sent      []pushResult
	did       map[string][]Write // by lift
	n         int
}

type pushed struct {
	at   time.Time
	lift string
	body []byte
	told bool // handed over from the queue, and not yet taken
}

type pushResult struct {
	at time.Time
	ok bool
}

// Bounds and times of the service, as its page has them.
const (
	pushWithin   = 3 * time.Second
	pushKept     = 12 * time.Hour
	pushWindow   = 5 * time.Minute
	pushLook     = 50 * time.Millisecond
	pushMost     = 2000
	pushSuspends = 30 * time.Minute
)

// ServePush puts lifts behind a pushing service.
func ServePush(w *World, listen func(network, address string) (net.Listener, error), addr string, cars ...string) (*Pusher, error) {
	ln, err := listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve lifts that push: %w", err)
	}
	p := &Pusher{world: w, cars: cars, addr: ln.Addr().String(), news: make(chan struct{}, 1), attach: map[string]string{}, shown: map[string]string{}, on: true}
	p.callbacks, p.did = map[string]string{}, map[string][]Write{}
	p.ctx, p.end = context.WithCancel(context.Background())
	p.srv = &http.Server{Handler: p.handler(), ReadHeaderTimeout: 5 * time.Second, BaseContext: func(net.Listener) context.Context { return p.ctx }}
	p.wg.Go(func() { _ = p.srv.Serve(ln) }) // ends with Close
	p.wg.Go(p.look)
	p.wg.Go(p.send)
	return p, nil
}

// Addr is where the service answers, as host:port.
func (p *Pusher) Addr() string { return p.addr }

// Close ends the service and waits until nothing of it is left.
func (p *Pusher) Close() error {
	p.end()
	err := p.srv.Close()
	p.wg.Wait()
	return err
}

// Behave changes the manners from the next message on.
func (p *Pusher) Behave(m PushManners) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.manners = m
}

// Calls are the controls that came, lift by lift, oldest first.
func (p *Pusher) Calls() (out []Write) {
	for _, car := range p.cars {
		out = append(out, p.Lift(car).Writes()...)
	}
	return out
}

// Pushing reports whether the push is on, and how many messages were sent, of them with
// how many no answer that counts.
func (p *Pusher) Pushing() (on bool, sent, failed int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range p.sent {
		if !r.ok {
			failed++
		}
	}
	return p.on, len(p.sent), failed
}

// CallBack checks an address as the service does before it pushes to it. All lifts are
// told there.
func (p *Pusher) CallBack(url string) error {
	if err := p.check(url); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, car := range p.cars {
		p.callbacks[car] = url
	}
	return nil
}

// check has an address answer a word of ours.
func (p *Pusher) check(url string) error {
	word := "check-" + strconv.FormatInt(time.Now().UnixNano(), 36)
	body, _ := json.Marshal(map[string]any{"eventType": "address_check", "challenge": word}) // it can be written
	res, err := p.post(url, body, false)
	if err != nil {
		return fmt.Errorf("check the address: %w", err)
	}
	var said struct{ Challenge string }
	if err := json.Unmarshal(res, &said); err != nil || said.Challenge != word {
		return fmt.Errorf("check the address: it does not answer the word: %s", res)
	}
	return nil
}

// post sends a document, signed, and gives the answer of 200.
func (p *Pusher) post(url string, body []byte, wrong bool) ([]byte, error) {
	ctx, cancel := context.WithTimeout(p.ctx, pushWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Host = "localhost"
	p.mu.Lock()
	p.n++
	now, nonce := time.Now().Add(p.manners.Skew).UnixMilli(), fmt.Sprintf("n%d-%d", p.n, time.Now().UnixNano())
	p.mu.Unlock()
	when := strconv.FormatInt(now, 10)
	text := "appkey=" + PushKey + "&nonce=" + nonce + "&time=" + when + "&token=" + PushAccess + PushSecret
	if wrong {
		text += "?"
	}
	sum := md5.Sum([]byte(strings.ToLower(text)))
	for name, v := range map[string]string{"Content-Type": "application/json", "appkey": PushKey, "nonce": nonce, "time": when, "token": PushAccess, "sign": hex.EncodeToString(sum[:])} {
		req.Header.Set(name, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // what it held is read
	said, err := io.ReadAll(io.LimitReader(res.Body, 1<<16))
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d: %s", res.StatusCode, said)
	}
	return said, err
}

// look finds what has changed.
func (p *Pusher) look() {
	t := time.NewTicker(pushLook)
	defer t.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-t.C:
		}
		for _, car := range p.cars {
			state, _ := json.Marshal(p.state(car)) // it can be written
			p.mu.Lock()
			_, wanted := p.attach[car]
			changed := p.shown[car] != string(state)
			p.shown[car] = string(state)
			p.mu.Unlock()
			if wanted && changed {
				p.report(car, "resource_report", p.state(car))
			}
		}
	}
}

// state is a lift as the service words it.
func (p *Pusher) state(car string) map[string]any {
	is := p.world.Shown(car)
	var t elevator.Table
	p.world.Do(func(b *building.Building) { t = b.Table(car) })
	out := map[string]any{
		"motion": map[elevator.Motion]string{elevator.Stopped: "standing", elevator.MovingUp: "up", elevator.MovingDown: "down"}[is.Motion],
		"door":   is.Doors[elevator.Front].State.String(), "mode": is.Mode.String(),
		"overload": is.Overload, "nudging": is.Nudging, "obstruction": is.Obstacle,
		"up": pushLandings(is.Up, t), "down": pushLandings(is.Down, t), "car": pushLandings(is.Car, t), "floor": nil,
	}
	if d := is.Doors[elevator.Rear]; d.State != elevator.DoorUnknown {
		out["rear"] = d.State.String()
	}
	if n, ok := t.Wire(is.Floor); ok {
		out["floor"] = n
	}
	return out
}

func pushLandings(set elevator.FloorSet, t elevator.Table) []int {
	out := []int{}
	for i, l := range t {
		if set.Has(elevator.Floor(i + 1)) {
			out = append(out, l.Wire)
		}
	}
	return out
}

// Tell pushes a message of the service's own, such as device_offline.
func (p *Pusher) Tell(car, event string, data map[string]any) { p.report(car, event, data) }

// report puts a message where the manners want it.
func (p *Pusher) report(car, event string, data map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now().Add(p.manners.Skew).UnixMilli()
	data["deviceId"] = car
	if data["time"] == nil {
		data["time"] = now
	}
	p.n++
	body, _ := json.Marshal(map[string]any{ // it can be written
		"msgId": fmt.Sprintf("m-%d-%d", now, p.n), "time": now, "openId": "site", "eventType": event, "attach": p.attach[car], "data": data,
	})
	m := pushed{at: time.Now(), lift: car, body: body}
	switch {
	case p.manners.Lose:
	case p.manners.ByQueue:
		p.queue = kept(p.queue, m)
	case p.manners.Miss || !p.on || p.callbacks[car] == "":
		p.failed = kept(p.failed, m)
	default:
		p.out = kept(p.out, m)
		if p.manners.Twice {
			p.out = kept(p.out, m)
		}
		if !p.manners.Backwards || len(p.out) > 1 {
			p.wake()
		}
	}
}

// kept bounds a list by number and by age.
func kept(list []pushed, m pushed) []pushed {
	list = slices.DeleteFunc(list, func(o pushed) bool { return time.Since(o.at) > pushKept })
	if len(list) >= pushMost {
		list = list[1:]
	}
	return append(list, m)
}

func (p *Pusher) wake() {
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// send brings messages, one after the other; one that fails is kept to be asked for.
func (p *Pusher) send() {
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-p.news:
		}
		for {
			m, url, wrong, ok := p.next()
			if !ok {
				break
			}
			_, err := p.post(url, m.body, wrong)
			p.ended(m, err)
		}
	}
}

func (p *Pusher) next() (m pushed, url string, wrong, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.out) == 0 {
		return m, "", false, false
	}
	i := 0
	if p.manners.Backwards {
		i = len(p.out) - 1
	}
	m = p.out[i]
	p.out = slices.Delete(p.out, i, i+1)
	return m, p.callbacks[m.lift], p.manners.WrongSign, true
}

// ended counts, and suspends the push of an address that fails too often.
func (p *Pusher) ended(m pushed, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.sent = append(slices.DeleteFunc(p.sent, func(r pushResult) bool { return now.Sub(r.at) > pushWindow }), pushResult{now, err == nil})
	if err != nil {
		p.failed = kept(p.failed, m)
	}
	bad := 0
	for _, r := range p.sent {
		if !r.ok {
			bad++
		}
	}
	if bad*20 <= len(p.sent) {
		p.noticed = time.Time{}
		return
	}
	if p.noticed.IsZero() {
		p.noticed = now
	}
	wait := p.manners.Suspend
	if wait == 0 {
		wait = pushSuspends
	}
	if now.Sub(p.noticed) >= wait {
		p.on = false
	}
}
