package shadow

import (
	"errors"
	"strings"
)

// model is a service of the public shape in one value: what comes in is applied
// to documents, what it says goes to out.
type model struct {
	docs    map[string]Document
	epoch   uint64
	sec     int64 // its clock
	out     []Message
	plain   bool // as the public service: no current with a conflict
	deaf    bool // takes messages and says nothing
	refuse  int  // answers updates with this code
	early   func()
	window  Window
	had     []Tree // events
	pending []any  // commands
}

const (
	testPrefix = "hoistway/things/GW-1/shadow"
	testBeside = "hoistway/things/GW-1"
)

func newModel() *model { return &model{docs: map[string]Document{}, sec: 1_700_000_000, epoch: 6} }

func (m *model) say(name, op string, payload []byte) {
	m.out = append(m.out, Message{Topic: ShadowTopic(testPrefix, name, op), Payload: payload})
}

func (m *model) take(msg Message) {
	if m.deaf {
		return
	}
	if name, op, ok := ParseShadowTopic(testPrefix, msg.Topic); ok {
		switch op {
		case OpGet:
			m.get(name, msg.Payload)
		case OpUpdate:
			m.update(name, msg.Payload)
		}
		return
	}
	switch strings.TrimPrefix(msg.Topic, testBeside+"/") {
	case BesideRegister:
		m.register(msg.Payload)
	case BesideHeartbeat:
		m.beat(msg.Payload)
	case BesidePresence:
		m.out = append(m.out, msg)
	case BesideEvents:
		m.events(msg.Payload)
	default:
		if topic := strings.TrimPrefix(msg.Topic, testBeside+"/"); strings.HasPrefix(topic, BesideCommands) {
			m.commands(topic, msg.Payload)
		}
	}
}

func (m *model) register(raw []byte) {
	t, _ := Decode(raw)
	if t["store"] == "fresh" {
		m.epoch++
	}
	m.out = append(m.out, Message{
		Topic: testBeside + "/" + BesideRegisterAccepted,
		Payload: Encode(Tree{
			"clientToken": t["clientToken"], "created": false, "epoch": num(m.epoch),
			"template_version": num(1), "server_time": num(m.sec),
		}),
	})
}

// beat is answered on a difference only.
func (m *model) beat(raw []byte) {
	t, _ := Decode(raw)
	told, _ := t["versions"].(Tree)
	differ := Tree{}
	for name, v := range told {
		if n, _ := intOf(v); n != m.docs[name].Version {
			differ[name] = num(m.docs[name].Version)
		}
	}
	if len(differ) > 0 {
		m.out = append(m.out, Message{
			Topic:   testBeside + "/" + BesideHeartbeatReply,
			Payload: Encode(Tree{"versions": differ, "seq": t["seq"], "server_time": num(m.sec)}),
		})
	}
}

func (m *model) get(name string, raw []byte) {
	t, _ := Decode(raw)
	token, _ := t["clientToken"].(string)
	d := m.docs[name]
	if !d.Exists() {
		m.say(name, OpGetRejected, RejectedPayload(&Rejection{404, "No shadow exists with that name"}, m.sec, token, nil))
		return
	}
	m.say(name, OpGetAccepted, d.GetPayload(m.sec, token, nil))
}

func (m *model) update(name string, raw []byte) {
	u, err := ParseUpdate(raw)
	if m.early != nil {
		m.early()
	}
	if err == nil && m.refuse != 0 {
		err = &Rejection{m.refuse, "refused by the test"}
	}
	m.applyUpdate(name, u, err)
}

func (m *model) applyUpdate(name string, u Update, err error) {
	before := m.docs[name]
	after := before
	if err == nil {
		after, err = before.Apply(u, m.sec)
	}
	if err != nil {
		var r *Rejection
		errors.As(err, &r)
		current := &before
		if m.plain || r.Code != 409 {
			current = nil
		}
		m.say(name, OpUpdateRejected, RejectedPayload(r, m.sec, u.Token, current))
		return
	}
	m.docs[name] = after
	m.say(name, OpUpdateAccepted, after.AcceptedPayload(u, m.sec))
	if p, ok := after.DeltaPayload(m.sec, u.Token); ok {
		m.say(name, OpUpdateDelta, p)
	}
}

// wish is an operator's write.
func (m *model) wish(name string, desired Tree) {
	m.applyUpdate(name, Update{Desired: desired, Token: "operator"}, nil)
}

func (m *model) delete(name string) {
	d, err := m.docs[name].Deleted(m.sec)
	if err != nil {
		return
	}
	m.docs[name] = d
	m.say(name, OpDeleteAccepted, d.DeletedPayload(m.sec, ""))
}
