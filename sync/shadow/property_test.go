package shadow

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// world is a stage on which anything may go wrong, and what must hold all the time.
type world struct {
	*stage
	session  uint64
	wishes   int
	inFlight map[string]flying
	high     map[string]int64
	epochs   map[string]int64
	device   map[string]Tree // what the device says it is
}

type flying struct {
	token string
	at    int64
}

// SH-5, SH-7, SH-8, SH-16, DD-1: whatever is dropped, doubled, late or cut off,
// nothing is executed twice, one write a shadow is in the air, versions only grow,
// and once the line is good again both sides come to say the same and fall silent.
func TestConvergesWhateverGoesWrong(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r)
		for range rapid.IntRange(5, 60).Draw(r, "happenings") {
			w.somethingHappens(r)
			w.said = nil
		}
		w.calm(rapid.Bool().Draw(r, "reconnects"))
		w.mustAgree()
		w.mustBeSilent()
	})
}

func newWorld(r *rapid.T) *world {
	w := &world{stage: newStage(r), inFlight: map[string]flying{}, high: map[string]int64{}, epochs: map[string]int64{}, device: map[string]Tree{}}
	if rapid.Bool().Draw(r, "public service") {
		w.happen("aws")
	}
	w.config.Seed = rapid.Uint64().Draw(r, "seed")
	w.stage.session = New(w.config)
	w.check = w.holds
	return w
}

func (w *world) somethingHappens(r *rapid.T) {
	name := rapid.SampledFrom([]string{"", "L1"}).Draw(r, "shadow")
	switch rapid.SampledFrom([]string{
		"report", "report", "wish", "wish", "unwish", "sweep", "serve", "serve", "deliver", "deliver", "deliver",
		"drop", "lose", "double", "wait", "wait", "up", "down", "restart", "crash", "unsent", "delete", "forget", "throttle",
	}).Draw(r, "what") {
	case "report":
		w.report(name, rapid.SampledFrom([]string{"state", "floor", "fault"}).Draw(r, "field"),
			rapid.SampledFrom([]any{nil, "A", "B", Tree{"x": "1"}, Tree{"y": "2"}}).Draw(r, "value"))
	case "wish":
		w.wish(name, rapid.IntRange(0, 4).Draw(r, "form"), rapid.IntRange(0, 9).Draw(r, "priority"))
	case "unwish":
		w.model.wish(name, Tree{rapid.SampledFrom([]string{"a", "b"}).Draw(r, "field"): nil})
	case "sweep":
		w.sweepHeaders(name)
	case "serve":
		w.serve()
	case "deliver":
		w.deliver(r)
	case "drop":
		w.drop(rapid.IntRange(0, 5).Draw(r, "which"))
	case "lose":
		w.wire = w.wire[min(len(w.wire), 1):]
	case "double":
		if len(w.wire) > 0 {
			w.wire = append(w.wire, w.wire[0])
		}
	case "wait":
		w.wait(int64(rapid.SampledFrom([]int{1, 50, 300, 2500, 31000, 70000}).Draw(r, "ms")) * millisecond)
	case "up":
		w.connect()
	case "down":
		w.happen("down")
		clear(w.inFlight)
	case "restart":
		w.begin()
	case "crash":
		w.crash = true
		w.step(Tick{})
		w.begin()
	case "unsent":
		w.unsent()
	case "delete":
		w.model.delete(name)
	case "forget": // the service loses the document
		delete(w.model.docs, name)
	case "throttle":
		w.model.refuse = 429 - w.model.refuse
	}
}

func (w *world) report(name, field string, v any) {
	if w.device[name] == nil {
		w.device[name] = Tree{}
	}
	w.device[name][field] = v
	w.step(Report{Shadow: name, Fields: Tree{field: v}})
}

// wish is an operator's write: bare, with a header, one that the device refuses,
// one that has expired when it is met late.
func (w *world) wish(name string, form, priority int) {
	w.wishes++
	n := num(w.wishes)
	id := "i-" + strconv.Itoa(w.wishes)
	header := Tree{"fields": []any{"a", "b"}, "priority": num(priority)}
	switch form {
	case 0:
		w.model.wish(name, Tree{"a": n})
	case 1:
		w.model.wish(name, Tree{"b": Tree{"x": n, "y": []any{n}}})
	case 2:
		w.model.wish(name, Tree{"a": n, "b": n, "_intents": Tree{id: header}})
	case 3:
		w.model.wish(name, Tree{"refused": n, "_intents": Tree{id: Tree{"fields": []any{"refused"}}}})
	case 4:
		header["ttl_s"] = num(20)
		w.model.wish(name, Tree{"a": n, "_intents": Tree{id: header}})
	}
	w.judge["refused"] = Result{Path: "refused", Code: 400, Detail: "no"}
}

// sweepHeaders takes away headers whose mirror is there, as the service does.
func (w *world) sweepHeaders(name string) {
	mirrors, _ := w.model.docs[name].Reported[intentsKey].(Tree)
	headers, _ := w.model.docs[name].Desired[intentsKey].(Tree)
	for _, id := range sortedKeys(mirrors) {
		if _, there := headers[id]; there {
			w.model.wish(name, Tree{intentsKey: Tree{id: nil}})
		}
	}
}

func (w *world) deliver(r *rapid.T) {
	if len(w.model.out) == 0 || !w.up {
		return
	}
	i := rapid.IntRange(0, len(w.model.out)-1).Draw(r, "which")
	m := w.model.out[i]
	if !rapid.Bool().Draw(r, "comes again") {
		w.drop(i)
	}
	w.step(Received{m})
}

