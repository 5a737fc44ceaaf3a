package profiles

import (
	"slices"
	"time"

	"hoistway/drivers/profiles/strict"
)

// socketKeys are those of a service over a WebSocket.
func socketKeys() []strict.Key {
	return []strict.Key{{Name: "socket", Required: true, Doc: "how the service is spoken to", Schema: strict.Keys(append(serviceKeys("none", "static", "bearer", "basic", "oauth2"),
		strict.Key{Name: "path", Default: "/", Doc: "below the link's own", Schema: strict.Of(strict.Name).Formed(pathForm, "a path that begins with /").In(1, 300)},
		strict.Key{Name: "query", Doc: "after the ?", Schema: slotsSchema()},
		strict.Key{Name: "headers", Doc: "of the request for the connection", Schema: slotsSchema()},
		strict.Key{Name: "subprotocol", Doc: "that the service must take", Schema: strict.Of(strict.Name).In(1, 60)},
		strict.Key{Name: "request_id", Default: "text", Doc: "$request_id, never the same twice on a connection: a text, or a number that counts up", Schema: strict.OneOf("text", "number")},
		strict.Key{Name: "echo", Doc: "where an answer has the id of its question; the first that is there", Schema: strict.ListOf(strict.Of(strict.Name).In(1, maxPlaceLen), 1, 5)},
		strict.Key{Name: "code", Doc: "where the vendor's own code stands in a no", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
		strict.Key{Name: "text", Doc: "where it says for people what is wrong", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
		strict.Key{Name: "begin", Doc: "said on each new connection, in this order", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "message", Required: true, Doc: "a message of the profile, by its name", Schema: messageName()},
			strict.Key{Name: "renew", Doc: "said again each; without it once", Schema: strict.Of(strict.Duration).Within(time.Second, 24*time.Hour)},
		), 1, 10)},
		strict.Key{Name: "session", Doc: "what outlives a connection", Schema: strict.Keys(
			strict.Key{Name: "create", Required: true, Doc: "the message that begins one", Schema: messageName()},
			strict.Key{Name: "at", Required: true, Doc: "where its answer names it", Schema: strict.Of(strict.Name).In(1, maxPlaceLen)},
			strict.Key{Name: "resume", Required: true, Doc: "the message that takes it up again on a new connection, with the value session", Schema: messageName()},
		)},
		strict.Key{Name: "ping", Default: "20s", Doc: "between our pings", Schema: strict.Of(strict.Duration).Within(time.Second, 10*time.Minute)},
		strict.Key{Name: "silence", Default: "1m", Doc: "without a message for so long the connection is made anew; where nothing is polled the lift is offline without a value for so long, so renew what tells the state more often", Schema: strict.Of(strict.Duration).Within(time.Second, time.Hour)},
		strict.Key{Name: "lifetime", Doc: "the service ends a connection by then; ours is made anew before, between two commands", Schema: strict.Of(strict.Duration).Within(time.Minute, 48*time.Hour)},
		strict.Key{Name: "messages", Required: true, Doc: "each by its name", Schema: strict.MapOf(strict.Name, socketMessage(), 1, 60)},
	)...)}}
}

func socketMessage() strict.Schema {
	return strict.Keys(
		strict.Key{Name: "json", Doc: "what is said, a JSON document; a text $name in it stands for the value", Schema: strict.Of(strict.Name).In(1, 4000)},
		strict.Key{Name: "heard", Doc: "it comes by itself: places of the document, and the values of which each has one; * at the end of a value is any end", Schema: whereSchema()},
		strict.Key{Name: "done", Doc: "what a final yes looks like; without it none comes, and a command stays unknown", Schema: whereSchema()},
		strict.Key{Name: "no", Doc: "what a final no looks like, tried first", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "where", Required: true, Doc: "places of the document, and the values of which each has one", Schema: whereSchema()},
			strict.Key{Name: "as", Required: true, Doc: "as in http.answer.errors", Schema: strict.OneOf("busy", "config", "device", "refused", "auth")},
		), 1, 20)},
		within("5s"), reads(),
	)
}

