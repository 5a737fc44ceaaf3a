package shadow

import (
	"cmp"
	"strconv"
	"testing"
)

// BenchmarkReport is one state change, from the report to its acknowledgement: two
// steps and the service's half. put_B is what goes into the store for it.
func BenchmarkReport(b *testing.B) {
	s := newStage(b)
	s.happen(`report L1 {"phase":"called","current_floor":"1","target_floor":"5","elevator_id":"L1","wait_duration":12,"gate_status":"closed"}`)
	s.happen("up 1")
	s.settle()
	var bytes int
	s.check = func(_ Input, p *pass) {
		for _, r := range p.puts {
			bytes += len(r.Value)
		}
	}
	n := 0
	for b.Loop() {
		n++
		s.now += second
		s.step(Report{Shadow: "L1", Fields: Tree{"state": "WAITING", "wait_duration": strconv.Itoa(n)}})
		s.settle()
		s.said = s.said[:0]
	}
	if s.session.View().Shadows[1].Updates < int64(n) {
		b.Fatal("not every report was written")
	}
	b.ReportMetric(float64(bytes)/float64(n), "put_B/op")
}

// gateway is a session of four lifts that has said all there is to say.
func gateway(t fataler) *stage {
	s := newStage(t)
	s.config.Shadows = []string{"", "L1", "L2", "L3", "L4"}
	s.session = New(s.config)
	for _, name := range s.config.Shadows {
		s.model.wish(name, Tree{"a": num(1), "b": Tree{"x": num(2), "y": "z"}})
		s.happen("report " + cmp.Or(name, "-") + ` {"state":"MOVING","phase":"riding","current_floor":"1","target_floor":"5","elevator_id":"L1",` +
			`"wait_duration":12,"gate_status":"closed","door_status":"closed","elevator_floor":"3","ride":{"id":"r-1","robot":"R1","from":"1","to":"5","fault_no":0},` +
			`"link":"online","mode":"automatic","occupied":true,"owner":"R1","accepting":true}`)
	}
	s.happen("up 1")
	s.settle()
	s.answered = true // budgets let the wishes of five shadows through in a while
	s.wait(minute)
	s.answered = false
	return s
}

// An input that changes nothing makes nothing, however much is known and wished.
func TestAQuietStepIsFree(t *testing.T) {
	s := gateway(t)
	var out []Output
	if n := testing.AllocsPerRun(100, func() { out = s.session.Step(Sent{Token: "1-1"}, s.now, out[:0]) }); n > 0 || len(out) > 0 {
		t.Errorf("%v allocations, %v", n, out)
	}
}

// BenchmarkSessionQuiet is an input that changes nothing, the most frequent of all.
func BenchmarkSessionQuiet(b *testing.B) {
	s := gateway(b)
	var out []Output
	for b.Loop() {
		out = s.session.Step(Sent{Token: "1-1"}, s.now, out[:0])
	}
	if len(out) != 0 {
		b.Fatal(out)
	}
}

// BenchmarkSessionReport is a change of one lift of four, told and accepted, with the
// service's half.
func BenchmarkSessionReport(b *testing.B) {
	s := gateway(b)
	n := 0
	for b.Loop() {
		n++
		s.now += second
		s.step(Report{Shadow: "L3", Fields: Tree{"wait_duration": n + 100}})
		s.settle()
		s.said = s.said[:0]
	}
	if s.session.View().Shadows[3].Updates < int64(n) {
		b.Fatal("not every report was written")
	}
}
