package page

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"hoistway/simulator/faults"
)

// kind is a row of the catalogue as JSON.
type kind struct {
	Name   string   `json:"name"`
	Family string   `json:"family"`
	Aim    string   `json:"aim"`
	Takes  string   `json:"takes"`
	Words  []string `json:"words"`
	Min    int      `json:"min"`
	Max    int      `json:"max"`
	Usual  string   `json:"usual"`
	Meets  string   `json:"meets"`
	Does   string   `json:"does"`
	Owed   string   `json:"owed"`
}

// order is a fault to begin.
type order struct {
	Fault  string `json:"fault"`
	Target string `json:"target"`
	Arg    string `json:"arg"`
	For    string `json:"for"` // such as 90s; "" sets no end
	Times  int    `json:"times"`
	From   int    `json:"from"`
	Chance int    `json:"chance"` // per cent; 0 is 100
	Seed   uint64 `json:"seed"`
}

var aims = map[faults.Aim]string{
	faults.AtLift: "lift", faults.AtRobot: "robot", faults.AtCloud: "cloud", faults.AtGateway: "gateway",
}

var takes = map[faults.Takes]string{
	faults.Nothing: "nothing", faults.Number: "number", faults.Duration: "duration",
	faults.Landing: "landing", faults.Side: "side", faults.Word: "word",
}

func (p *Page) catalogue(w http.ResponseWriter, _ *http.Request) {
	rows := []kind{}
	for _, k := range faults.Catalogue() {
		rows = append(rows, kind{
			Name: k.Name, Family: k.Family.String(), Aim: aims[k.Aim], Takes: takes[k.Takes],
			Words: append([]string{}, k.Words...), Min: k.Min, Max: k.Max,
			Usual: k.Usual, Meets: k.Meets, Does: k.Does, Owed: k.Owed,
		})
	}
	answer(w, rows)
}

func (p *Page) targets(w http.ResponseWriter, r *http.Request) {
	if !p.hasSite(w) {
		return
	}
	all := map[string][]string{}
	for aim, word := range aims {
		all[word] = append([]string{}, p.o.Site.Targets(aim)...)
	}
	answer(w, all)
}

func (p *Page) inject(w http.ResponseWriter, r *http.Request) {
	var o order
	if !p.hasSite(w) || !body(w, r, &o) {
		return
	}
	f := faults.Fault{Kind: o.Fault, Target: o.Target, Arg: o.Arg, Times: o.Times, From: o.From, Chance: o.Chance, Seed: o.Seed}
	if o.For != "" {
		d, err := time.ParseDuration(o.For)
		if err != nil || d <= 0 {
			refuse(w, http.StatusUnprocessableEntity, "for %q: want a time such as 90s or 2m", o.For)
			return
		}
		f.For = d
	}
	if err := faults.Check(f); err != nil {
		refuse(w, http.StatusUnprocessableEntity, "%v", err)
		return
	}
	if there := p.targetsOf(f.Kind); !slices.Contains(there, f.Target) {
		refuse(w, http.StatusUnprocessableEntity, "%s cannot be aimed at %q here; there is: %s", f.Kind, f.Target, cmp.Or(strings.Join(there, ", "), "nothing for it"))
		return
	}
	if err := p.o.Site.Inject(f); err != nil {
		refuse(w, http.StatusConflict, "%v", err)
		return
	}
	p.o.Log.Info("a fault was begun by hand", "fault", f.Kind, "target", f.Target, "arg", f.Arg)
	w.WriteHeader(http.StatusNoContent)
}

// targetsOf are what the site has for a fault that is known.
func (p *Page) targetsOf(kind string) []string {
	k, _ := faults.Find(kind)
	return p.o.Site.Targets(k.Aim)
}

func (p *Page) clear(w http.ResponseWriter, r *http.Request) {
	if !p.hasSite(w) {
		return
	}
	q := r.URL.Query()
	target, what := q.Get("target"), q.Get("kind")
	if target == "" {
		refuse(w, http.StatusBadRequest, "say which target, as ?target=L1")
		return
	}
	if _, known := faults.Find(what); what != "" && !known {
		refuse(w, http.StatusUnprocessableEntity, "there is no fault %q", what)
		return
	}
	if err := p.o.Site.Clear(target, what); err != nil {
		refuse(w, http.StatusConflict, "%v", err)
		return
	}
	p.o.Log.Info("faults were cleared by hand", "target", target, "kind", what)
	w.WriteHeader(http.StatusNoContent)
}

func (p *Page) hasSite(w http.ResponseWriter) bool {
	if p.o.Site == nil {
		refuse(w, http.StatusNotFound, "no site is live here: this page only shows")
	}
	return p.o.Site != nil
}
