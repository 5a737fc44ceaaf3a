package shadow

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// beside plays what happens beside the documents; ok is false when verb is none of it.
func (s *stage) beside(verb, rest string) (ok bool) {
	switch verb {
	case "event": // kind [alarm] [merge=key] {body}
		s.step(s.eventOf(rest))
	case "sample": // series value
		series, value, _ := strings.Cut(rest, " ")
		v, err := Decode([]byte(`{"v":` + value + `}`))
		s.must(err)
		s.step(Sample{Series: series, Value: v["v"]})
	case "shadows": // how many of lifts, L1 and on
		n, err := strconv.Atoi(rest)
		s.must(err)
		s.config.Shadows = nil
		for i := range n {
			s.config.Shadows = append(s.config.Shadows, fmt.Sprint("L", i+1))
		}
		s.session = New(s.config)
	case "dropped": // samples, a count
		s.say("dropped %d samples", s.session.View().Beside.Samples)
	case "commands": // the table of commands
		s.must(json.Unmarshal([]byte(rest), &s.config.Commands))
		s.session = New(s.config)
	case "performed": // id status, "reason" or -, {result}
		f := strings.SplitN(rest, " ", 4)
		in := Performed{ID: f[0], Status: OrderStatus(f[1])}
		if len(f) > 2 {
			in.Reason = strings.ReplaceAll(strings.Trim(f[2], "-"), "_", " ")
		}
		if len(f) > 3 {
			var err error
			in.Result, err = Decode([]byte(f[3]))
			s.must(err)
		}
		s.step(in)
	case "waits": // a command that the service holds for this device
		t, err := Decode([]byte(rest))
		s.must(err)
		s.model.pending = append(s.model.pending, t)
	case "store": // the records of a kind, as they lie
		for _, k := range sortedKeys(s.records) {
			if strings.HasPrefix(k, "sync:"+rest) {
				s.say("  %s %s", k, s.records[k].Value)
			}
		}
	default:
		return false
	}
	return true
}

func (s *stage) eventOf(rest string) Event {
	words, body, _ := strings.Cut(rest, "{")
	e := Event{}
	for i, w := range strings.Fields(words) {
		key, merges := strings.CutPrefix(w, "merge=")
		switch {
		case i == 0:
			e.Kind = w
		case merges:
			e.Merge = key
		default:
			e.Alarm = w == "alarm"
		}
	}
	if body != "" {
		var err error
		e.Body, err = Decode([]byte("{" + body))
		s.must(err)
	}
	return e
}

// events is the service's side of X/events: it takes each number once and answers for
// all that it has without a hole.
func (m *model) events(raw []byte) {
	t, _ := Decode(raw)
	epoch, _ := intOf(t["epoch"])
	seq, _ := intOf(t["seq"])
	if t["kind"] == EventLost {
		from, _ := intOf(t["from"])
		to, _ := intOf(t["to"])
		m.window.Skip(uint64(epoch), Span{uint64(from), uint64(to)})
	}
	seen, _ := m.window.Take(Order{uint64(epoch), uint64(seq)})
	if seen == SeenNew || seen == SeenLate {
		m.had = append(m.had, t)
	}
	if len(m.window.Missing) > 0 {
		m.beside(BesideResync, Tree{"events_from": num(m.window.Upto() + 1)})
	}
	m.beside(BesideEventsAccepted, Tree{"epoch": num(epoch), "upto": num(m.window.Upto())})
}

func (m *model) beside(topic string, t Tree) {
	m.out = append(m.out, Message{Topic: testBeside + "/" + topic, Payload: Encode(t)})
}

func isLast(o Output) bool {
	switch o.(type) {
	case Perform, Apply:
		return true
	}
	return false
}

func (s *stage) perform(o Perform) {
	again := ""
	if o.Again {
		again = " again"
	}
	s.say("perform %s %s %s by %q%s", o.Name, o.ID, Encode(o.Args), o.By, again)
}

// commands is the service's side of X/commands: it takes each status.
func (m *model) commands(topic string, raw []byte) {
	t, _ := Decode(raw)
	if topic == BesidePending {
		m.beside(BesidePending+"/accepted", Tree{"clientToken": t["clientToken"], "commands": m.pending})
		return
	}
	m.beside(topic+"/accepted", Tree{"id": t["id"], "status": t["status"], "clientToken": t["clientToken"]})
}
