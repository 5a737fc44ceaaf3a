package core

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// setting is a row of the field table: a value of the classic shadow that the
// cloud may change at run time.
type setting struct {
	path     string
	min, max int64
	unit     string
	get      func(fsm.Params) int64
	set      func(*fsm.Params, int64)
}

func settingTable() []setting {
	return []setting{{
		path: "wait_timeout", min: 5, max: 3600, unit: "s",
		get: func(p fsm.Params) int64 { return int64(p.WaitTimeout / time.Second) },
		set: func(p *fsm.Params, v int64) { p.WaitTimeout = time.Duration(v) * time.Second },
	}}
}

func findSetting(path string) (setting, bool) {
	for _, s := range settingTable() {
		if s.path == path {
			return s, true
		}
	}
	return setting{}, false
}

// Ack codes of the sync contract.
const (
	ackOK       = 200
	ackRefused  = 400
	ackNotYours = 405
	ackWith     = 424
)

// apply judges one intent: all of its values are put in force, or none.
func (p *pass) apply(a shadow.Apply) {
	results := make([]shadow.Result, 0, len(a.Values))
	bad := 0
	for _, path := range slices.Sorted(maps.Keys(a.Values)) {
		r := p.judge(a.Shadow, path, a.Values[path])
		if r.Code != ackOK {
			bad++
		}
		results = append(results, r)
	}
	for i := range results {
		if bad > 0 && results[i].Code == ackOK {
			results[i].Code, results[i].Detail = ackWith, "refused together with another value"
			results[i].Value = p.inForce(results[i].Path)
		}
	}
	if bad == 0 {
		p.enforce(a)
	}
	p.toSession(shadow.Applied{Shadow: a.Shadow, Intent: a.Intent, Results: results})
}

func (p *pass) judge(name, path string, v any) shadow.Result {
	s, ok := findSetting(path)
	if name != "" || !ok {
		return shadow.Result{Path: path, Code: ackNotYours, Detail: "not a setting of this shadow"}
	}
	if v == nil {
		return shadow.Result{Path: path, Code: ackOK, Value: number(s.get(p.file))}
	}
	n, ok := whole(v)
	if !ok || n < s.min || n > s.max {
		return shadow.Result{
			Path: path, Code: ackRefused, Value: p.inForce(path),
			Detail: fmt.Sprintf("%s takes a whole number from %d to %d %s", path, s.min, s.max, s.unit),
		}
	}
	return shadow.Result{Path: path, Code: ackOK, Value: number(n)}
}

func (p *pass) inForce(path string) any {
	if s, ok := findSetting(path); ok {
		return number(s.get(p.site.Params()))
	}
	return nil
}

// enforce puts judged values in force for the leases to come, and in the store.
func (p *pass) enforce(a shadow.Apply) {
	for _, path := range slices.Sorted(maps.Keys(a.Values)) {
		v := a.Values[path]
		rec := shadow.Record{Bucket: settingBucket, Key: settingKey(path)}
		if v == nil {
			delete(p.settings, path)
		} else {
			p.settings[path] = v
			rec.Value, _ = json.Marshal(v)
		}
		p.store(rec)
		p.line("info", "setting changed by the cloud", "", "", "path", path, "value", fmt.Sprint(v), "intent", a.Intent)
	}
	p.applySettings()
}

// applySettings lays the accepted values over those of the file.
func (p *pass) applySettings() {
	params := p.file
	for _, s := range settingTable() {
		if n, ok := whole(p.settings[s.path]); ok {
			s.set(&params, n)
		}
	}
	params.CloudWait = p.site.Params().CloudWait
	p.toSite(dispatch.SetParams{Params: params})
	p.res.Changed = true
}

const settingPrefix = "setting:gateway:self:"

func settingKey(path string) string { return settingPrefix + path }

func (p *pass) loadSetting(rec shadow.Record) error {
	path := strings.TrimPrefix(rec.Key, settingPrefix)
	var n json.Number
	if err := json.Unmarshal(rec.Value, &n); err != nil {
		return err
	}
	if r := p.judge("", path, n); r.Code != ackOK {
		return fmt.Errorf("no longer valid: %s", r.Detail)
	}
	p.settings[path] = n
	return nil
}

// whole reads a JSON number that has no fraction.
func whole(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, err := n.Float64()
	if err != nil || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

func number(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
