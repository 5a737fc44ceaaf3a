package profiles

import (
	"strconv"
	"strings"

	"hoistway/fsm/elevator"
)

// The steps of services over HTTP and sockets; testdata/README.md explains them.

func (c *caseRun) service(f []string, body string) string {
	switch f[0] {
	case "given":
		return c.giving(f[1:])
	case "say":
		return c.sayMessage(f[1], c.args(f[2:]))
	case "ask":
		return c.command(c.p, f[1:], func(s Send) string { return s.Message + ": " + c.sayMessage(s.Message, s.Args) })
	case "answer":
		return c.judged(f, body)
	case "comes":
		return c.comes(f, body)
	}
	return noStep
}

func keyValues(f []string) map[string]string {
	out := map[string]string{}
	for _, kv := range f {
		k, v, _ := strings.Cut(kv, "=")
		out[k] = v
	}
	return out
}

// giving reads what messages are said with: unix, nonce, token and id, and beside them
// words of the site and secrets.
func (c *caseRun) giving(f []string) string {
	s := c.serviceOf()
	c.given = Given{Site: map[string]string{}, Secrets: map[string]string{}}
	for _, p := range s.Params {
		c.given.Site[p.Name] = p.Default
	}
	for k, v := range keyValues(f) {
		switch {
		case k == "unix":
			c.given.Unix, _ = strconv.ParseInt(v, 10, 64)
		case k == "nonce":
			c.given.Nonce = v
		case k == "token":
			c.given.Token = v
		case k == "id":
			c.given.ID = Literal(v)
		case s.param(k):
			c.given.Site[k] = v
		default:
			c.given.Secrets[k] = v
		}
	}
	return ""
}

func (c *caseRun) serviceOf() *Service {
	if h := c.p.HTTP(); h != nil {
		return &h.Service
	}
	return &c.p.Socket().Service
}

func (c *caseRun) args(f []string) map[string]Raw {
	out := map[string]Raw{}
	for k, v := range keyValues(f) {
		out[k] = Literal(v)
	}
	return out
}

// say writes a message as it goes out.
func (c *caseRun) sayMessage(name string, args map[string]Raw) string {
	g := c.given
	g.Args = args
	if s := c.p.Socket(); s != nil && name != "connect" {
		b, err := s.Write(s.Message(name), g)
		if err != nil {
			return err.Error() + "\n"
		}
		return string(b) + "\n"
	}
	s := c.serviceOf()
	var r *Request
	if name == "connect" {
		r = c.p.Socket().Connect
	} else {
		r = c.p.HTTP().Request(name)
	}
	said, err := s.Say(r, g)
	if err != nil {
		return err.Error() + "\n"
	}
	var b strings.Builder
	b.WriteString(said.Method + " " + said.Path)
	if said.Query != "" {
		b.WriteString("?" + said.Query)
	}
	b.WriteString("\n")
	for _, h := range said.Header {
		b.WriteString(h[0] + ": " + h[1] + "\n")
	}
	if len(said.Body) > 0 {
		b.WriteString(string(said.Body) + "\n")
	}
	return b.String()
}

var answerWords = map[AnswerKind]string{
	AnswerGarbage: "garbage", AnswerGood: "good", AnswerBusy: "busy", AnswerConfig: "config",
	AnswerDevice: "device", AnswerRefused: "refused", AnswerDenied: "denied",
}

// answer judges an answer: answer NAME at 5s [status=200] [type=application/json], and the body.
func (c *caseRun) judged(f []string, body string) string {
	var v Judgement
	when, kv := instant(f[3]), keyValues(f[4:])
	if s := c.p.Socket(); s != nil {
		doc, err := Document([]byte(body))
		if err != nil {
			return "not JSON\n"
		}
		final := false
		if v, final = s.Message(f[1]).Judge(doc, c.given.Site); !final {
			return "to " + s.Echo(doc) + ", not final\n"
		}
		v.Text = strings.TrimSpace(v.Text)
	} else {
		status, kind := 200, "application/json"
		if n, ok := kv["status"]; ok {
			status, _ = strconv.Atoi(n)
		}
		if k, ok := kv["type"]; ok {
			kind = k
		}
		v = c.p.HTTP().Request(f[1]).Judge(status, kind, []byte(body), c.given)
	}
	out := answerWords[v.Kind]
	if v.Kind != AnswerGood {
		a, text := c.p.Meaning(v.Code)
		out += strings.TrimRight(" "+v.Code+", "+advice(a, text), "\n")
	}
	out += "\n"
	if v.Kind == AnswerGood {
		c.layMessage(f[1], false, v.Doc, when)
		out += picture(c.snap, c.floors)
	}
	return out
}

// comes hears what comes by itself.
func (c *caseRun) comes(f []string, body string) string {
	doc, err := Document([]byte(body))
	if err != nil {
		return "not JSON\n"
	}
	out := ""
	for _, m := range c.p.Socket().Heard() {
		if m.Comes(doc, c.given.Site) {
			out += m.Name + "\n"
			c.layMessage(m.Name, true, doc, instant(f[2]))
		}
	}
	return out + picture(c.snap, c.floors)
}

// lay takes the plain places only; jq runs in the driver, whose tests play it.
func (c *caseRun) layMessage(source string, partial bool, doc any, when elevator.Instant) {
	c.p.Lay(source, partial, func(p string) Raw { return c.serviceOf().Pick(doc, p, c.given.Site) }, c.floors, when, &c.snap)
}
