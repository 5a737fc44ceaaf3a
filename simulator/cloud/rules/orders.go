package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// Order is a command to a thing: something to do once, and not a state to be in.
type Order struct {
	Serial, ID, Name string
	By               string
	Args             shadow.Tree
	Sig              shadow.Tree // of an operator's key: {key, sig}
	At, Expires      int64       // epoch seconds; 0 for Expires is 30 s from now
	State            shadow.OrderStatus
	Reason           string
	Result           shadow.Tree
	ReceivedAt       int64
	EndedAt          int64
	Late             shadow.OrderStatus // what the device said after the end, "" = nothing
	LateResult       shadow.Tree
}

// OrderIssued is what a command is before the device's first word.
const OrderIssued shadow.OrderStatus = "issued"

// orderStep puts the states in order: a word of an earlier step comes late.
var orderStep = map[shadow.OrderStatus]int{
	OrderIssued: 0, shadow.OrderReceived: 1, shadow.OrderRunning: 2, shadow.OrderDone: 3,
	shadow.OrderRefused: 3, shadow.OrderFailed: 3, shadow.OrderExpired: 3,
}

const (
	receiveLimit   = 30 // seconds to received
	orderLifeMost  = 3600
	permissiveLife = 60
	maxOrders      = 100 // of one thing
	maxArgsSize    = 1 << 10
	maxResultSize  = 8 << 10
	maxReason      = 200
)

// orderKind is what a command needs.
type orderKind struct {
	limit  int64 // seconds it may run
	signed bool
}

var orderKinds = map[string]orderKind{
	"restart": {limit: 120}, "self-test": {limit: 60}, "snapshot": {limit: 60}, "run-update": {limit: 3600},
	"open-door": {limit: 30, signed: true}, "reset-fault": {limit: 30, signed: true},
}

// Ended tells whether nothing more is to be waited for.
func (o Order) Ended() bool { return o.State.Final() }

// Issue sends a command. An empty ID gets one; an id that was used is refused 409.
// The error is a [*shadow.Rejection].
func (s *Service) Issue(o Order, now int64) (Order, Result, error) {
	t := s.things[o.Serial]
	if t == nil {
		return o, Result{}, &shadow.Rejection{Code: 404, Message: "No thing of that serial"}
	}
	c := call{service: s, thing: t, now: now}
	if o.ID == "" {
		o.ID = t.freeID()
	}
	o.At, o.State, o.Expires = now, OrderIssued, cmp.Or(o.Expires, now+receiveLimit)
	if err := c.permit(o); err != nil {
		return o, Result{}, err
	}
	c.makeRoom()
	t.orders = append(t.orders, &o)
	c.orderIs(&o)
	c.ask(orderPrefix+o.Name+orderRequest, o.request())
	return o, c.settle(), nil
}

// freeID is the next of the service's own.
func (t *thing) freeID() (id string) {
	for id == "" || t.order(id) != nil {
		t.Orders++
		id = fmt.Sprintf("c-%d", t.Orders)
	}
	return id
}

func (c *call) permit(o Order) error {
	kind, known := orderKinds[o.Name]
	life := int64(orderLifeMost)
	if kind.signed {
		life = permissiveLife
	}
	switch {
	case !known:
		return &shadow.Rejection{Code: 400, Message: "No such command"}
	case !shadow.ValidName(o.ID):
		return &shadow.Rejection{Code: 400, Message: "Invalid id"}
	case c.thing.order(o.ID) != nil:
		return &shadow.Rejection{Code: 409, Message: "A command of that id was issued before"}
	case o.Expires <= c.now || o.Expires > c.now+life:
		return &shadow.Rejection{Code: 400, Message: fmt.Sprintf("The command must end within %d s", life)}
	case kind.signed && len(o.Sig) == 0:
		return &shadow.Rejection{Code: 403, Message: "The command needs an operator's signature"}
	case len(shadow.Encode(o.Args)) > maxArgsSize || len(shadow.Encode(o.Sig)) > maxArgsSize:
		return &shadow.Rejection{Code: 413, Message: "The arguments are too large"}
	}
	return nil
}

// request is the command as the device is told.
func (o Order) request() shadow.Tree {
	t := shadow.Tree{"id": o.ID, "by": o.By, "exp": number(o.Expires), "args": shadow.Merge(nil, o.Args)}
	if len(o.Sig) > 0 {
		t["sig"] = o.Sig
	}
	return t
}

