package rules

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"

	"hoistway/sync/shadow"
)

// Bounds of what is kept of samples: they have a store of their own and never touch a
// document. The oldest go first.
const (
	maxSeries     = 64      // of one thing
	maxSamples    = 1_000   // of one series
	maxAllSamples = 1 << 20 // of all things
	maxSampleText = 32      // bytes
	sampleLife    = 24 * 60 * 60
	maxSeriesName = 64
	maxInMessage  = 200
)

// Sample is one value of a series.
type Sample struct {
	At    int64 // epoch seconds, as the device told it, or of its coming
	Value any   // a float64, or a word such as a floor's label or open
}

// telemetry takes samples in. There is no answer, and one that cannot be read is left
// out: they may be lost on the way as well.
func (c *call) telemetry() {
	t, err := shadow.Decode(c.payload)
	samples, isList := t["samples"].([]any)
	if err != nil || !isList {
		c.result.Note = "telemetry that cannot be read"
		return
	}
	for _, s := range samples[:min(len(samples), maxInMessage)] {
		if name, sample, ok := c.sample(s); ok {
			c.keepSample(name, sample)
		}
	}
}

// sample reads [series, at, value]. A time of the device's that is not of these days is
// its clock's fault.
func (c *call) sample(v any) (name string, s Sample, ok bool) {
	parts, _ := v.([]any)
	if len(parts) != 3 {
		return "", Sample{}, false
	}
	name, text := parts[0].(string)
	s.Value, ok = sampleValue(parts[2])
	at, dated := integer(parts[1])
	s.At = at
	if !dated || at < c.now-sampleLife || at > c.now+sampleLife {
		s.At = c.now
	}
	return name, s, ok && text && name != "" && len(name) <= maxSeriesName
}

func sampleValue(v any) (any, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Float64()
		return n, err == nil
	case string:
		return v, len(v) <= maxSampleText
	}
	return nil, false
}

func (c *call) keepSample(name string, s Sample) {
	t := c.thing
	series, known := t.series[name]
	if !known && len(t.series) >= maxSeries || c.service.sampled >= maxAllSamples {
		c.result.Note = "a sample has no room"
		return
	}
	if t.series == nil {
		t.series = map[string][]Sample{}
	}
	before := len(series)
	place, _ := slices.BinarySearchFunc(series, s.At+1, func(o Sample, at int64) int { return cmp.Compare(o.At, at) })
	series = dropOld(slices.Insert(series, place, s), c.now)
	t.series[name] = series
	c.service.sampled += len(series) - before
}

// dropOld keeps the newest and those that are not too old.
func dropOld(series []Sample, now int64) []Sample {
	place, _ := slices.BinarySearchFunc(series, now-sampleLife, func(o Sample, at int64) int { return cmp.Compare(o.At, at) })
	return slices.Delete(series, 0, max(place, len(series)-maxSamples))
}

// ageSamples lets go of what is too old, and of series in which nothing is left.
func (c *call) ageSamples() {
	for name, series := range c.thing.series {
		if len(series) > 0 && series[0].At >= c.now-sampleLife {
			continue
		}
		left := dropOld(series, c.now)
		c.service.sampled += len(left) - len(series)
		c.thing.series[name] = left
		if len(left) == 0 {
			delete(c.thing.series, name)
		}
	}
}

// Series are the names of a thing's series, sorted.
func (s *Service) Series(serial string) []string {
	if t := s.things[serial]; t != nil {
		return slices.Sorted(maps.Keys(t.series))
	}
	return nil
}

// Samples are those of one series with from <= At < to, oldest first, and of too many
// the newest most.
func (s *Service) Samples(serial, series string, from, to int64, most int) []Sample {
	t := s.things[serial]
	if t == nil {
		return nil
	}
	at := func(o Sample, at int64) int { return cmp.Compare(o.At, at) }
	a, _ := slices.BinarySearchFunc(t.series[series], from, at)
	b, _ := slices.BinarySearchFunc(t.series[series], to, at)
	b = max(a, b)
	return slices.Clone(t.series[series][max(a, b-max(most, 0)):b])
}
