package rules

// Options are what an owner may ask of a service beside answering. The zero value
// only answers.
type Options struct {
	// Guarded refuses desired over a device's topics: operators have another way in.
	Guarded bool
	// Announced tells others of each change, with the difference only.
	Announced bool
	// Planned answers a ride's fault with desired.recovery.
	Planned bool
	// Templates are what a device is given at its registration, by its kind.
	Templates map[string]Template
}

// With takes the options, before the first message, and gives s back.
func (s *Service) With(o Options) *Service {
	s.options = o
	return s
}
