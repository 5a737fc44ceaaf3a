package shadow

import (
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
