package laws

// Law is the name of a law.
type Law string

// The laws.
const (
	OneOwner      Law = "one-owner"
	LeaseToEnter  Law = "lease-to-enter"
	OneRobot      Law = "one-robot"
	PermitToCross Law = "permit-to-cross"
	TrueDoor      Law = "true-door"
	KnownPermit   Law = "known-permit"
	NoClosing     Law = "no-closing"
	LastGate      Law = "last-gate"
	ActsOnce      Law = "acts-once"
	OneLiveCall   Law = "one-live-call"
	PressOnce     Law = "press-once"
	InTime        Law = "in-time"
	HandsOff      Law = "hands-off"
	ExitSeen      Law = "exit-seen"
	HoldEnds      Law = "hold-ends"
	HoldCap       Law = "hold-cap"
	LockedStays   Law = "locked-stays"
	LatchedStays  Law = "latched-stays"
	Diagram       Law = "diagram"
	WhereByReport Law = "where-by-report"
	LeaseKept     Law = "lease-kept"
	NotLeftBehind Law = "not-left-behind"
	NotForgotten  Law = "not-forgotten"
	SeenHeld      Law = "seen-held"
	NoOlder       Law = "no-older"
	ReportHeld    Law = "report-held"
	Bounded       Law = "bounded"
	Ends          Law = "ends"
	OwnInvariants Law = "own-invariants"
)

// Row says one law in words.
type Row struct {
	Law  Law
	Says string
}

// Table lists the laws, each with what it says.
func Table() []Row {
	return []Row{
		{OneOwner, "A lift has one lease at most, and its owner is the ride that says so."},
		{LeaseToEnter, "A robot goes into a doorway only by a ride that holds the lease of that lift."},
		{OneRobot, "A robot does not go into a car in which another one is."},
		{PermitToCross, "A robot crosses only by a permit that is out for that landing and side, or leaves by its pass."},
		{TrueDoor, "When a robot sets off, the car really stands at that landing with that door fully open, or did within the life of the permit."},
		{KnownPermit, "A permit is given only while each part that it needs is seen, freshly, and as it must be; unknown is not met."},
		{NoClosing, "Nothing that may close a door leaves for a lift, or reaches it, while a robot is or may be in its doorway."},
		{LastGate, "The last gate never has to keep back what may close a door: the rules above it do not wish it."},
		{ActsOnce, "A command's id is written to a controller once at most, over all restarts."},
		{OneLiveCall, "A ride has one live call at a time."},
		{PressOnce, "The same call is pressed again only on a reading after the first press that shows it off; one that is a level is kept up."},
		{InTime, "No command is written at or after the end of its life, and none is made without one."},
		{HandsOff, "Nothing is asked of a lift seen in fire or under inspection, and no call in any other mode than normal."},
		{ExitSeen, "EXITING begins only where the way out leads, with the car seen standing there and the door seen open, freshly."},
		{HoldEnds, "Every door hold has an end, not later than the one grace hold would have it."},
		{HoldCap, "The holds at one stop add up to the cap and the one grace hold, and one hold that a crash may forget; after a cool-down with the door let go of they are added up anew."},
		{LockedStays, "FAULT_LOCKED is left only by a person's reset."},
		{LatchedStays, "What only a person clears is cleared only by a person's reset, or with the end of the ride."},
		{Diagram, "A ride changes its state only along the edges of the diagram, from the state that it had, and its phase belongs to its state."},
		{WhereByReport, "Where the robot is becomes known only by a report, a claim of its fleet, a person's word or a restart."},
		{LeaseKept, "A lease ends only with the robot known outside."},
		{NotLeftBehind, "A ride is not over while its robot really is in the car or in the doorway."},
		{NotForgotten, "A ride that is not over is never gone while the agent runs."},
		{SeenHeld, "What is shown of a floor or door was really so at about the time at which it says it was read."},
		{NoOlder, "A reading is never of the future, and never older than the one before."},
		{ReportHeld, "The state reported of a lift is one that it really had."},
		{Bounded, "The rides that are not over stay within their limit."},
		{Ends, "When faults have stopped, each ride ends or stands in a fault within a bound."},
		{OwnInvariants, "The agent's own invariants hold: it never has to stop itself."},
	}
}
