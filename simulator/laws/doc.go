// Package laws says what must hold at every instant of any run of the agent, and
// watches that it does.
//
// A [Watch] stands outside. It is shown four things: what goes into the core and
// what comes out of it ([Watch.Stepped]), the rides as they are afterwards
// ([Watch.Rides], [Watch.View]), what reaches a controller ([Watch.Wrote]), and the
// truth, which the agent never sees: where each car really is ([Watch.Car]) and where
// each robot really is ([Watch.Robot]). It trusts none of the agent's reasons. Where
// the agent has a rule of its own, the law here is a second, plainer reading of what
// is owed, from the requirements and not from the machine's code.
//
// Some faults make the controller show what is not so. No agent can see through
// that, so while a lift is said to lie ([Watch.Lying]) the laws about the truth are
// judged by what was shown.
//
// A breach is kept, counted and never repaired; the watch goes on with what it was
// shown last. It is pure, it has one owner, and as long as nothing is broken it
// allocates nothing: it runs within soaks of years.
package laws
