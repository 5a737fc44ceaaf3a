package awstest

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
)

// document is one shadow.
type document struct {
	desired, reported         object
	desiredMeta, reportedMeta object
	version                   int64
}

func (s *Service) shadow(rest string, body object) {
	name := ""
	base := s.shadows
	if tail, named := strings.CutPrefix(rest, "name/"); named {
		name, rest, _ = strings.Cut(tail, "/")
		base += "name/" + name + "/"
	}
	switch rest {
	case "get":
		s.get(name, base, body["clientToken"])
	case "update":
		s.only("update", body, "state", "version", "clientToken")
		s.update(name, base, body)
	default:
		s.odd("shadow: %s", rest)
	}
}

func (s *Service) get(name, base string, token any) {
	d := s.docs[name]
	if d == nil {
		s.say(base+"get/rejected", object{"code": 404, "message": "No shadow exists with name: '" + name + "'", "timestamp": s.now, "clientToken": token})
		return
	}
	state, meta := object{}, object{}
	for _, part := range []struct {
		name        string
		state, meta object
	}{{"desired", d.desired, d.desiredMeta}, {"reported", d.reported, d.reportedMeta}} {
		if len(part.state) > 0 {
			state[part.name], meta[part.name] = part.state, part.meta
		}
	}
	if delta, deltaMeta := difference(d.desired, d.reported, d.desiredMeta); len(delta) > 0 {
		state["delta"], meta["delta"] = delta, deltaMeta
	}
	s.say(base+"get/accepted", object{"state": state, "metadata": meta, "version": d.version, "timestamp": s.now, "clientToken": token})
}

func (s *Service) update(name, base string, body object) {
	d := s.docs[name]
	if d == nil {
		d = &document{desired: object{}, reported: object{}, desiredMeta: object{}, reportedMeta: object{}}
	}
	version, given := body["version"].(json.Number)
	n, _ := version.Int64()
	if s.Refuse > 0 || given && n != d.version {
		s.Refuse = max(0, s.Refuse-1)
		s.say(base+"update/rejected", object{"code": 409, "message": "Version conflict", "timestamp": s.now, "clientToken": body["clientToken"]})
		return
	}
	state, _ := body["state"].(object)
	if _, theirs := state["desired"]; theirs && body["clientToken"] != operator {
		s.odd("update: the thing wrote desired")
	}
	s.docs[name] = d
	d.version++
	said, meta := object{}, object{}
	if patch, ok := state["desired"].(object); ok {
		said["desired"], meta["desired"] = patch, merge(d.desired, d.desiredMeta, patch, s.now)
	}
	if patch, ok := state["reported"].(object); ok {
		said["reported"], meta["reported"] = patch, merge(d.reported, d.reportedMeta, patch, s.now)
	}
	s.say(base+"update/accepted", object{"state": said, "metadata": meta, "version": d.version, "timestamp": s.now, "clientToken": body["clientToken"]})
	if delta, deltaMeta := difference(d.desired, d.reported, d.desiredMeta); len(delta) > 0 {
		s.say(base+"update/delta", object{"state": delta, "metadata": deltaMeta, "version": d.version, "timestamp": s.now, "clientToken": body["clientToken"]})
	}
}

const operator = "operator"

// Desire is a write of an operator into desired, null removing.
func (s *Service) Desire(name, patch string, now int64) (out []message) {
	body, err := decode([]byte(`{"state":{"desired":` + patch + `},"clientToken":"` + operator + `"}`))
	if err != nil {
		panic(err) // of a test's own text
	}
	base := s.shadows
	if name != "" {
		base += "name/" + name + "/"
	}
	s.now, s.out = now, nil
	s.update(name, base, body)
	return s.out
}

// Reported is what the thing last said of a field, Desired what is wished; nil for nothing.
func (s *Service) Reported(name, field string) any {
	if d := s.docs[name]; d != nil {
		return d.reported[field]
	}
	return nil
}

// Delta is what still differs in a shadow.
func (s *Service) Delta(name string) object {
	d := s.docs[name]
	if d == nil {
		return nil
	}
	delta, _ := difference(d.desired, d.reported, d.desiredMeta)
	return delta
}

// merge writes patch into state and gives the metadata of what it wrote.
func merge(state, meta, patch object, now int64) object {
	told := object{}
	for k, v := range patch {
		sub, isObject := v.(object)
		switch {
		case v == nil:
			delete(state, k)
			delete(meta, k)
		case isObject:
			inner, was := state[k].(object)
			innerMeta, _ := meta[k].(object)
			if !was {
				inner, innerMeta = object{}, object{}
			}
			told[k] = merge(inner, innerMeta, sub, now)
			state[k], meta[k] = inner, innerMeta
			if len(inner) == 0 {
				delete(state, k)
				delete(meta, k)
			}
		default:
			state[k], meta[k] = v, stamps(v, now)
			told[k] = meta[k]
		}
	}
	return told
}

// stamps is one for a value, or a list of them for a list.
func stamps(v any, now int64) any {
	list, ok := v.([]any)
	if !ok {
		return object{"timestamp": now}
	}
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = stamps(e, now)
	}
	return out
}

// difference is what is desired and not reported so, with desired's metadata.
func difference(desired, reported, meta object) (object, object) {
	out, outMeta := object{}, object{}
	for k, v := range desired {
		a, isObject := v.(object)
		b, both := reported[k].(object)
		m, _ := meta[k].(object)
		switch {
		case isObject && both:
			if d, dm := difference(a, b, m); len(d) > 0 {
				out[k], outMeta[k] = d, dm
			}
		case !reflect.DeepEqual(v, reported[k]):
			out[k], outMeta[k] = v, meta[k]
		}
	}
	return maps.Clone(out), outMeta
}
