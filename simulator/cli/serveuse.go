package cli

import (
	"slices"
	"strconv"
	"strings"

	"hoistway/drivers/profiles/strict"
	"hoistway/simulator/building"
)

// useSchema is what people make of the lifts: which share landing buttons, who comes,
// and which run on the generator.
func useSchema() []strict.Key {
	name := func() strict.Schema { return strict.Of(strict.Name).In(1, 32) }
	group := strict.Keys(
		strict.Key{Name: "id", Required: true, Schema: name()},
		strict.Key{Name: "lifts", Required: true, Schema: strict.ListOf(name(), 1, maxLifts)},
		strict.Key{Name: "control", Required: true, Schema: strict.OneOf(building.ControlNames()...)},
	)
	people := strict.Keys(
		strict.Key{Name: "mix", Default: "two-way", Schema: strict.OneOf(building.MixNames()...)},
		strict.Key{Name: "per_5min", Required: true, Schema: strict.Of(strict.Float).In(0, 10_000)},
		strict.Key{Name: "batch", Default: "1", Schema: strict.Of(strict.Float).In(1, 100)},
		strict.Key{Name: "entrance", Schema: name()},
		strict.Key{Name: "group", Schema: name()},
	)
	emergency := strict.Keys(
		strict.Key{Name: "landing", Schema: name()},
		strict.Key{Name: "selected", Schema: strict.ListOf(name(), 0, maxLifts)},
	)
	return []strict.Key{
		{Name: "groups", Schema: strict.ListOf(group, 1, maxLifts)},
		{Name: "people", Schema: people},
		{Name: "emergency", Schema: emergency},
	}
}

// useOf reads groups and emergency power into conf, which has its cars.
func useOf(root *strict.Value, conf *building.Config) (faults []strict.Fault) {
	var lifts, groups []string
	for _, c := range conf.Cars {
		lifts = append(lifts, c.ID)
	}
	seen, taken := map[string]bool{}, map[string]bool{}
	for _, v := range root.Get("groups").Items() {
		g := building.Group{ID: v.Get("id").Text(), Cars: texts(v.Get("lifts"))}
		g.Control, _ = building.ParseControl(v.Get("control").Text()) // the schema admits no other words
		conf.Groups = append(conf.Groups, g)
		groups = append(groups, g.ID)
		faults = append(faults, lone(seen, v.Get("id"), "a group with this id stands above", "give each group an id of its own")...)
		faults = append(faults, known("lift", lifts, v.Get("lifts").Items()...)...)
		for _, l := range v.Get("lifts").Items() {
			faults = append(faults, lone(taken, l, "this lift is in a group already", "a lift is in one group at most")...)
		}
	}
	e := root.Get("emergency")
	conf.Emergency = building.Emergency{Landing: e.Get("landing").Text(), Selected: texts(e.Get("selected"))}
	faults = append(faults, known("lift", lifts, e.Get("selected").Items()...)...)
	faults = append(faults, known("landing of every lift", commonLandings(conf.Cars), e.Get("landing"))...)
	return append(faults, known("group", groups, root.Get("people").Get("group"))...)
}

// populate lets the people of the file come, if it has any.
func populate(b *building.Building, v *strict.Value) error {
	if !v.Given() {
		return nil
	}
	t, err := building.TrafficOf(v.Get("mix").Text(), v.Get("per_5min").Float(), v.Get("entrance").Text(), 1)
	if err != nil {
		return err
	}
	t.Batch, t.Group = v.Get("batch").Float(), v.Get("group").Text()
	return b.Populate(t)
}

func texts(v *strict.Value) (out []string) {
	for _, item := range v.Items() {
		out = append(out, item.Text())
	}
	return out
}

// known asks that each value which stands in the file is one of some names.
func known(what string, names []string, values ...*strict.Value) (faults []strict.Fault) {
	for _, v := range values {
		if v.Given() && v.OK() && !slices.Contains(names, v.Text()) {
			faults = append(faults, v.Fault("there is no "+what+" "+strconv.Quote(v.Text()), "known: "+strings.Join(names, ", ")))
		}
	}
	return faults
}

// commonLandings are the labels that every lift has.
func commonLandings(cars []building.Car) (labels []string) {
	for i, c := range cars {
		var own []string
		for _, l := range c.Landings {
			if i == 0 || slices.Contains(labels, l.Label) {
				own = append(own, l.Label)
			}
		}
		labels = own
	}
	return labels
}
