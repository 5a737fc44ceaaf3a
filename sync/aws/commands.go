package aws

import (
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// answer is the newest to one execution, by which its echo is understood.
type answer struct{ id, cmd, status, token string }

const (
	maxAnswers     = 256
	maxDescription = 1024 // characters of a reason, as the service has it
	maxResult      = 4096 // bytes of one value
)

// statuses of ours as the service has them. Received and running are one to it; the
// reason's code tells them apart.
var statuses = map[string]string{
	"received": "IN_PROGRESS", "running": "IN_PROGRESS", "done": "SUCCEEDED",
	"refused": "REJECTED", "failed": "FAILED", "expired": "TIMED_OUT",
}

// hearCommand: the payload of a command is {"cmd":"restart"} and what else a request of
// ours has; its id is the execution's.
func (d *Dialect) hearCommand(rest string, m shadow.Received) ([]shadow.Input, []shadow.Publish) {
	id, kind, _ := strings.Cut(rest, "/")
	switch kind {
	case "request/json":
		return d.request(id, m)
	case "response/accepted/json":
		return d.echo(id), nil
	case "response/rejected/json":
		if t, _ := shadow.Decode(m.Payload); !passing(text(t["error"])) {
			return d.echo(id), nil // it wants this answer no more
		}
	}
	return nil, nil
}

// passing tells a refusal that another try can mend.
func passing(refusal string) bool {
	return slices.Contains([]string{"RequestThrottled", "ThrottlingException", "InternalError", "InternalServerException", "DataConflict"}, refusal)
}

func (d *Dialect) request(id string, m shadow.Received) ([]shadow.Input, []shadow.Publish) {
	t, err := shadow.Decode(m.Payload)
	cmd := text(t["cmd"])
	if err != nil || !shadow.ValidName(cmd) || m.Retain {
		return nil, []shadow.Publish{d.refuse(id, "the payload is no object that names its cmd")}
	}
	t["id"] = id
	delete(t, "cmd")
	m.Topic, m.Payload = d.beside+"commands/"+cmd+"/request", shadow.Encode(t)
	return []shadow.Input{m}, nil
}

// echo is the service's word that it has our newest answer.
func (d *Dialect) echo(id string) []shadow.Input {
	i := slices.IndexFunc(d.answers, func(t answer) bool { return t.id == id })
	if i < 0 {
		return nil
	}
	t := d.answers[i]
	body := shadow.Tree{"id": t.id, "status": t.status}
	if t.token != "" {
		body["clientToken"] = t.token
	}
	return []shadow.Input{d.told("commands/"+t.cmd+"/response/accepted", body)}
}

func (d *Dialect) sayCommand(rest string, p shadow.Publish) []shadow.Publish {
	cmd, kind, _ := strings.Cut(rest, "/")
	t, err := shadow.Decode(p.Payload)
	if kind != "response" || err != nil {
		d.answerPending(p)
		return nil
	}
	a := answer{text(t["id"]), cmd, text(t["status"]), text(t["clientToken"])}
	if statuses[a.status] == "" {
		return nil
	}
	d.answers = append(slices.DeleteFunc(d.answers, func(b answer) bool { return b.id == a.id }), a)
	d.answers = d.answers[max(0, len(d.answers)-maxAnswers):]
	p.Topic, p.Payload = d.commands+a.id+"/response/json", shadow.Encode(response(a.status, text(t["reason"]), t["result"]))
	return []shadow.Publish{p}
}

func (d *Dialect) refuse(id, why string) shadow.Publish {
	return send(d.commands+id+"/response/json", response("refused", why, nil))
}

func response(status, why string, result any) shadow.Tree {
	reason := shadow.Tree{"reasonCode": strings.ToUpper(status)}
	if why != "" {
		reason["reasonDescription"] = plain(why, maxDescription)
	}
	t := shadow.Tree{"status": statuses[status], "statusReason": reason}
	if r, ok := result.(shadow.Tree); ok && len(r) > 0 {
		if raw := shadow.Encode(r); len(raw) <= maxResult {
			t["result"] = shadow.Tree{"result": shadow.Tree{"s": string(raw)}}
		}
	}
	return t
}
