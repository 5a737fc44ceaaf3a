// Package shadow keeps one thing's shadows in step with a service that speaks
// the public device-shadow shape. It is pure and knows nothing of lifts: its
// values are JSON.
package shadow

// Message is one message of the broker.
type Message struct {
	Topic   string
	Payload []byte
	QoS     byte
	Retain  bool
}

// LinkEventKind says what a [LinkEvent] tells.
type LinkEventKind uint8

const (
	LinkUnknown LinkEventKind = iota
	LinkUp                    // connected, every subscription acknowledged
	LinkDown                  // connection lost or never made; Err says why
	LinkMessage               // Message arrived on a subscribed topic
)

// LinkEvent is what an uplink tells the one who owns a session. It is declared
// here so that the carriers of messages need to know no more than these types.
type LinkEvent struct {
	Kind    LinkEventKind
	Err     error
	Message Message
}

// Tree is a JSON object as decoded with json.Number: map[string]any, []any,
// string, json.Number, bool and nil.
type Tree = map[string]any

// Config is what a session must know.
type Config struct {
	Serial   string
	Prefix   string   // of the shadow topics: hoistway/things/{serial}/shadow
	Beside   string   // X: hoistway/things/{serial}; "" with no extension
	Shadows  []string // "" is the classic one; then one a lift
	Register Tree     // payload of X/register without clientToken
	Seed     uint64   // of the jitter; the same seed gives the same outputs
	Rules    []Rule   // of desired fields; one without a rule has no time to live and touches nothing
	// Operators are those whose signatures release what only a signature may.
	Operators []Operator
	// Commands are those that this device carries out; another is refused.
	Commands []Command
	Dialect  Dialect // of a service that knows our shadow and not what we say beside it; nil = ours
}

// Rule is what the field table says of a desired field.
type Rule struct {
	Path    string
	Class   Class
	TTL     int64 // seconds, when its header gives none or there is no header; 0 = as its class has it
	Touches bool  // carrying it out touches a controller: the tight budget holds
}

// Input is what can happen to a session. The set is closed.
type Input interface{ input() }

// Loaded hands in the records that Put outputs stored, at start.
type Loaded struct{ Records []Record }

// Up: connected and every subscription acknowledged. Session is the persisted
// number of this connection.
type Up struct{ Session uint64 }

// Down: the connection is lost.
type Down struct{}

// Received is a message of a subscribed topic.
type Received struct{ Message }

// Report says what the device now is: whole reported values by top-level name.
// A nil value is a key that no longer holds. Names not in Fields stay as they are.
type Report struct {
	Shadow string
	Fields Tree
}

// Applied answers an [Apply], in the same pass: each path's result.
type Applied struct {
	Shadow  string
	Intent  string
	Results []Result
}

// Result is what became of one path of an intent. Code is one of the ack
// codes (200, 202, 203, 400, …); Value is what is in force now.
type Result struct {
	Path   string
	Code   int
	Value  any
	Detail string
}

// Amended tells what became of values after they were answered with 200: 203 set
// otherwise by somebody on site, 500 no longer to be had. Of other writes it says nothing.
type Amended struct {
	Shadow  string
	Results []Result
}

// Sent tells what became of a Publish: nil Err is proof that the broker took it.
type Sent struct {
	Token string
	Err   error
}

// Stopping announces a clean end: presence goes offline before the connection does.
type Stopping struct{}

// Tick says that time has passed.
type Tick struct{}

func (Loaded) input()   {}
func (Up) input()       {}
func (Down) input()     {}
func (Received) input() {}
func (Report) input()   {}
func (Applied) input()  {}
func (Amended) input()  {}
func (Sent) input()     {}
func (Stopping) input() {}
func (Tick) input()     {}

// Output is what a session wants done. The set is closed; order matters.
type Output interface{ output() }

// Publish sends one message. Token comes back in Sent.
type Publish struct {
	Token string
	Message
}

// Put stores or deletes a record, in the batch of the step that put it out.
type Put struct{ Record }

// Apply asks for one intent's values to be judged and put in force, all or none.
// The answer is an Applied input within the same pass.
type Apply struct {
	Shadow string
	Intent string
	Values map[string]any // by path; nil: desired asks for it no longer
	By     string         // who its header says has written it, "" for not told
	Batch  string         // to which its header says it belongs, "" for none
	Now    int64          // the service's time in epoch seconds, 0 for not known
}

// Note is something worth a line in the log or a count.
type Note struct {
	Kind string // duplicate, gap, conflict, expired, rejected, …
	Text string
}

func (Publish) output() {}
func (Put) output()     {}
func (Apply) output()   {}
func (Note) output()    {}

// View is a session as people see it.
type View struct {
	Connected bool
	Session   uint64
	Epoch     uint64 // of the device, given at registration
	Shadows   []ShadowView
	Beside    BesideView
}

// ShadowView is one document as this side knows it.
type ShadowView struct {
	Name     string // "" is the classic shadow
	Version  int64  // last accepted
	Desired  Tree
	Reported Tree  // as the service acknowledged it
	Delta    Tree  // empty when converged
	Pending  Tree  // reported values that wait for their acknowledgement
	Settled  bool  // every leaf of a non-empty delta has a final ack
	Updates  int64 // reported updates accepted since the start
}