func (w *world) drop(i int) {
	if i < len(w.model.out) {
		w.model.out = append(w.model.out[:i:i], w.model.out[i+1:]...)
	}
}

func (w *world) unsent() {
	if len(w.wire) == 0 {
		return
	}
	p := w.wire[len(w.wire)-1]
	w.wire = w.wire[:len(w.wire)-1]
	for name, f := range w.inFlight {
		if f.token == p.Token {
			delete(w.inFlight, name)
		}
	}
	w.step(Sent{Token: p.Token, Err: fmt.Errorf("not taken")})
}

func (w *world) connect() {
	if w.up {
		w.happen("down")
		clear(w.inFlight)
	}
	w.session++
	w.happen("up " + strconv.FormatUint(w.session, 10))
}

// begin is a new process: it reports at once what the device is.
func (w *world) begin() {
	w.happen("restart")
	w.model.out = nil
	clear(w.inFlight)
	clear(w.high)
	for _, name := range sortedKeys(w.device) {
		w.step(Report{Shadow: name, Fields: w.device[name]})
	}
}

// holds is what must be so after every step.
func (w *world) holds(in Input, p *pass) {
	switch in := in.(type) {
	case Received:
		w.landed(in.Message)
	case Loaded: // versions are stored late: the next get tells them again
		clear(w.high)
		clear(w.inFlight)
	}
	for _, what := range sortedKeys(w.applies) {
		if n := w.applies[what]; n > 1 {
			w.t.Fatalf("%s was executed %d times", what, n)
		}
	}
	for _, o := range p.publishes {
		name, op, ok := ParseShadowTopic(testPrefix, o.Topic)
		if !ok || op != OpUpdate {
			continue
		}
		if f, flies := w.inFlight[name]; flies && w.now < f.at+answerLimit {
			w.t.Fatalf("two writes of %q in the air: %s and %s", name, f.token, o.Token)
		}
		w.inFlight[name] = flying{o.Token, w.now}
	}
	for _, t := range w.stage.session.twins {
		if t.epoch != w.epochs[t.name] { // another document counts anew
			w.epochs[t.name], w.high[t.name] = t.epoch, 0
		}
	}
	for _, v := range w.stage.session.View().Shadows {
		if v.Version < w.high[v.Name] {
			w.t.Fatalf("%q went from version %d back to %d", v.Name, w.high[v.Name], v.Version)
		}
		w.high[v.Name] = v.Version
	}
}

// landed: an answer came for the write in the air.
func (w *world) landed(m Message) {
	name, op, ok := ParseShadowTopic(testPrefix, m.Topic)
	if !ok || op != OpUpdateAccepted && op != OpUpdateRejected {
		return
	}
	t, _ := Decode(m.Payload)
	if t["clientToken"] == any(w.inFlight[name].token) {
		delete(w.inFlight, name)
	}
}

// calm is a good line from now on, and time enough: for a beat that differs, or
// for the regular get of a service without beats.
func (w *world) calm(reconnects bool) {
	w.model.refuse = 0
	if reconnects || !w.up {
		w.model.out = nil
		w.connect()
	}
	w.settle()
	w.answered = true
	w.wait(20 * minute)
	w.answered = false
	w.mustAgree()
	for range 5 { // mirrors go when headers do
		w.sweepHeaders("")
		w.sweepHeaders("L1")
		w.settle()
		w.answered = true
		w.wait(minute)
		w.answered = false
	}
}

func (w *world) mustAgree() {
	for _, v := range w.stage.session.View().Shadows {
		d := w.model.docs[v.Name]
		if len(v.Delta) > 0 && !v.Settled {
			w.t.Fatalf("%q: neither converged nor settled: %s", v.Name, Encode(v.Delta))
		}
		if len(v.Pending) > 0 {
			w.t.Fatalf("%q: still to be said: %s", v.Name, Encode(v.Pending))
		}
		if !Equal(v.Desired, orEmpty(d.Desired)) || !Equal(v.Reported, orEmpty(d.Reported)) || d.Exists() && v.Version != d.Version {
			w.t.Fatalf("%q: this side %d %s %s, the service %d %s %s", v.Name,
				v.Version, Encode(v.Desired), Encode(v.Reported), d.Version, Encode(d.Desired), Encode(d.Reported))
		}
		w.mustSayTheDevice(v)
	}
}

func (w *world) mustSayTheDevice(v ShadowView) {
	for field, value := range w.device[v.Name] {
		said, there := v.Reported[field]
		if value == nil && there || value != nil && !Equal(said, value) {
			w.t.Fatalf("%q says %s = %v, the device is %v", v.Name, field, said, value)
		}
	}
	mirrors, _ := v.Reported[intentsKey].(Tree)
	headers, _ := v.Desired[intentsKey].(Tree)
	if !Equal(orEmpty(mirrors), orEmpty(headers)) {
		w.t.Fatalf("%q: headers %s, mirrors %s", v.Name, Encode(headers), Encode(mirrors))
	}
}

func (w *world) mustBeSilent() {
	w.said = nil
	w.answered = true
	w.wait(5 * minute)
	for _, line := range w.take() {
		if strings.HasPrefix(line, "publish") && !strings.Contains(line, " heartbeat ") && !strings.Contains(line, "/get ") {
			w.t.Fatalf("still talking: %s", line)
		}
	}
}
