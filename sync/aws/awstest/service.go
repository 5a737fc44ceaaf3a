package awstest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"hoistway/sync/shadow"
)

type object = map[string]any

// Service is stepped by one owner.
type Service struct {
	shadows  string // before what a shadow's topics end with
	jobs     string
	commands string

	docs  map[string]*document
	queue []*Job
	// Executions are the answers to each command, the oldest first.
	Executions map[string][]string
	// Odd is what the public service would have refused or never heard.
	Odd []string
	// Refuse refuses so many updates to come with 409, as if somebody else wrote in between.
	Refuse int
	out    []shadow.Message
	now    int64
}

// New makes a service of one thing, which exists beforehand.
func New(thing string) *Service {
	return &Service{
		shadows: "$aws/things/" + thing + "/shadow/", jobs: "$aws/things/" + thing + "/jobs/",
		commands: "$aws/commands/things/" + thing + "/executions/",
		docs:     map[string]*document{}, Executions: map[string][]string{},
	}
}

// Filters are the service's ears, as filters of a broker.
func (s *Service) Filters() []string {
	return []string{
		s.shadows + "get", s.shadows + "update", s.shadows + "name/+/get", s.shadows + "name/+/update",
		s.jobs + "start-next", s.jobs + "+/update", s.commands + "+/response/json",
	}
}

// Take answers one message of the thing at the service's time, epoch seconds.
func (s *Service) Take(m shadow.Message, now int64) []shadow.Message {
	s.now, s.out = now, nil
	if m.Retain || m.QoS > 1 {
		s.odd("%s: retained or of quality 2", m.Topic)
	}
	body, err := decode(m.Payload)
	if err != nil {
		s.odd("%s: %v", m.Topic, err)
		return nil
	}
	if rest, ok := strings.CutPrefix(m.Topic, s.shadows); ok {
		s.shadow(rest, body)
	} else if rest, ok := strings.CutPrefix(m.Topic, s.jobs); ok {
		s.job(rest, body)
	} else if rest, ok := strings.CutPrefix(m.Topic, s.commands); ok {
		s.response(rest, body)
	} else {
		s.odd("%s: no topic of this service", m.Topic)
	}
	return s.out
}

func (s *Service) odd(format string, args ...any) {
	s.Odd = append(s.Odd, fmt.Sprintf(format, args...))
}

// only writes down members that the public shape of a request does not have.
func (s *Service) only(what string, body object, members ...string) {
	for k := range body {
		if !strings.Contains(" "+strings.Join(members, " ")+" ", " "+k+" ") {
			s.odd("%s: a member %s", what, k)
		}
	}
}

func (s *Service) say(topic string, body object) {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // of maps that were JSON
	}
	s.out = append(s.out, shadow.Message{Topic: topic, Payload: raw, QoS: 1})
}

func decode(raw []byte) (object, error) {
	if len(raw) == 0 {
		return object{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var o object
	return o, d.Decode(&o)
}

// Command sends a remote command to the thing.
func (s *Service) Command(id, payload string) []shadow.Message {
	return []shadow.Message{{Topic: s.commands + id + "/request/json", Payload: []byte(payload), QoS: 1}}
}

func (s *Service) response(rest string, body object) {
	id, kind, _ := strings.Cut(rest, "/")
	if kind != "response/json" {
		s.odd("commands: %s", rest)
		return
	}
	s.only("command response", body, "status", "statusReason", "result")
	reason, _ := body["statusReason"].(object)
	s.Executions[id] = append(s.Executions[id], fmt.Sprint(body["status"], " ", reason["reasonCode"]))
	s.say(s.commands+id+"/response/accepted/json", object{"executionId": id})
}
