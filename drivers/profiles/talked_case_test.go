package profiles

import (
	"fmt"
	"strconv"
	"strings"
)

// The steps of brokers and of nodes; testdata/README.md explains them.

func (c *caseRun) talked(f []string, s caseStep) string {
	body := strings.TrimSpace(s.words)
	switch f[0] {
	case "given":
		c.given = Given{Site: map[string]string{}, Nonce: "n"}
		for _, p := range c.p.topics.Params {
			c.given.Site[p.Name] = p.Default
		}
		for k, v := range keyValues(f[1:]) {
			if c.given.Site[k] = v; k == "unix" {
				c.given.Unix, _ = strconv.ParseInt(v, 10, 64)
			}
		}
		return ""
	case "ask":
		return c.askTalked(f[1:])
	case "say":
		return c.published(f[1], nil)
	case "answer":
		return c.answeredBy(f, body)
	case "comes":
		return c.came(f, body)
	case "node":
		return c.node(f, body)
	}
	return "no such step\n"
}

func (c *caseRun) askTalked(f []string) string {
	cmd, err := readCommand(f, c.floors)
	if err != nil {
		return err.Error() + "\n"
	}
	a, err := c.p.Ask(cmd, c.floors, instant("100s"))
	if err != nil {
		return err.Error() + "\n"
	}
	out := ""
	for _, s := range a.Sends {
		if c.p.topics != nil {
			out += c.published(s.Message, s.Args)
		} else {
			out += c.written(s)
		}
	}
	if a.HoldUntil != 0 {
		out += fmt.Sprintf("held until %s\n", at(a.HoldUntil))
	}
	if a.MayClose {
		out += "may close\n"
	}
	return out
}

// published writes a message as it goes to the broker, as question number 1.
func (c *caseRun) published(name string, args map[string]Raw) string {
	t, g := c.p.topics, c.given
	g.Args, g.ID = args, t.ID(g.Unix, 1, g.Nonce)
	topic, err := t.To(t.Topic(name), g)
	if err != nil {
		return err.Error() + "\n"
	}
	b, err := t.Payload(t.Topic(name), g)
	if err != nil {
		return err.Error() + "\n"
	}
	return name + " " + topic + " " + string(b) + "\n"
}

func (c *caseRun) answeredBy(f []string, body string) string {
	t := c.p.topics
	m := t.Topic(f[1])
	doc, err := Document([]byte(body))
	if err != nil {
		return "not JSON\n"
	}
	if !t.Answers(m, doc, t.ID(c.given.Unix, 1, c.given.Nonce), c.given.Site) {
		return "not ours\n"
	}
	v, final := m.Judge(doc, c.given.Site)
	if !final {
		return "not final\n"
	}
	if v.Kind != AnswerGood {
		a, text := c.p.Meaning(v.Code)
		return answerWords[v.Kind] + " " + v.Code + ", " + advice(a, text)
	}
	c.p.Lay(f[1], m.Partial, func(p string) Raw { return t.Pick(doc, p, c.given.Site) }, c.floors, instant(f[3]), &c.snap)
	return "good\n" + picture(c.snap, c.floors)
}

func (c *caseRun) came(f []string, body string) string {
	t := c.p.topics
	m := t.Topic(f[1])
	doc, err := Document([]byte(body))
	if err != nil || !m.Comes(doc, c.given.Site) {
		return "not it\n"
	}
	c.p.Lay(f[1], m.Partial, func(p string) Raw { return t.Pick(doc, p, c.given.Site) }, c.floors, instant(f[3]), &c.snap)
	return picture(c.snap, c.floors)
}

func (c *caseRun) node(f []string, body string) string {
	if body == "bad" {
		c.p.Lose(f[1], &c.snap)
		return picture(c.snap, c.floors)
	}
	doc, err := Document([]byte(body))
	if err != nil {
		return err.Error() + "\n"
	}
	c.p.Lay(f[1], false, func(p string) Raw { return PickNode(doc, p) }, c.floors, instant(f[3]), &c.snap)
	return picture(c.snap, c.floors)
}

func (c *caseRun) written(s Send) string {
	n := c.p.nodes.Node(s.Message)
	id, object, err := n.At("BASE.", s.Args)
	if err != nil {
		return err.Error() + "\n"
	}
	if !n.Calls {
		return fmt.Sprintf("%s = %s %s\n", id, n.Type, s.Args["value"].Word())
	}
	out := object + " " + id
	for _, in := range n.Inputs {
		out += " " + in.Type + " " + s.Args[in.Name].Word()
	}
	return out + "\n"
}