func (t *thing) order(id string) *Order {
	if i := slices.IndexFunc(t.orders, func(o *Order) bool { return o.ID == id }); i >= 0 {
		return t.orders[i]
	}
	return nil
}

// makeRoom forgets the oldest command that ended, or else the oldest.
func (c *call) makeRoom() {
	t := c.thing
	if len(t.orders) < maxOrders {
		return
	}
	i := max(0, slices.IndexFunc(t.orders, func(o *Order) bool { return o.Ended() }))
	gone := record(ofOrder, "state", nil, t.Serial, t.orders[i].ID)
	gone.Body = nil
	c.result.Puts = append(c.result.Puts, gone)
	t.orders = slices.Delete(t.orders, i, i+1)
}

func (o Order) record() shadow.Record {
	return record(ofOrder, "state", func() any { return o }, o.Serial, o.ID)
}

// orderIs stores and tells the state that a command is in now.
func (c *call) orderIs(o *Order) {
	if o.Ended() {
		o.EndedAt = c.now
	}
	n := News{Kind: Command, ID: o.ID, Code: string(o.State), Text: o.Name, By: o.By}
	if o.Reason != "" {
		n.Text += ": " + o.Reason
	}
	c.tell(n)
	if o.Ended() && o.State != shadow.OrderDone {
		n.Kind = CommandFailed
		c.tell(n)
	}
	c.result.Puts = append(c.result.Puts, o.record())
}

// response is the device's word on a command. Each is answered, a repeated one too.
func (c *call) response(name string) {
	t, token, ok := c.request()
	if !ok {
		return
	}
	id, _ := t["id"].(string)
	status, _ := t["status"].(string)
	if orderStep[shadow.OrderStatus(status)] == 0 {
		c.bad(token, "status")
		return
	}
	o := c.thing.order(id)
	if o == nil || o.Name != name {
		c.refuse(&shadow.Rejection{Code: 404, Message: "No such command"}, token, nil)
		return
	}
	result, _ := t["result"].(shadow.Tree)
	if len(shadow.Encode(result)) > maxResultSize {
		c.refuse(&shadow.Rejection{Code: 413, Message: "The result is too large"}, token, nil)
		return
	}
	reason, _ := t["reason"].(string)
	c.advance(o, shadow.OrderStatus(status), strings.ToValidUTF8(reason[:min(len(reason), maxReason)], ""), result)
	c.accept(shadow.Tree{"id": id, "status": status}, token)
}

func (c *call) advance(o *Order, state shadow.OrderStatus, reason string, result shadow.Tree) {
	switch {
	case o.Ended():
		if state != o.State && o.Late == "" && state.Final() {
			o.Late, o.LateResult = state, result
			c.result.Puts = append(c.result.Puts, o.record())
		}
		return
	case orderStep[state] <= orderStep[o.State]:
		return
	}
	if o.ReceivedAt == 0 {
		o.ReceivedAt = c.now
	}
	o.State, o.Reason, o.Result = state, reason, result
	c.orderIs(o)
}

// judgeOrders ends what was not received in time, or runs beyond its limit.
func (c *call) judgeOrders() {
	for _, o := range c.thing.orders {
		limit := orderKinds[o.Name].limit
		switch {
		case o.State == OrderIssued && c.now-o.At > receiveLimit:
			o.State, o.Reason = shadow.OrderFailed, fmt.Sprintf("not received within %d s", receiveLimit)
		case !o.Ended() && o.ReceivedAt > 0 && c.now-o.ReceivedAt > limit:
			o.State, o.Reason = shadow.OrderFailed, fmt.Sprintf("not ended within %d s", limit)
		default:
			continue
		}
		c.orderIs(o)
	}
}

// pending answers a device that was away with what it is still to do. What was told
// to have failed is not in it: it must not happen after all.
func (c *call) pending() {
	_, token, ok := c.request()
	if !ok {
		return
	}
	waiting := []any{}
	for _, o := range c.thing.orders {
		if !o.Ended() && o.Expires > c.now {
			r := o.request()
			r["cmd"] = o.Name
			waiting = append(waiting, r)
		}
	}
	c.accept(shadow.Tree{"commands": waiting}, token)
}

// Orders are the commands of a thing, oldest first, at most 100.
func (s *Service) Orders(serial string) (out []Order) {
	if t := s.things[serial]; t != nil {
		for _, o := range t.orders {
			out = append(out, *o)
		}
	}
	return out
}
