package shadow

import (
	"errors"
	"fmt"
)

// Update is one request to change a shadow.
type Update struct {
	Desired       Tree // nil = the section is not in the request
	Reported      Tree
	ClearDesired  bool   // "desired": null, or "state": null
	ClearReported bool   // "reported": null, or "state": null
	Version       *int64 // nil = whatever the version is
	Order         *Order // of the reported leaves, our extension
	Token         string
}

// Order is the device's own order of its reports: (epoch, seq), never a clock.
type Order struct{ Epoch, Seq uint64 }

// After tells whether o was made after p.
func (o Order) After(p Order) bool {
	return o.Epoch > p.Epoch || o.Epoch == p.Epoch && o.Seq > p.Seq
}

// Rejection is a service's refusal, with the public code.
type Rejection struct {
	Code    int
	Message string
}

func (r *Rejection) Error() string { return fmt.Sprintf("%d %s", r.Code, r.Message) }

func reject(code int, message string) error { return &Rejection{code, message} }

// rejectDecode puts a decoding error under the code that the public service has for it.
func rejectDecode(err error) error {
	switch {
	case errors.Is(err, ErrUTF8):
		return reject(415, "Unsupported documented encoding; supported encoding is UTF-8")
	case errors.Is(err, ErrTooLarge):
		return reject(413, "The payload exceeds the maximum size allowed")
	case errors.Is(err, ErrTooDeep):
		return reject(400, "JSON contains too many levels of nesting; maximum is 6")
	}
	return reject(400, "Invalid JSON: "+err.Error())
}

// ParseUpdate reads the payload of an update. The error is a [*Rejection]; the
// token is there whenever it could be read, so that the refusal can carry it.
func ParseUpdate(raw []byte) (Update, error) {
	t, err := Decode(raw)
	if err != nil {
		return Update{}, rejectDecode(err)
	}
	u := Update{}
	if u.Token, err = parseToken(t); err != nil {
		return u, err
	}
	if err := u.parseVersion(t); err != nil {
		return u, err
	}
	if err := u.parseOrder(t); err != nil {
		return u, err
	}
	if err := u.parseState(t); err != nil {
		return u, err
	}
	return u, u.check()
}

func parseToken(t Tree) (string, error) {
	v, there := t["clientToken"]
	if !there {
		return "", nil
	}
	s, ok := v.(string)
	if !ok || len(s) > MaxToken {
		return "", reject(400, "Invalid clientToken")
	}
	return s, nil
}

func (u *Update) parseVersion(t Tree) error {
	v, there := t["version"]
	if !there || v == nil {
		return nil
	}
	n, ok := intOf(v)
	if !ok || n < 0 {
		return reject(400, "Invalid version")
	}
	u.Version = &n
	return nil
}

func (u *Update) parseOrder(t Tree) error {
	v, there := t["order"]
	if !there {
		return nil
	}
	o, _ := v.(Tree)
	epoch, ok1 := intOf(o["epoch"])
	seq, ok2 := intOf(o["seq"])
	if !ok1 || !ok2 || epoch < 0 || seq < 0 {
		return reject(400, "Invalid order")
	}
	u.Order = &Order{uint64(epoch), uint64(seq)}
	return nil
}

func (u *Update) parseState(t Tree) error {
	v, there := t["state"]
	if !there {
		return reject(400, "Missing required node: state")
	}
	if v == nil {
		u.ClearDesired, u.ClearReported = true, true
		return nil
	}
	state, ok := v.(Tree)
	if !ok {
		return reject(400, "State node must be an object")
	}
	for _, k := range sortedKeys(state) {
		if k != "desired" && k != "reported" {
			return reject(400, fmt.Sprintf("State contains an invalid node: %.64q", k))
		}
	}
	var err error
	if u.Desired, u.ClearDesired, err = parseSection(state, "desired"); err != nil {
		return err
	}
	u.Reported, u.ClearReported, err = parseSection(state, "reported")
	return err
}

func parseSection(state Tree, name string) (section Tree, empty bool, err error) {
	v, there := state[name]
	if !there {
		return nil, false, nil
	}
	if v == nil {
		return nil, true, nil
	}
	t, ok := v.(Tree)
	if !ok {
		return nil, false, reject(400, name+" node must be an object")
	}
	return t, false, nil
}

// check holds for updates made in the program too.
func (u Update) check() error {
	if depth(u.Desired) > MaxDepth || depth(u.Reported) > MaxDepth {
		return rejectDecode(ErrTooDeep)
	}
	if nullInList(u.Desired, false) || nullInList(u.Reported, false) {
		return reject(400, "An array contains null")
	}
	return nil
}

// nullInList finds a null at any depth of a list: lists are values, nothing in
// them is removed.
func nullInList(v any, inList bool) bool {
	switch v := v.(type) {
	case nil:
		return inList
	case Tree:
		for _, e := range v {
			if nullInList(e, inList) {
				return true
			}
		}
	case []any:
		for _, e := range v {
			if nullInList(e, true) {
				return true
			}
		}
	}
	return false
}

// Payload is the request on the wire.
func (u Update) Payload() []byte {
	state := Tree{}
	addSection(state, "desired", u.Desired, u.ClearDesired)
	addSection(state, "reported", u.Reported, u.ClearReported)
	t := Tree{"state": state}
	if u.Version != nil {
		t["version"] = num(*u.Version)
	}
	if u.Order != nil {
		t["order"] = Tree{"epoch": num(u.Order.Epoch), "seq": num(u.Order.Seq)}
	}
	if u.Token != "" {
		t["clientToken"] = u.Token
	}
	return Encode(t)
}

func addSection(state Tree, name string, t Tree, empty bool) {
	if t != nil {
		state[name] = t
	} else if empty {
		state[name] = nil
	}
}
