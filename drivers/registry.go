package drivers

import (
	"fmt"
	"slices"
)

// Registry finds a factory by the scheme of a link URL. It is a value; make it
// once and hand it on.
type Registry struct{ factories map[string]Factory }

// NewRegistry lists the factories. Two of one scheme are a fault of the program.
func NewRegistry(fs ...Factory) (Registry, error) {
	r := Registry{factories: make(map[string]Factory, len(fs))}
	for _, f := range fs {
		if _, dup := r.factories[f.Scheme]; dup {
			return Registry{}, fmt.Errorf("two drivers for scheme %q", f.Scheme)
		}
		r.factories[f.Scheme] = f
	}
	return r, nil
}

// New checks a spec with the driver of its scheme.
func (r Registry) New(s Spec) (Opener, error) {
	if s.URL == nil {
		return nil, fmt.Errorf("lift %q has no link", s.Lift)
	}
	f, ok := r.factories[s.URL.Scheme]
	if !ok {
		return nil, fmt.Errorf("no driver for %q; there are %v", s.URL.Scheme, r.Schemes())
	}
	return f.New(s)
}

// Schemes lists what the registry knows, sorted.
func (r Registry) Schemes() []string {
	out := make([]string, 0, len(r.factories))
	for s := range r.factories {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