// socket reads the section of a service over a WebSocket.
func (b *builder) socket(root *strict.Value) {
	v := root.Get("socket")
	s := &Socket{
		Subprotocol: v.Get("subprotocol").Text(), Ping: v.Get("ping").Duration(), Silence: v.Get("silence").Duration(),
		Lifetime: v.Get("lifetime").Duration(), number: v.Get("request_id").Text() == "number", messages: map[string]*Message{},
	}
	b.p.socket = s
	b.service(v, &s.Service)
	s.Connect = &Request{Name: "connect", Method: "GET", path: v.Get("path").Text()}
	s.Connect.query = b.slots(v.Get("query"), &s.Service, nil)
	s.Connect.headers = b.slots(v.Get("headers"), &s.Service, nil)
	for _, e := range v.Get("echo").Items() {
		s.echo = append(s.echo, b.path(e, &s.Service))
	}
	common := &answering{code: v.Get("code").Text(), text: v.Get("text").Text(), paths: map[string]Path{}}
	for _, at := range []string{"code", "text"} {
		if p := v.Get(at); p.Given() && p.OK() {
			common.paths[p.Text()] = b.path(p, &s.Service)
		}
	}
	b.heard = map[string]bool{}
	for _, e := range v.Get("messages").Items() {
		m := b.socketMessage(e, s)
		m.answer = common
		s.messages[m.Name] = m
		b.messages[m.Name], b.needs[m.Name], b.heard[m.Name] = true, m.Args, m.Heard
	}
	b.begin(v, s)
	placed := b.place
	b.place = func(v *strict.Value, message, place string) {
		if m := s.messages[message]; m != nil && !m.Heard && !m.Answered {
			b.fault(v, message+" is never answered, so nothing can be read from it", "done")
		}
		placed(v, message, place)
	}
}

func (b *builder) socketMessage(v *strict.Value, s *Socket) *Message {
	m := &Message{Name: v.Key(), Within: v.Get("within").Duration(), Heard: v.Get("heard").Given(), Answered: v.Get("done").Given(), Reads: v.Get("reads").Bool()}
	if !nameForm.MatchString(m.Name) {
		b.fault(v, "not a name in small letters", "")
	}
	if says := v.Get("json").Given(); v.OK() && says == m.Heard {
		b.fault(v, "a message is said, or it comes by itself", "json, or heard")
	}
	if m.Heard && (m.Answered || v.Get("no").Given()) {
		b.fault(v, "what comes by itself has no answer", "leave out done and no")
	}
	if m.Heard && m.Reads {
		b.fault(v.Get("reads"), "what comes by itself is not asked", "")
	}
	m.says = b.template(v.Get("json"), &s.Service, &m.Args)
	m.comes, m.done = b.where(v.Get("heard"), &s.Service), b.where(v.Get("done"), &s.Service)
	for _, e := range v.Get("no").Items() {
		m.no = append(m.no, b.naysay(e, &s.Service))
	}
	if m.Answered && len(s.echo) == 0 {
		b.fault(v.Get("done"), "nothing tells whose answer it is", "socket.echo")
	}
	slices.Sort(m.Args)
	return m
}

func (b *builder) begin(v *strict.Value, s *Socket) {
	for _, e := range v.Get("begin").Items() {
		s.Begin = append(s.Begin, Begin{b.said(e.Get("message"), s, ""), e.Get("renew").Duration()})
	}
	if se := v.Get("session"); se.Given() {
		s.Session = Session{Create: b.said(se.Get("create"), s, ""), Resume: b.said(se.Get("resume"), s, "session"), at: b.path(se.Get("at"), &s.Service)}
	}
}

// said reads the name of a message that we say by ourselves: it takes no value, or the
// one that is named.
func (b *builder) said(v *strict.Value, s *Socket, value string) string {
	if !v.OK() {
		return ""
	}
	b.message(v, v.Text())
	m := s.messages[v.Text()]
	switch {
	case m == nil:
	case m.Heard:
		b.fault(v, m.Name+" only comes, it cannot be sent", "")
	default:
		for _, a := range m.Args {
			if a != value {
				b.fault(v, m.Name+" needs "+a+" of a command", "")
			}
		}
	}
	return v.Text()
}
