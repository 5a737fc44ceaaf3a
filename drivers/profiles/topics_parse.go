package profiles

import (
	"slices"
	"strings"
	"time"

	"hoistway/drivers/profiles/strict"
)

// topicsKeys are those of a controller behind a broker.
func topicsKeys() []strict.Key {
	place := func() strict.Schema { return strict.Of(strict.Name).In(1, maxPlaceLen) }
	return []strict.Key{{Name: "topics", Required: true, Doc: "what is published and what comes", Schema: strict.Keys(
		strict.Key{Name: "params", Doc: "what the link of a lift must say after its ?; topics and messages say it as $name", Schema: strict.MapOf(strict.Name, strict.Keys(
			strict.Key{Name: "doc", Required: true, Doc: "what it is and where the installer finds it", Schema: strict.Of(strict.Text).In(1, 200)},
			strict.Key{Name: "default", Doc: "where the link does not say it", Schema: strict.Of(strict.Name).In(0, 200)},
		), 0, 20)},
		strict.Key{Name: "request_id", Default: "text", Doc: "$request_id, never the same twice: a text, a number that counts up, or the time at which it is asked", Schema: strict.OneOf("text", "number", "seconds", "milliseconds")},
		strict.Key{Name: "echo", Doc: "where an answer has the id of its question; the first that is there", Schema: strict.ListOf(place(), 1, 5)},
		strict.Key{Name: "code", Doc: "where the vendor's own code stands in an answer", Schema: place()},
		strict.Key{Name: "text", Doc: "where it says for people what is wrong", Schema: place()},
		strict.Key{Name: "silent", Default: "10s", Doc: "without a message for so long the lift is offline", Schema: strict.Of(strict.Duration).Within(time.Second, time.Hour)},
		strict.Key{Name: "online", Default: "message", Doc: "message: the lift is there while messages come; broker: while the broker is, whatever is known of the car", Schema: strict.OneOf("message", "broker")},
		strict.Key{Name: "messages", Required: true, Doc: "each by its name", Schema: strict.MapOf(strict.Name, topicSchema(place), 1, 60)},
	)}}
}

func topicSchema(place func() strict.Schema) strict.Schema {
	topic := func() strict.Schema { return strict.Of(strict.Name).In(1, 200) }
	return strict.Keys(
		strict.Key{Name: "publish", Doc: "the topic that it is published on; a part of it may be $name", Schema: topic()},
		strict.Key{Name: "json", Doc: "what is published, a JSON document; a text $name in it stands for the value, $name:text and $name:int for it as a text or whole number", Schema: strict.Of(strict.Name).In(1, 4000)},
		strict.Key{Name: "value", Doc: "what is published, a bare value", Schema: slotText()},
		strict.Key{Name: "retain", Default: "false", Doc: "the broker keeps it", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "answer", Doc: "how the answer comes; without it none does, and a command stays unknown", Schema: strict.Keys(
			strict.Key{Name: "subscribe", Required: true, Doc: "its topic", Schema: topic()},
			strict.Key{Name: "match", Doc: "what it says beside the id of the question; places, and the values of which each has one", Schema: whereSchema()},
			strict.Key{Name: "done", Required: true, Doc: "what a yes looks like", Schema: whereSchema()},
			strict.Key{Name: "no", Doc: "what a no looks like, tried first", Schema: strict.ListOf(strict.Keys(
				strict.Key{Name: "where", Required: true, Doc: "places of the document, and the values of which each has one", Schema: whereSchema()},
				strict.Key{Name: "as", Required: true, Doc: "as in http.answer.errors", Schema: strict.OneOf("busy", "config", "device", "refused", "auth")},
			), 1, 20)},
		)},
		strict.Key{Name: "subscribe", Doc: "it comes by itself, on this topic; + and # as brokers have them", Schema: topic()},
		strict.Key{Name: "where", Doc: "only documents with these values are it", Schema: whereSchema()},
		strict.Key{Name: "partial", Default: "false", Doc: "what it does not say stays as it was", Schema: strict.Of(strict.Bool)},
		strict.Key{Name: "time", Doc: "where it says when that happened; what the broker kept counts as old without it", Schema: strict.Keys(
			strict.Key{Name: "at", Required: true, Doc: "the place", Schema: place()},
			strict.Key{Name: "as", Required: true, Doc: "how it is written; text is RFC 3339", Schema: strict.OneOf("seconds", "milliseconds", "text")},
		)},
		within("5s"),
		strict.Key{Name: "tries", Default: "1", Doc: "how often a question is asked; a command is said once", Schema: strict.Of(strict.Int).In(1, 10)},
		strict.Key{Name: "again", Default: "1s", Doc: "between them", Schema: strict.Of(strict.Duration).Within(100*time.Millisecond, time.Minute)},
	)
}

