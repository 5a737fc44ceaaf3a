package scenarios

// glance is a stage as it is at one instant: each thing is asked for once however
// many conditions look at it. An act makes it look anew.
type glance struct {
	Stage
	rides  map[string]found[Ride]
	lifts  map[string]found[Lift]
	robots map[string]found[Robot]
	cloud  *Cloud
}

type found[T any] struct {
	is T
	ok bool
}

func glanceAt(s Stage) *glance {
	g := &glance{Stage: s}
	g.forget()
	return g
}

func (g *glance) forget() {
	g.rides, g.lifts, g.robots, g.cloud = map[string]found[Ride]{}, map[string]found[Lift]{}, map[string]found[Robot]{}, nil
}

func (g *glance) Do(a Act) error {
	g.forget()
	return g.Stage.Do(a)
}

func (g *glance) Ride(id string) (Ride, bool)   { return look(g.rides, id, g.Stage.Ride) }
func (g *glance) Lift(id string) (Lift, bool)   { return look(g.lifts, id, g.Stage.Lift) }
func (g *glance) Robot(id string) (Robot, bool) { return look(g.robots, id, g.Stage.Robot) }

func (g *glance) Cloud() Cloud {
	if g.cloud == nil {
		c := g.Stage.Cloud()
		g.cloud = &c
	}
	return *g.cloud
}

func look[T any](seen map[string]found[T], id string, ask func(string) (T, bool)) (T, bool) {
	f, there := seen[id]
	if !there {
		f.is, f.ok = ask(id)
		seen[id] = f
	}
	return f.is, f.ok
}
