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
// A car is a small machine of five phases: standing, starting, travelling,
// levelling, and braking (an emergency stop between landings). A car that stands
// with all doors closed asks its mode where to go. Each door is a machine of its
// own: closed, opening, open, closing. A car leaves standing only with every door
// closed, and nothing but an arrival or a press at the landing opens one.
//
// In flight a car can still take a nearer call, or a farther one, as long as the
// motion to the new landing is the same up to the present instant: see
// [Flight.Shares]. That is exact, and never breaks a limit of speed,
// acceleration or jerk.
//
// People come when [Building.Populate] says so, from a seed. They are one more
// source of events, and use the same buttons and doors as everybody else.
//
// What a controller would not know is not in [CarState]: it is what a perfect
// gateway could see. The wires that carry it are another room.
package building