// topics reads the section.
func (b *builder) topics(root *strict.Value) {
	v := root.Get("topics")
	t := &Topics{
		Silent: v.Get("silent").Duration(), ByBroker: v.Get("online").Text() == "broker",
		ids: v.Get("request_id").Text(), topics: map[string]*Topic{},
	}
	b.p.topics = t
	b.service(v, &t.Service)
	for _, e := range v.Get("echo").Items() {
		t.echo = append(t.echo, b.path(e, &t.Service))
	}
	common := &answering{code: v.Get("code").Text(), text: v.Get("text").Text(), paths: map[string]Path{}}
	for _, at := range []string{"code", "text"} {
		if p := v.Get(at); p.Given() && p.OK() {
			common.paths[p.Text()] = b.path(p, &t.Service)
		}
	}
	b.heard = map[string]bool{}
	for _, e := range v.Get("messages").Items() {
		m := b.topic(e, t)
		m.answer = common
		t.topics[m.Name] = m
		b.messages[m.Name], b.needs[m.Name], b.heard[m.Name] = true, m.Args, m.Heard
	}
	b.sources(t)
}

// sources looks at what points are taken from.
func (b *builder) sources(t *Topics) {
	placed := b.place
	b.place = func(v *strict.Value, message, place string) {
		if m := t.topics[message]; m != nil && !m.Heard && !m.Answered {
			b.fault(v, message+" is never answered, so nothing can be read from it", "answer")
		}
		placed(v, message, place)
	}
}

func (b *builder) topic(v *strict.Value, t *Topics) *Topic {
	m := &Topic{
		Message: Message{Name: v.Key(), Within: v.Get("within").Duration(), Heard: v.Get("subscribe").Given(), Answered: v.Get("answer").Given()},
		Publish: v.Get("publish").Given(), Retain: v.Get("retain").Bool(), Partial: v.Get("partial").Bool(),
		Tries: v.Get("tries").Int(), Again: v.Get("again").Duration(),
	}
	if !messageName().Match.MatchString(m.Name) {
		b.fault(v, "not a name in small letters", "")
	}
	b.topicShape(v, m)
	m.says = b.template(v.Get("json"), &t.Service, &m.Args)
	if x := v.Get("value"); x.Given() && x.OK() {
		s := b.slot(x)
		b.need(x, s.name, &t.Service, &m.Args)
		m.scalar = &s
	}
	m.to = b.topicParts(v.Get("publish"), t, &m.Args)
	a := v.Get("answer")
	m.from = b.topicParts(v.Get("subscribe"), t, nil)
	if m.Answered {
		m.from = b.topicParts(a.Get("subscribe"), t, nil)
	}
	m.comes, m.match, m.done = b.where(v.Get("where"), &t.Service), b.where(a.Get("match"), &t.Service), b.where(a.Get("done"), &t.Service)
	for _, e := range a.Get("no").Items() {
		m.no = append(m.no, b.naysay(e, &t.Service))
	}
	if d := v.Get("time"); d.Given() {
		m.dated, m.unit = b.path(d.Get("at"), &t.Service), d.Get("as").Text()
	}
	slices.Sort(m.Args)
	return m
}

// topicShape looks whether the keys of a message go together.
func (b *builder) topicShape(v *strict.Value, m *Topic) {
	says := v.Get("json").Given() || v.Get("value").Given()
	switch {
	case !v.OK():
	case m.Publish == m.Heard:
		b.fault(v, "a message is published, or it comes by itself", "publish, or subscribe")
	case m.Publish != says, v.Get("json").Given() && v.Get("value").Given():
		b.fault(v, "what is published is a document or a bare value", "json, or value")
	case m.Heard && m.Answered:
		b.fault(v.Get("answer"), "what comes by itself has no answer", "")
	case !m.Heard && v.Get("where").Given():
		b.fault(v.Get("where"), "where is for what comes by itself", "answer.match")
	}
}

// topicParts cuts a topic.
func (b *builder) topicParts(v *strict.Value, t *Topics, args *[]string) (out []slot) {
	if !v.Given() || !v.OK() {
		return nil
	}
	for part := range strings.SplitSeq(v.Text(), "/") {
		s, err := parseSlot(part)
		if err != nil || s.name != "" && s.text != "" || s.as != "" {
			b.fault(v, "a part of a topic is a text or $name as a whole", "")
			continue
		}
		if args != nil && strings.ContainsAny(part, "+#") {
			b.fault(v, "nothing is published on + or #", "")
		}
		b.need(v, s.name, &t.Service, args)
		out = append(out, s)
	}
	return out
}
