package shadow

import "slices"

// Command is a row of the table of commands: what a service may ask of this device.
type Command struct {
	Name   string
	Limit  int64 // seconds from its receipt to its end
	Signed bool  // only with an operator's signature and proven time, at most a minute old
}

// Perform asks for one command to be carried out. Behind it come only others and an
// [Apply]; each id comes once. What follows goes in by [Performed], in the same pass or
// later.
type Perform struct {
	ID, Name string
	Args     Tree // never nil
	By       string
	// Again says that a process before this one had it under way when it ended: what
	// became of it is to be told; it is not to be carried out a second time.
	Again bool
}

func (Perform) output() {}

// OrderStatus is how far a command has come.
type OrderStatus string

// The states of a command. The last four are final.
const (
	OrderReceived OrderStatus = "received"
	OrderRunning  OrderStatus = "running"
	OrderDone     OrderStatus = "done"
	OrderRefused  OrderStatus = "refused"
	OrderFailed   OrderStatus = "failed"
	OrderExpired  OrderStatus = "expired"
)

// Final reports that nothing follows.
func (o OrderStatus) Final() bool {
	switch o {
	case OrderDone, OrderRefused, OrderFailed, OrderExpired:
		return true
	}
	return false
}

// Performed tells how far a [Perform] has come. Result is at most 8 KB.
type Performed struct {
	ID     string
	Status OrderStatus
	Reason string
	Result Tree
}

func (Performed) input() {}

const (
	maxOrders      = 1000 // remembered
	maxOpenOrders  = 16   // not at their end
	maxOrderResult = 8 << 10
	keptResult     = 256 // bytes of a result that stays with the record once it was had
)

// order is one command, as it lies in the store too: whoever repeats its id is answered
// from it.
type order struct {
	N      uint64      `json:"n"` // order of arrival
	ID     string      `json:"id"`
	Name   string      `json:"cmd"`
	By     string      `json:"by,omitempty"`
	Status OrderStatus `json:"status"`
	Reason string      `json:"reason,omitempty"`
	Result Tree        `json:"result,omitempty"`
	Late   bool        `json:"late,omitempty"` // it ended after its limit
	Had    OrderStatus `json:"had,omitempty"`  // the newest status that the service took

	args    Tree
	slot    int
	changed bool
	due     bool  // to be handed out
	again   bool  // with the mark of an earlier process
	until   int64 // instant of its limit
	sentAt  int64 // of the newest status; 0 = to be sent
	token   string
}

func (o *order) set(status OrderStatus, reason string) {
	o.Status, o.Reason = status, reason
	o.changed, o.sentAt = true, 0
}

// orders are the commands that are remembered, by arrival.
type orders struct {
	list    []*order
	busy    []*order // of them: not at their end, or the service does not know it
	n       uint64
	slots   slots
	asked   bool   // for those that waited while the line was down
	asking  string // token
	askedAt int64
}

// look works out who is busy, after a change.
func (l *orders) look() {
	l.busy = l.busy[:0]
	for _, o := range l.list {
		if !o.Status.Final() || o.Had != o.Status {
			l.busy = append(l.busy, o)
		}
	}
}

func (l *orders) find(id string) *order {
	i := slices.IndexFunc(l.list, func(o *order) bool { return o.ID == id })
	if i < 0 {
		return nil
	}
	return l.list[i]
}

// request takes a command in: from its topic, or from the list of those that waited.
func (s *Session) request(name string, t Tree) {
	r, why := parseRequest(t)
	if why == "" && !ValidName(name) {
		why = "no name of a command"
	}
	if why != "" {
		s.note("malformed", "command %.64s: %s", name, why)
		return
	}
	if !s.registered() {
		return // it is in the list that is fetched then
	}
	l := &s.aside.orders
	if o := l.find(r.id); o != nil {
		s.note("duplicate", "command %s %s came before: %s", name, r.id, o.Status)
		o.sentAt, o.Had = 0, ""
		l.look()
		return
	}
	o := &order{N: l.n + 1, ID: r.id, Name: name, By: r.by, args: r.args}
	o.set(OrderReceived, "")
	l.n++
	if status, why := s.barred(o, r); status != "" {
		o.set(status, why)
	} else {
		rule, _ := s.command(name)
		o.due, o.until = true, s.now+rule.Limit*second
	}
	l.add(o)
	s.dirty |= dirtOrders
}

// add remembers a command; the oldest that ended makes room.
func (l *orders) add(o *order) {
	if len(l.list) >= maxOrders {
		if i := slices.IndexFunc(l.list, func(o *order) bool { return o.Status.Final() }); i >= 0 {
			l.slots.free(l.list[i].slot)
			l.list = slices.Delete(l.list, i, i+1)
		}
	}
	o.slot = l.slots.take()
	l.list = append(l.list, o)
	l.look()
}

func (s *Session) command(name string) (Command, bool) {
	i := slices.IndexFunc(s.cfg.Commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return s.cfg.Commands[i], true
}

// barred says why a command is not carried out; "" when it may be.
func (s *Session) barred(o *order, r request) (OrderStatus, string) {
	rule, known := s.command(o.Name)
	now := s.clock.ms(s.now) / 1000
	switch {
	case !known:
		return OrderRefused, "not a command of this device"
	case rule.Signed && !s.clock.proven:
		return OrderExpired, "time unknown: this connection has no proven time"
	case now > 0 && now >= r.exp:
		return OrderExpired, "its time was over when it came"
	case s.aside.orders.open() >= maxOpenOrders:
		return OrderRefused, "too many commands are under way"
	case rule.Signed:
		if why := r.unsigned(s, o.Name, now); why != "" {
			return OrderRefused, why
		}
	}
	return "", ""
}

func (l *orders) open() (n int) {
	for _, o := range l.busy {
		if !o.Status.Final() {
			n++
		}
	}
	return n
}

// handOut puts out what is to be carried out.
func (s *Session) handOut() {
	for _, o := range s.aside.orders.busy {
		if o.due {
			o.due = false
			s.put(Perform{ID: o.ID, Name: o.Name, Args: orEmpty(o.args), By: o.By, Again: o.again})
			o.args = nil
		}
	}
}

// performed takes in how far a command has come. After its limit the result is still told,
// as late.
func (s *Session) performed(in Performed) {
	o := s.aside.orders.find(in.ID)
	if o == nil || o.Status.Final() && (o.Late || !o.overdue()) || !o.Status.Final() && in.Status == o.Status {
		return
	}
	if o.Status.Final() {
		if !in.Status.Final() {
			return
		}
		o.Late = true
	}
	result, err := Plain(in.Result)
	t, _ := result.(Tree)
	if err != nil || sectionSize(t) > maxOrderResult {
		in.Status, in.Reason, t = OrderFailed, "its result is no object of 8 KB", nil
	}
	o.set(in.Status, in.Reason)
	o.Result = t
	s.aside.orders.look()
	s.dirty |= dirtOrders
}

const reasonOverdue = "not ended within its limit"

func (o *order) overdue() bool { return o.Status == OrderFailed && o.Reason == reasonOverdue }

// limitOrders ends what did not end in time.
func (s *Session) limitOrders() {
	for _, o := range s.aside.orders.busy {
		if !o.Status.Final() && o.until != 0 && s.reached(o.until) {
			s.note("overdue", "command %s %s has not ended within its limit", o.Name, o.ID)
			o.set(OrderFailed, reasonOverdue)
			s.dirty |= dirtOrders
		}
	}
}
