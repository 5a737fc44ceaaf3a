package core

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// accepted is a setting of the cloud, by path: what was accepted outranks the file until
// desired asks for it no longer.
type accepted map[string]grant

type grant struct {
	value     any
	batch, by string
}

// Two records: the settings in force, and those that were before them.
const (
	settingKey  = "setting:gateway:self:values"
	lastGoodKey = "setting:gateway:self:last-good"
)

// over lays the accepted values over those of the file. A value that no longer fits is
// told, and so is what they have against each other.
func (a accepted) over(file Settings, longest time.Duration) (Settings, error) {
	s := file
	for _, path := range slices.Sorted(maps.Keys(a)) {
		row, ok := findSetting(path)
		if !ok {
			return s, fmt.Errorf("%s is no setting", path)
		}
		if !row.read(a[path].value, &s) {
			return s, fmt.Errorf("%s takes %s", path, row.takes)
		}
	}
	if m := s.misfit(longest); m != nil {
		return s, fmt.Errorf("%s", m.why)
	}
	return s, nil
}

func (a accepted) record(key string) shadow.Record {
	t := shadow.Tree{}
	for path, g := range a {
		t[path] = shadow.Tree{"value": g.value, "batch": g.batch, "by": g.by}
	}
	return shadow.Record{Bucket: settingBucket, Key: key, Value: shadow.Encode(t)}
}

func readAccepted(raw []byte) (accepted, error) {
	t, err := shadow.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	a := accepted{}
	for path, v := range t {
		row, _ := v.(shadow.Tree)
		g := grant{value: row["value"]}
		g.batch, _ = row["batch"].(string)
		g.by, _ = row["by"].(string)
		a[path] = g
	}
	return a, nil
}

func (p *pass) loadSettings(rec shadow.Record) error {
	if rec.Key != settingKey && rec.Key != lastGoodKey {
		return fmt.Errorf("no record of this program")
	}
	raw, err := rec.Bytes()
	if err != nil {
		return err
	}
	a, err := readAccepted(raw)
	if err != nil {
		return err
	}
	if rec.Key == settingKey {
		p.accepted = a
	} else {
		p.lastGood = a
	}
	return nil
}

// settle puts the stored settings in force, or those before them, or the file's: another
// program or another file may leave no room for what was accepted once.
func (p *pass) settle() {
	stored := p.accepted
	if len(stored) == 0 {
		p.adopt(nil, p.file)
		return
	}
	s, err := stored.over(p.file, p.longest)
	if err == nil {
		p.adopt(stored, s)
		return
	}
	p.line("warn", "the settings of the cloud cannot be put in force; those before them are", "", "", "code", "E-4010", "error", err.Error())
	p.fellBack = err.Error()
	before := p.lastGood
	if s, err = before.over(p.file, p.longest); err != nil {
		before, s = nil, p.file
	}
	p.adopt(before, s)
	p.amend(stored)
}

// adopt puts settings in force for the leases to come.
func (p *pass) adopt(a accepted, s Settings) {
	p.accepted, p.settings = a, s
	params := s.Params
	params.CloudWait = p.site.Params().CloudWait
	p.toSite(dispatch.SetParams{Params: params})
	p.keepWindows()
	p.res.Changed = true
}

// amend tells the cloud which of the stored settings are not in force.
func (p *pass) amend(stored accepted) {
	var results []shadow.Result
	for _, path := range slices.Sorted(maps.Keys(stored)) {
		now := p.inForce(path)
		if shadow.Equal(now, stored[path].value) {
			continue
		}
		results = append(results, shadow.Result{Path: path, Code: ackFailed, Value: now, Detail: "cannot be put in force: " + p.fellBack})
	}
	p.toSession(shadow.Amended{Results: results})
}

// enforce puts judged values in force, and keeps those that were before.
func (p *pass) enforce(a shadow.Apply, next accepted, s Settings) {
	for _, path := range slices.Sorted(maps.Keys(a.Values)) {
		if _, ok := findSetting(path); ok {
			p.line("info", "setting changed by the cloud", "", "", "path", path, "value", fmt.Sprint(a.Values[path]), "intent", a.Intent, "by", a.By, "batch", a.Batch)
		}
	}
	p.store(p.accepted.record(lastGoodKey))
	p.store(next.record(settingKey))
	p.lastGood, p.fellBack = p.accepted, ""
	p.adopt(next, s)
	p.classic = true
}

// with is what would be accepted if the values of an intent were.
func (a accepted) with(in shadow.Apply) accepted {
	next := maps.Clone(a)
	if next == nil {
		next = accepted{}
	}
	for path, v := range in.Values {
		if _, ok := findSetting(path); !ok {
			continue
		}
		if v == nil {
			delete(next, path)
			continue
		}
		next[path] = grant{value: v, batch: in.Batch, by: in.By}
	}
	if _, named := in.Values["batch"]; in.Batch != "" && !named {
		next["batch"] = grant{value: in.Batch, batch: in.Batch, by: in.By}
	}
	return next
}

// inForce is a setting as the cloud has written it, or as the file has it; nil is none.
func (k *Core) inForce(path string) any {
	if g, ok := k.accepted[path]; ok {
		return g.value
	}
	if s, ok := findSetting(path); ok {
		return s.show(&k.file)
	}
	return nil
}

// SettingView is one setting in force.
type SettingView struct {
	Path  string
	Value any    // as JSON has it; nil is none
	Cloud bool   // else it is the file's, or the default
	Batch string // by which it came, "" for none
	By    string // who has written it, "" for not told
}

func (k *Core) settingsView() []SettingView {
	var out []SettingView
	for _, s := range settingTable() {
		g, cloud := k.accepted[s.path]
		out = append(out, SettingView{Path: s.path, Value: k.inForce(s.path), Cloud: cloud, Batch: g.batch, By: g.by})
	}
	return out
}
