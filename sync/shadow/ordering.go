package shadow

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// request is X/commands/{cmd}/request.
type request struct {
	id, by string
	exp    int64 // epoch seconds
	args   Tree
	sig    Signature
	signed bool // a signature came along, and it can be read
}

// parseRequest says why it is none.
func parseRequest(t Tree) (r request, why string) {
	r.id, _ = t["id"].(string)
	r.by, _ = t["by"].(string)
	exp, ok := intOf(t["exp"])
	r.exp = exp
	args, isTree := t["args"].(Tree)
	r.args = orEmpty(args)
	switch {
	case !plainName(r.id, MaxToken):
		return r, "no id of 1 to 64 printable characters"
	case !ok || exp <= 0:
		return r, "no exp in epoch seconds"
	case t["args"] != nil && !isTree:
		return r, "args are no object"
	case len(r.by) > MaxToken || r.by != "" && !plainName(r.by, MaxToken):
		return r, "by is no name"
	case sectionSize(r.args) > maxEventBody:
		return r, "args over 1 KB"
	}
	r.sig, r.signed = ParseSignature(t["sig"])
	r.sig.Exp = exp
	return r, ""
}

// plainName holds for 1 to most printable characters of ASCII without a space.
func plainName(s string, most int) bool {
	return s != "" && len(s) <= most && !strings.ContainsFunc(s, func(c rune) bool { return c <= ' ' || c > '~' })
}

// unsigned says what is wrong with the signature of a command that needs one.
func (r request) unsigned(s *Session, name string, now int64) string {
	if !r.signed {
		return "needs an operator's signature"
	}
	return r.sig.Wrong(s.cfg.Operators, SignedBytes(s.cfg.Serial, r.id, BesideCommands+"/"+name, r.args, r.exp), now)
}

// orderMessage is one of X/commands/{cmd}/….
func (s *Session) orderMessage(topic string, t Tree) {
	name, ok := strings.CutPrefix(topic, BesideCommands+"/")
	if !ok {
		return
	}
	name, what, _ := strings.Cut(name, "/")
	switch what {
	case "request":
		s.request(name, t)
	case "response/accepted":
		s.orderHad(t)
	case "response/rejected":
		s.orderNotHad(t)
	}
}

// pendingOrders are those that waited while the line was down.
func (s *Session) pendingOrders(t Tree) {
	l := &s.aside.orders
	if token, _ := t["clientToken"].(string); token == "" || token != l.asking {
		s.note("duplicate", "an answer to no question for commands")
		return
	}
	l.asked, l.asking = true, ""
	list, _ := t["commands"].([]any)
	for _, v := range list[:min(len(list), maxOpenOrders)] {
		c, _ := v.(Tree)
		name, _ := c["cmd"].(string)
		s.request(name, c)
	}
}

// orderHad: the service took a status.
func (s *Session) orderHad(t Tree) {
	id, _ := t["id"].(string)
	status, _ := t["status"].(string)
	o := s.aside.orders.find(id)
	if o == nil || o.Status != OrderStatus(status) || o.Had == o.Status {
		return // of one before; the newest tells all
	}
	o.Had, o.changed = o.Status, true
	if o.Status.Final() && sectionSize(o.Result) > keptResult {
		o.Result = Tree{"told": true} // it was had; the id is what must be remembered
	}
	s.aside.orders.look()
	s.dirty |= dirtHad
}

// orderNotHad: it does not want to hear of it. What it can not place it will not place later.
func (s *Session) orderNotHad(t Tree) {
	token, _ := t["clientToken"].(string)
	code, _ := intOf(t["code"])
	for _, o := range s.aside.orders.busy {
		if o.token == token && token != "" && code >= 400 && code < 500 && code != 429 {
			s.note("rejected", "the service does not take %s of command %s: %d", o.Status, o.ID, code)
			o.Had, o.changed = o.Status, true
			s.dirty |= dirtHad
		}
	}
	s.aside.orders.look()
}

// answerOrders asks once for what waited, and tells the newest status of each command
// until it is had: a newer one takes the place of one that was not.
func (s *Session) answerOrders() {
	if !s.settledIn() {
		return
	}
	l := &s.aside.orders
	if len(s.cfg.Commands) > 0 && !l.asked && (l.asking == "" || s.reached(l.askedAt+answerLimit)) {
		l.asking, l.askedAt = s.token(), s.now
		s.publish(l.asking, s.cfg.Beside+"/"+BesidePending, Encode(Tree{"clientToken": l.asking}), 1, false)
		s.wakeAt(s.now + answerLimit)
	}
	for _, o := range l.busy {
		if o.Had != o.Status && (o.sentAt == 0 || s.reached(o.sentAt+answerLimit)) {
			s.sendStatus(o)
		}
	}
}

func (s *Session) sendStatus(o *order) {
	o.token, o.sentAt = s.token(), s.now
	t := Tree{"id": o.ID, "status": string(o.Status), "clientToken": o.token}
	if o.Reason != "" {
		t["reason"] = o.Reason
	}
	if len(o.Result) > 0 {
		t["result"] = o.Result
	}
	if o.Late {
		t["late"] = true
	}
	s.publish(o.token, s.cfg.Beside+"/"+BesideCommands+"/"+o.Name+"/response", Encode(t), 1, false)
	s.wakeAt(s.now + answerLimit)
}

func (l *orders) reconnected() {
	l.asked, l.asking = false, ""
	for _, o := range l.list {
		o.sentAt = 0
	}
}

func (l *orders) unsent(token string) {
	if l.asking == token {
		l.asking = ""
	}
}

const orderPrefix = "sync:command:"

func orderKey(slot int) string { return orderPrefix + strconv.Itoa(slot) + ":record" }

func (s *Session) keepOrders() {
	l := &s.aside.orders
	for _, slot := range l.slots.spent {
		s.erase(orderKey(slot))
	}
	l.slots.spent = nil
	for _, o := range l.list {
		if o.changed {
			s.store(orderKey(o.slot), encodeValue(o))
			o.changed = false
		}
	}
}

func (s *Session) loadOrder(slot string, value []byte) error {
	o := &order{}
	if err := unmarshal(value, o); err != nil {
		return err
	}
	l := &s.aside.orders
	i, err := strconv.Atoi(slot)
	if err != nil || !plainName(o.ID, MaxToken) || !ValidName(o.Name) || l.find(o.ID) != nil || !l.slots.hold(i, maxOrders) {
		return ErrMalformed
	}
	o.slot = i
	l.n = max(l.n, o.N)
	l.list = append(l.list, o)
	return nil
}

// loaded puts them into their order. Whether what was under way was carried out only its
// owner can know.
func (l *orders) loaded() {
	slices.SortFunc(l.list, func(a, b *order) int { return cmp.Compare(a.N, b.N) })
	for _, o := range l.list {
		if !o.Status.Final() {
			o.due, o.again = true, true
		}
	}
	l.look()
}
