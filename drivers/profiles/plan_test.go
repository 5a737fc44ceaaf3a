package profiles

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// fewest is how many reads cover all points of a period within the limits, by trying
// every way to end the last read; it knows nothing of how the plan is made.
func fewest(p *Profile, t Table, slow bool) int {
	var spans []span
	for _, pt := range p.points {
		if pt.table == t && pt.slow == slow {
			spans = append(spans, span{pt.addr, pt.addr + pt.size - 1})
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	best := make([]int, len(spans)+1)
	for i := 1; i <= len(spans); i++ {
		best[i] = len(spans) + 1
		for j := range i {
			if oneBlock(p, t, spans[j:i]) {
				best[i] = min(best[i], best[j]+1)
			}
		}
	}
	return best[len(spans)]
}

func oneBlock(p *Profile, t Table, spans []span) bool {
	end := spans[0].to
	for _, s := range spans[1:] {
		if s.from-end-1 > p.limits.holes {
			return false
		}
		end = max(end, s.to)
	}
	size := end - spans[0].from + 1
	_, whole := p.limits.readable(t, spans[0].from, size)
	return whole && size <= p.limits.most(t)
}

// The plan has as few reads a cycle as the device's limits allow.
// DR-3
func TestPlanHasFewestReads(t *testing.T) {
	sources := map[string][]byte{}
	for _, id := range IDs() {
		sources[id], _ = Lookup(id)
	}
	files, _ := filepath.Glob("testdata/features/*/profile.yaml")
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sources[f] = src
	}
	for name, src := range sources {
		p := parsed(t, name, src)
		due, slow := 0, 0
		for _, table := range allTables() {
			due += fewest(p, table, false)
			slow += fewest(p, table, true)
		}
		has := 0
		for _, b := range p.ReadPlan() {
			if b.Every == p.traits.FastPoll || p.slow == p.traits.FastPoll {
				has++
			}
		}
		if has > due || len(p.ReadPlan()) > due+slow {
			t.Errorf("%s: %d fast reads and %d in all, %d and %d would do", name, has, len(p.ReadPlan()), due, due+slow)
		}
	}
}
