package aws

import (
	"encoding/json"
	"strconv"
	"strings"

	"hoistway/sync/shadow"
)

// Dialect is a [shadow.Dialect] for one thing. The session that has it owns it.
type Dialect struct {
	beside   string   // X
	commands string   // before an execution's id
	jobs     string   // before a job's id
	answers  []answer // the newest to each command, the oldest first
	flying   []flying // events, in order of their numbers
	later    []shadow.Input
	asks     int // of start-next
}

// New makes the dialect of a thing whose own topics are below beside.
func New(serial, beside string) *Dialect {
	return &Dialect{
		beside:   beside + "/",
		commands: "$aws/commands/things/" + serial + "/executions/",
		jobs:     "$aws/things/" + serial + "/jobs/",
	}
}

// Prefix is where the service speaks of a thing's shadows.
func Prefix(serial string) string { return "$aws/things/" + serial + "/shadow" }

// Topics implements [shadow.Dialect].
func (d *Dialect) Topics() []string {
	return []string{
		d.commands + "+/request/json", d.commands + "+/response/accepted/json", d.commands + "+/response/rejected/json",
		d.jobs + "notify-next", d.jobs + "start-next/accepted", d.jobs + "start-next/rejected",
	}
}

// Hear implements [shadow.Dialect].
func (d *Dialect) Hear(in shadow.Input) ([]shadow.Input, []shadow.Publish) {
	first := d.later
	d.later = nil
	inputs, say := d.hear(in)
	return append(first, inputs...), say
}

func (d *Dialect) hear(in shadow.Input) ([]shadow.Input, []shadow.Publish) {
	switch m := in.(type) {
	case shadow.Up:
		return []shadow.Input{in}, []shadow.Publish{d.startNext()}
	case shadow.Down:
		d.flying = nil // what was not taken is said again
	case shadow.Sent:
		return d.hearSent(m), nil
	case shadow.Received:
		if rest, ok := strings.CutPrefix(m.Topic, d.commands); ok {
			return d.hearCommand(rest, m)
		}
		if rest, ok := strings.CutPrefix(m.Topic, d.jobs); ok {
			return d.hearJob(rest, m)
		}
	}
	return []shadow.Input{in}, nil
}

// Say implements [shadow.Dialect].
func (d *Dialect) Say(p shadow.Publish) []shadow.Publish {
	rest, ok := strings.CutPrefix(p.Topic, d.beside)
	if !ok {
		return []shadow.Publish{p}
	}
	if id, is := strings.CutPrefix(rest, shadow.BesideWish+"/"); is {
		return d.sayJob(id, p)
	}
	if rest == "events" {
		return d.sayEvent(p)
	}
	if cmd, is := strings.CutPrefix(rest, "commands/"); is {
		return d.sayCommand(cmd, p)
	}
	return []shadow.Publish{p}
}

// send is a message that nobody waits for: it has no token.
func send(topic string, body shadow.Tree) shadow.Publish {
	return shadow.Publish{Message: shadow.Message{Topic: topic, Payload: shadow.Encode(body), QoS: 1}}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func whole(v any) int64 {
	n, _ := v.(json.Number)
	i, _ := n.Int64() // 0 when it is none: unknown
	return i
}

func number(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// plain is s as the service takes descriptions: printable, at most so many characters.
func plain(s string, most int) string {
	out := []rune(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s))
	return string(out[:min(len(out), most)])
}
