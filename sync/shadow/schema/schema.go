// Package schema holds the shapes of every message of the protocol as JSON Schema
// (draft 2020-12), and which of them belongs to which topic. It serves tests and whoever
// checks a service or a device; the agent's program does not import it.
package schema

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Files are the schemas: common.json, shadow.json, beside.json.
//
//go:embed *.json
var Files embed.FS

const base = "https://hoistway.invalid/"

// Topic is a row of the table: a topic below X = hoistway/things/{serial}, and the
// shape of what is said there. SHADOW stands for shadow or shadow/name/{shadow}; + for
// one level of any name.
type Topic struct {
	Name  string
	By    Speaker
	Shape string
}

// Speaker is who says something.
type Speaker string

// The two sides. A delete is an operator's, who writes as a device would.
const (
	Device  Speaker = "device"
	Service Speaker = "service"
)

// Filters are what to subscribe below X to hear all that one side says.
func Filters(by Speaker) []string {
	var out []string
	for _, t := range Topics() {
		switch rest, ok := strings.CutPrefix(t.Name, "SHADOW/"); {
		case t.By != by:
		case ok:
			out = append(out, "shadow/"+rest, "shadow/name/+/"+rest)
		default:
			out = append(out, t.Name)
		}
	}
	return out
}

// Topics are all of them.
func Topics() []Topic {
	return []Topic{
		{"SHADOW/get", Device, "shadow.json#/$defs/get"},
		{"SHADOW/get/accepted", Service, "shadow.json#/$defs/getAccepted"},
		{"SHADOW/get/rejected", Service, "shadow.json#/$defs/rejected"},
		{"SHADOW/update", Device, "shadow.json#/$defs/update"},
		{"SHADOW/update/accepted", Service, "shadow.json#/$defs/updateAccepted"},
		{"SHADOW/update/rejected", Service, "shadow.json#/$defs/rejected"},
		{"SHADOW/update/delta", Service, "shadow.json#/$defs/updateDelta"},
		{"SHADOW/update/documents", Service, "shadow.json#/$defs/updateDocuments"},
		{"SHADOW/delete", Device, "shadow.json#/$defs/delete"},
		{"SHADOW/delete/accepted", Service, "shadow.json#/$defs/deleteAccepted"},
		{"SHADOW/delete/rejected", Service, "shadow.json#/$defs/rejected"},
		{"presence", Device, "beside.json#/$defs/presence"},
		{"register", Device, "beside.json#/$defs/register"},
		{"register/accepted", Service, "beside.json#/$defs/registerAccepted"},
		{"register/rejected", Service, "common.json#/$defs/rejected"},
		{"heartbeat", Device, "beside.json#/$defs/heartbeat"},
		{"heartbeat/reply", Service, "beside.json#/$defs/heartbeatReply"},
		{"events", Device, "beside.json#/$defs/events"},
		{"events/accepted", Service, "beside.json#/$defs/eventsAccepted"},
		{"events/rejected", Service, "common.json#/$defs/rejected"},
		{"resync", Service, "beside.json#/$defs/resync"},
		{"telemetry", Device, "beside.json#/$defs/telemetry"},
		{"commands/pending/get", Device, "beside.json#/$defs/pendingGet"},
		{"commands/pending/get/accepted", Service, "beside.json#/$defs/pendingAccepted"},
		{"commands/pending/get/rejected", Service, "common.json#/$defs/rejected"},
		{"commands/+/request", Service, "beside.json#/$defs/commandRequest"},
		{"commands/+/response", Device, "beside.json#/$defs/commandResponse"},
		{"commands/+/response/accepted", Service, "beside.json#/$defs/commandResponseAccepted"},
		{"commands/+/response/rejected", Service, "common.json#/$defs/rejected"},
		{"intents/get", Device, "beside.json#/$defs/intentsGet"},
		{"intents/get/accepted", Service, "beside.json#/$defs/intentsAccepted"},
		{"intents/get/rejected", Service, "common.json#/$defs/rejected"},
		{"intents/+/get", Device, "beside.json#/$defs/intentsGet"},
		{"intents/+/get/accepted", Service, "beside.json#/$defs/intentAccepted"},
		{"intents/+/get/rejected", Service, "common.json#/$defs/rejected"},
	}
}

// Book is the schemas, compiled. It may be shared by goroutines.
type Book struct{ shapes map[string]*jsonschema.Schema }

// New compiles them; an error is a slip of the pen in them.
func New() (*Book, error) {
	c := jsonschema.NewCompiler()
	files, err := Files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		raw, err := Files.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", f.Name(), err)
		}
		if err := c.AddResource(base+f.Name(), doc); err != nil {
			return nil, fmt.Errorf("schema %s: %w", f.Name(), err)
		}
	}
	b := &Book{map[string]*jsonschema.Schema{}}
	for _, t := range append(Topics(), Topic{Shape: "beside.json#/$defs/changes"}) {
		if b.shapes[t.Shape], err = c.Compile(base + t.Shape); err != nil {
			return nil, fmt.Errorf("schema %s: %w", t.Shape, err)
		}
	}
	return b, nil
}

// Check says what is wrong with a message on a topic below X; nil when it has its shape.
// An empty payload is the empty object. A topic that the protocol does not have is wrong.
func (b *Book) Check(topic string, payload []byte) error {
	shape, ok := shapeOf(topic)
	if !ok {
		return fmt.Errorf("%s is no topic of the protocol", topic)
	}
	if len(payload) == 0 {
		payload = []byte("{}")
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("%s: %w", topic, err)
	}
	if err := b.shapes[shape].Validate(v); err != nil {
		return fmt.Errorf("%s: %s", topic, inALine(err))
	}
	return nil
}

// inALine drops the library's first line, which only names the schema.
func inALine(err error) string {
	_, text, more := strings.Cut(err.Error(), "\n")
	if !more {
		return err.Error()
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], " -")
	}
	return strings.Join(lines, "; ")
}

func shapeOf(topic string) (string, bool) {
	for _, t := range Topics() {
		if matches(t.Name, topic) {
			return t.Shape, true
		}
	}
	return "", false
}

func matches(pattern, topic string) bool {
	if rest, ok := strings.CutPrefix(pattern, "SHADOW/"); ok {
		return matches("shadow/"+rest, topic) || matches("shadow/name/+/"+rest, topic)
	}
	p, t := strings.Split(pattern, "/"), strings.Split(topic, "/")
	for i := range p {
		if i >= len(t) || p[i] != "+" && p[i] != t[i] {
			return false
		}
	}
	return len(p) == len(t)
}
