// Package building is a pretend building: cars that travel as lifts do, doors
// that take their time, buttons with lamps, and the modes and faults that make a
// controller say no.
//
// It is pure. The caller brings the time with [Building.Advance] and acts with
// the buttons and switches (LandingCall, Hold, SetMode, Obstruct and the rest);
// everything between is computed, not ticked. Motion is a closed form of the
// time since departure, a panel's place is a closed form of the time since it
// began to move, and the building knows the instant of its next event. So one
// step of an hour and a million steps of a few milliseconds leave the same
// state, to the last bit, and a test says so.
//
// A car is a small machine of four phases: standing, starting, travelling with the
// levelling at its end, and braking (an emergency stop between landings). One that stands
// with all doors closed asks its mode where to go. Each door is a machine of its
// own: closed, opening, open, closing. A car leaves standing only with every door
// closed, and nothing but an arrival or a press at the landing opens one.
//
// In flight a car can still take a nearer call, or a farther one, as long as the
// motion to the new landing is the same up to the present instant: see
// [Flight.Shares]. That is exact, and never breaks a limit of speed,
// acceleration or jerk.
//
// Lifts may form groups with common landing buttons, for people; each lift keeps
// buttons of its own, which is what a robot presses. People come when
// [Building.Populate] says so, from a seed. They are one more source of events, and
// use the same buttons and doors as everybody else.
//
// Controllers go wrong by name: [Building.Inject] begins a fault of the catalogue in
// simulator/faults. [Building.Car] is what a perfect observer sees, [Building.Shown]
// what the controller tells. The wires that carry it are another room.
//
// Speed comes from looking only at what an event touched: a car that nothing
// happened to keeps its next event, and people look at a car again only when
// something did.
package building
