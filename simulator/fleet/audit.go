package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hoistway/sync/mqttlink"
	"hoistway/sync/shadow"
)

const (
	auditWindow  = 32 // reads under way at once
	auditPatient = 15 * time.Second
	auditTries   = 3
	auditRepair  = 50 * time.Second // a heartbeat's longest gap, its answer and the read that follows
	auditPause   = 2 * time.Second
)

// Audit compares what the cloud answers with what each gateway believes, after all
// has settled. Each gateway has two documents. What differs is looked at again for
// a while, since the service tidies up after the last report, and a message that was
// lost on its way is made up for by the next heartbeat.
type Audit struct {
	Settled   int `json:"settled"` // gateways connected, with nothing pending and nothing wished
	Documents int `json:"documents"`
	Answered  int `json:"answered"`
	// Versions, States and Settings count gateways whose documents differ to the end: in
	// version, in what is reported, or between what was desired and what is in force.
	Versions int    `json:"versions_differ"`
	States   int    `json:"states_differ"`
	Settings int    `json:"settings_differ"`
	Again    int    `json:"again"`           // comparisons that had to be made once more
	First    string `json:"first,omitempty"` // the first difference, in words

	found []finding // by gateway
}

// Clean: everything was answered, and nothing differs.
func (a Audit) Clean() bool {
	return a.Answered == a.Documents && a.Versions+a.States+a.Settings == 0
}

// finding is one gateway's comparison; the zero value is: not made.
type finding struct {
	answered                            int
	settled, versions, states, settings bool // the last three: they agree
	how                                 string
}

func (f finding) clean() bool {
	return f.answered == 2 && f.settled && f.versions && f.states && f.settings
}

func (a *Audit) sum(f *fleet) {
	count := func(n *int, bad bool) {
		if bad {
			*n++
		}
	}
	for i, x := range a.found {
		a.Answered += x.answered
		count(&a.Settled, x.settled)
		count(&a.Versions, x.answered > 0 && !x.versions)
		count(&a.States, x.answered > 0 && !x.states)
		count(&a.Settings, x.answered > 0 && !x.settings)
		if !x.clean() && a.First == "" {
			a.First = f.gateways[i].serial + ": " + x.how
		}
	}
}

// settle ends the rides and waits until nothing is pending any more.
func (f *fleet) settle(ctx context.Context) {
	f.enter("settling")
	close(f.quiet)
	done := make([]bool, len(f.gateways))
	f.until(ctx, 2*f.o.Spread+graceFor(len(f.gateways)), func() bool { return f.settled(ctx, done) })
}

// settled asks those that were not yet, and tells whether all are.
func (f *fleet) settled(ctx context.Context, done []bool) bool {
	for i, g := range f.gateways {
		if done[i] {
			continue
		}
		if v, ok := g.ask(ctx); !ok || !settled(v) {
			return false // it is asked again, and the others after it
		}
		done[i] = true
	}
	return true
}

func (g *gateway) ask(ctx context.Context) (shadow.View, bool) {
	answer := make(chan shadow.View, 1)
	late := time.NewTimer(time.Second)
	defer late.Stop()
	select {
	case g.orders <- order{view: answer}:
	case <-late.C:
		return shadow.View{}, false
	case <-ctx.Done():
		return shadow.View{}, false
	}
	select {
	case v := <-answer:
		return v, true
	case <-late.C:
		return shadow.View{}, false
	case <-ctx.Done():
		return shadow.View{}, false
	}
}

func settled(v shadow.View) bool {
	return v.Connected && !slices.ContainsFunc(v.Shadows, func(s shadow.ShadowView) bool {
		return s.Version == 0 || len(s.Pending) > 0 || len(s.Delta) > 0
	})
}

// auditor reads documents as a client that is nobody's gateway.
type auditor struct {
	f       *fleet
	link    *mqttlink.Link
	mu      sync.Mutex
	waiting map[string]chan shadow.Tree // by topic of the answer
	up      chan struct{}
}

func (f *fleet) audit(ctx context.Context) (a Audit) {
	a = Audit{Documents: 2 * len(f.gateways), found: make([]finding, len(f.gateways))}
	defer a.sum(f)
	f.enter("audit")
	ctx, cancel := context.WithTimeout(ctx, auditRepair+graceFor(len(f.gateways)))
	root := "hoistway/things/+/shadow"
	link, err := mqttlink.New(mqttlink.Options{Broker: f.o.Broker, ClientID: f.o.Name + "-auditor", Topics: []string{
		shadow.ShadowTopic(root, "", shadow.OpGetAccepted), shadow.ShadowTopic(root, "+", shadow.OpGetAccepted),
	}})
	if err != nil {
		cancel()
		f.tally.couldNot(err)
		return a
	}
	x := &auditor{f: f, link: link, waiting: map[string]chan shadow.Tree{}, up: make(chan struct{})}
	defer f.owned(ctx, link.Run, x.listen)()
	defer cancel()
	select {
	case <-x.up:
	case <-ctx.Done():
		return a
	}
	x.rounds(ctx, &a)
	return a
}

