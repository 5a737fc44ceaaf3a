package shadow

import (
	"strings"
)

// step hands one input over and carries out what comes of it, as core would: an
// Apply is answered before anything else happens, and everything of one pass is
// committed together or, in a crash, not at all.
func (s *stage) step(in Input) {
	p := &pass{}
	s.run(in, p)
	if s.crash {
		s.crash = false
		s.restart()
		return
	}
	for _, r := range p.puts {
		s.records[r.Key] = r
		if r.Value == nil {
			delete(s.records, r.Key)
		}
	}
	s.wire = append(s.wire, p.publishes...)
	for _, a := range p.applied {
		s.applies[a]++
	}
	if s.check != nil {
		s.check(in, p)
	}
}

// pass is what one input led to.
type pass struct {
	puts      []Record
	publishes []Publish
	applied   []string
}

func (s *stage) run(in Input, p *pass) {
	out := s.session.Step(in, s.now, nil)
	if s.twice != nil {
		s.twice(in, out)
	}
	for i, o := range out {
		switch o := o.(type) {
		case Publish:
			s.say("publish %s%s %s", strings.TrimPrefix(o.Topic, testBeside+"/"), retained(o), o.Payload)
			p.publishes = append(p.publishes, o)
		case Put:
			p.puts = append(p.puts, o.Record)
			if strings.HasSuffix(o.Key, "consumed") {
				s.say("put %s %s", o.Key, o.Value)
			}
		case Note:
			s.say("note %s: %s", o.Kind, o.Text)
		case Perform:
			s.perform(o)
			if rest := out[i+1:]; len(rest) > 0 && !isLast(rest[0]) {
				s.t.Fatalf("%T follows a Perform", rest[0])
			}
		case Apply:
			if i != len(out)-1 {
				s.t.Fatalf("an Apply is not the last output of its step")
			}
			s.apply(o, p)
		}
	}
}

func retained(p Publish) string {
	if p.Retain {
		return " retained"
	}
	return ""
}

func (s *stage) apply(a Apply, p *pass) {
	s.say("apply %s %q %s", a.Shadow, a.Intent, encodeValue(a.Values))
	var results []Result
	for _, path := range sortedKeys(a.Values) {
		p.applied = append(p.applied, a.Shadow+" "+a.Intent+" "+path)
		r, judged := s.judge[path]
		if !judged {
			r = Result{Path: path, Code: 200, Value: a.Values[path]}
		}
		results = append(results, r)
	}
	s.run(Applied{Shadow: a.Shadow, Intent: a.Intent, Results: results}, p)
}

// serve lets the service take what was said.
func (s *stage) serve() {
	wire := s.wire
	s.wire = nil
	for _, p := range wire {
		s.model.take(p.Message)
	}
}

func (s *stage) settle() {
	for range 200 {
		s.serve()
		if len(s.model.out) == 0 {
			return
		}
		held := s.model.out
		s.model.out = nil
		for _, m := range held {
			s.step(Received{m})
		}
	}
	s.t.Fatal("session and service never become quiet")
}

// wait lets time pass, ticking whenever the session asks for it.
func (s *stage) wait(d int64) {
	end := s.now + d
	for range 100_000 {
		wake := s.session.NextWake()
		if wake == 0 || wake > end {
			s.pass(end)
			return
		}
		s.pass(max(wake, s.now))
		s.step(Tick{})
		if s.answered {
			s.settle()
		}
	}
	s.t.Fatal("the session never sleeps")
}

func (s *stage) pass(to int64) {
	s.model.sec += to/second - s.now/second
	s.now = to
}

// restart is a new process with the same store.
func (s *stage) restart() {
	s.up, s.wire = false, nil
	var records []Record
	for _, k := range sortedKeys(s.records) {
		records = append(records, s.records[k])
	}
	s.session = New(s.config)
	s.step(Loaded{Records: records})
}

func (s *stage) view() {
	for _, v := range s.session.View().Shadows {
		name := v.Name
		if name == "" {
			name = "-"
		}
		s.say("%s version %d desired %s reported %s delta %s pending %s settled %v",
			name, v.Version, Encode(v.Desired), Encode(v.Reported), Encode(v.Delta), Encode(v.Pending), v.Settled)
	}
}
