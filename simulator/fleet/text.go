package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Text is the report for people, in lines.
func (r Report) Text() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("fleet", "%d of %d gateways reached the broker, %d were answered by the cloud; %s in all, %s of life%s",
		r.Reached, r.Gateways, r.Registered, short(r.Took), short(r.Life), map[bool]string{true: "; ended early"}[r.Incomplete])
	line("arrival", "%s; in step: %s", r.ArrivalConnected.words(), r.ArrivalInStep.words())
	line("online", "%.1f %% in the mean of calm moments, %.1f %% at the least", r.OnlineMean, r.OnlineLeast)
	line("messages", "%.0f/s sent, %.0f/s received; %.0f KB/s of topics and payloads, %.0f KB/s on the sockets",
		r.SentPerSecond, r.ReceivedPerSecond, r.BytesPerSecond/1000, r.WirePerSecond/1000)
	r.rideLines(line)
	line("latency", "report to accepted: %s", r.Latency.words())
	line("settings", "%d wished, %d carried out, %d confirmed, %d refused or expired, %d twice; wish to confirmed: %s",
		r.Settings.Wished, r.Settings.CarriedOut, r.Settings.Confirmed, r.Settings.Refused, r.Settings.Twice, r.Settings.Latency.words())
	for i, s := range r.Storms {
		s.lines(i+1, line)
	}
	line("trouble", "%d drops, %d power cuts, %d connections lost otherwise, %d attempts failed, %d messages said again",
		r.Drops, r.PowerCuts, r.ForeignLosses, r.FailedAttempts, r.FailedSends)
	if r.LastError != "" {
		line("last error", "%s", r.LastError)
	}
	line("notes", "%s", counts(r.Notes))
	m := r.Memory
	line("memory", "%d MB resident, %d MB heap, %d goroutines; a gateway: %d KB resident, %d KB heap, %.1f goroutines; at the end %d MB resident",
		m.RSS>>20, m.Heap>>20, m.Goroutines, m.PerGatewayRSS>>10, m.PerGatewayHeap>>10, m.PerGatewayRun, m.EndRSS>>20)
	line("files", "%d descriptors open", r.Files)
	r.Audit.lines(line)
	line("verdict", "%s", map[bool]string{true: "ok: nothing lost, nothing twice", false: "not ok"}[r.OK()])
	return b.String()
}

type liner func(name, format string, args ...any)

func (r Report) rideLines(line liner) {
	d := r.Rides
	line("rides", "%d done; %d transitions: %d told, %d overtaken by the next, %d found by reading, %d lost",
		d.Done, d.Transitions, d.Told, d.Overtaken, d.Read, d.Lost)
	line("bytes", "%.0f a ride on the lift's shadow, topics and payloads both ways; %.0f a ride if all traffic is put on rides",
		d.Bytes, d.WireBytes)
}

func (s Storm) lines(n int, line liner) {
	line(fmt.Sprintf("storm %d", n), "by the %s after %s: %s", s.By, short(s.At), s.Connected.words())
	line("", "in step: %s", s.InStep.words())
	line("", "back by second: %s", bars(s.Connected.BySecond))
}

func (a Audit) lines(line liner) {
	line("audit", "%d gateways settled; %d of %d documents answered; different: %d versions, %d states, %d settings; %d looked at again",
		a.Settled, a.Answered, a.Documents, a.Versions, a.States, a.Settings, a.Again)
	if a.First != "" {
		line("", "first: %s", a.First)
	}
}

func (s Spread) words() string {
	return fmt.Sprintf("%d of %d back, 50 %% in %s, 95 %% in %s, all in %s", s.Back, s.Gateways, never(s.P50), never(s.P95), never(s.P100))
}

func never(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return short(d)
}

func (p Percentiles) words() string {
	if p.Samples == 0 {
		return "nothing measured"
	}
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s, most %s (%d)", short(p.P50), short(p.P95), short(p.P99), short(p.Most), p.Samples)
}

func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}

// bars is a histogram in one line: numbers, since bars of a storm of ten
// thousand would hide the one that came last.
func bars(n []int) string {
	words := make([]string, len(n))
	for i, v := range n {
		words[i] = fmt.Sprint(v)
	}
	return strings.Join(words, " ")
}

func counts(m map[string]int) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		words = append(words, fmt.Sprintf("%s %d", k, m[k]))
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