func (x *auditor) listen(ctx context.Context) {
	up := sync.OnceFunc(func() { close(x.up) })
	for {
		select {
		case e := <-x.link.Events():
			switch e.Kind {
			case shadow.LinkUp:
				up()
			case shadow.LinkMessage:
				x.answer(e.Message)
			}
		case <-ctx.Done():
			return
		}
	}
}

func (x *auditor) answer(m shadow.Message) {
	x.mu.Lock()
	reply := x.waiting[m.Topic]
	delete(x.waiting, m.Topic)
	x.mu.Unlock()
	if reply == nil {
		return
	}
	if t, err := shadow.Decode(m.Payload); err == nil {
		reply <- t // has room for one
	}
}

// rounds goes through the fleet, then again through what was not clean.
func (x *auditor) rounds(ctx context.Context, a *Audit) {
	todo := make([]int, len(a.found))
	for i := range todo {
		todo[i] = i
	}
	for late := x.f.now() + auditRepair; ; {
		x.round(ctx, a, todo)
		todo = slices.DeleteFunc(todo, func(i int) bool { return a.found[i].clean() })
		if len(todo) == 0 || x.f.now() > late || ctx.Err() != nil {
			return
		}
		a.Again += len(todo)
		select {
		case <-time.After(auditPause):
		case <-ctx.Done():
			return
		}
	}
}

// round compares some gateways, a few at once.
func (x *auditor) round(ctx context.Context, a *Audit, which []int) {
	var readers sync.WaitGroup
	todo := make(chan int)
	for range auditWindow {
		readers.Go(func() {
			for i := range todo {
				a.found[i] = x.compare(ctx, x.f.gateways[i]) // one reader has it
			}
		})
	}
	for _, i := range which {
		todo <- i // a reader whose context has ended is quick
	}
	close(todo)
	readers.Wait()
}

// read asks for one document; nil when nobody answers.
func (x *auditor) read(ctx context.Context, g *gateway, name string) shadow.Tree {
	prefix := g.x + "/shadow"
	for range auditTries {
		reply := make(chan shadow.Tree, 1)
		x.mu.Lock()
		x.waiting[shadow.ShadowTopic(prefix, name, shadow.OpGetAccepted)] = reply
		x.mu.Unlock()
		ask := shadow.Message{Topic: shadow.ShadowTopic(prefix, name, shadow.OpGet), Payload: []byte(`{"clientToken":"audit"}`), QoS: 1}
		late := time.NewTimer(auditPatient)
		if err := x.link.Publish(ctx, ask); err != nil {
			late.Reset(time.Second)
		}
		select {
		case t := <-reply:
			late.Stop()
			return t
		case <-late.C:
		case <-ctx.Done():
			late.Stop()
			return nil
		}
	}
	return nil
}

// compare looks at one gateway's documents from both sides. Its loop writes truth no
// more: it was quiet before it told its view.
func (x *auditor) compare(ctx context.Context, g *gateway) finding {
	answers := []shadow.Tree{x.read(ctx, g, ""), x.read(ctx, g, lift)}
	v, ok := g.ask(ctx)
	if !ok {
		return finding{how: "the gateway does not answer"}
	}
	f := finding{settled: settled(v), versions: true, states: true, settings: true}
	for i, t := range answers {
		if t == nil {
			f.how = "the cloud does not answer"
			continue
		}
		f.answered++
		version, _ := t["version"].(json.Number)
		if n, err := version.Int64(); err != nil || n != v.Shadows[i].Version {
			f.versions, f.how = false, fmt.Sprintf("the cloud is at version %s, the gateway at %d", version, v.Shadows[i].Version)
		}
	}
	if answers[0] != nil && len(shadow.Delta(section(answers[0], "desired"), section(answers[0], "reported"))) > 0 {
		f.settings, f.how = false, "a wish is not in force"
	}
	if answers[1] != nil && !shadow.Equal(section(answers[1], "reported"), bare(g.truth)) {
		f.states, f.how = false, "the lift's state is another"
	}
	if !f.settled && f.how == "" {
		f.how = "something is still pending"
	}
	return f
}

func section(t shadow.Tree, name string) shadow.Tree {
	state, _ := t["state"].(shadow.Tree)
	s, _ := state[name].(shadow.Tree)
	out := shadow.Tree{}
	for k, v := range s {
		if !strings.HasPrefix(k, "_") {
			out[k] = v
		}
	}
	return out
}

// bare leaves out what is null: a service keeps no such key.
func bare(t shadow.Tree) shadow.Tree { return shadow.Merge(shadow.Tree{}, t) }
