package faults

// Catalogue lists every kind that can be played, by family and then as they came.
func Catalogue() []Kind {
	var all []Kind
	for _, rows := range [][]Kind{controllerKinds(), lineKinds(), cloudKinds(), hostKinds(), robotKinds()} {
		all = append(all, rows...)
	}
	return all
}

// Find looks a kind up by its name.
func Find(name string) (Kind, bool) {
	for _, k := range Catalogue() {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}

func on(family Family, aim Aim, name, does, owed string) Kind {
	return Kind{Name: name, Family: family, Aim: aim, Does: does, Owed: owed}
}

func (k Kind) number(lo, hi int, usual string) Kind {
	k.Takes, k.Min, k.Max, k.Usual = Number, lo, hi, usual
	return k
}

// within takes a duration of so many milliseconds.
func (k Kind) within(lo, hi int, usual string) Kind {
	k.Takes, k.Min, k.Max, k.Usual = Duration, lo, hi, usual
	return k
}

func (k Kind) word(usual string, words ...string) Kind {
	k.Takes, k.Words, k.Usual = Word, words, usual
	return k
}

func (k Kind) landing() Kind { k.Takes = Landing; return k }

func (k Kind) side(usual string) Kind { k.Takes, k.Usual = Side, usual; return k }

func (k Kind) meets(what string) Kind { k.Meets = what; return k }

// Owed by the agent in more than one row.
const (
	askNothing  = "No command after it is seen, the ride in FAULT with the reason; on again only by a person's word."
	notOurs     = "The lift counts as not available within one poll; what can be cancelled is; a robot inside is let out where the door stands open."
	boundedWait = "A bounded wait, then cancel and try again by the retry policy, then FAULT."
	unknownOnly = "The value is unknown, never a number; no permit rests on it."
	dropAnswer  = "The answer is dropped, no value changes, the next request works."
	rideOn      = "Rides go on; nothing is lost or done twice; the shadow catches up."
)

func controllerKinds() []Kind {
	row := func(name, does, owed string) Kind { return on(Controller, AtLift, name, does, owed) }
	return []Kind{
		row("fire", "Fire recall: calls are dropped, the car goes to its recall landing and stays there open.", askNothing),
		row("fire-phase-2", "A firefighter has the car: only the panel inside counts.", askNothing),
		row("inspection", "The car stops and is run by hand from its roof.", notOurs),
		row("independent", "Somebody has the car by key: landing calls are not served.", notOurs),
		row("seismic", "The car stops at the next landing and stays open.", askNothing),
		row("emergency-stop", "The stop switch: the car brakes where it is.", askNothing),
		row("emergency-power", "Mains lost, generator runs: the cars are brought down one by one.", notOurs),
		row("out-of-service", "The car stops at the next landing, opens once and stays closed.", notOurs),
		row("power-loss", "All dark; back on power the car does not know where it is and creeps to a reference.", unknownOnly),
		row("no-show", "Calls are taken and their lamps burn, but the car never comes.", boundedWait),
		row("wrong-floor", "A flight ends one landing off and opens there.", "No leave permit at a landing that is not the ride's; the ride goes on or ends in FAULT.").meets("a flight"),
		row("call-drops", "A taken call is forgotten and its lamp goes dark.", "The call is seen gone and asked again by a new command, within the retries.").meets("a taken call"),
		row("call-refused", "The landing is locked: calls to it are refused.", "The ride ends in FAULT with the reason; no press over and over.").landing(),
		row("door-reopens", "The closing door meets something and opens again.", "The wait stays bounded and says why.").number(1, 1000, "1").meets("a closing of the door"),
		row("door-stuck", "The panels stay where they are.", "No permit on a door that is not fully open; FAULT after the limit.").side("front"),
		row("door-blocked", "Something stands in the doorway.", "No permit to enter; the wait is bounded.").side("front"),
		row("door-closes-early", "The door closes as soon as it is open, unless it is held.", "The permit waits for the hold; a robot in the doorway keeps it.").meets("an opening of the door"),
		row("hold-ignored", "A door hold is acknowledged and not kept.", "The closing door is seen; the robot is told, the hold asked again.").meets("a hold"),
		row("overload", "The car says it is overloaded and does not leave.", "No permit to enter; the wait is bounded."),
		row("floor-unknown", "The controller shows no valid landing.", unknownOnly),
		row("floor-stuck", "The shown landing does not change any more.", "No permit on a landing that the car may have left."),
		row("door-unknown", "The controller shows a door state that does not exist.", unknownOnly),
		row("restart", "The controller reboots: calls and holds are gone, nothing is shown for a while.", "What was asked counts as unknown until read; a lost call is asked again by a new command.").within(500, 600_000, "5s"),
	}
}

func lineKinds() []Kind {
	row := func(name, does, owed string) Kind {
		return on(Line, AtLift, name, does, owed).meets("a request")
	}
	return []Kind{
		row("silent", "A request is lost: nothing is done, nothing is answered.", "Only this unit times out; a write is not known to have been done, and is read before it is asked again."),
		row("lost-answer", "What was asked is done and the answer is lost.", "The outcome is unknown: read, never press again blindly."),
		row("late", "The answer comes after the time-out.", dropAnswer).within(1, 600_000, "2s"),
		row("slow", "Each answer takes its time, within the time-out or near it.", "The line stays in step; values carry their age.").within(1, 60_000, "300ms"),
		row("garbled", "The answer is damaged on the way.", dropAnswer),
		row("truncated", "The answer is well-formed and too short.", dropAnswer),
		row("foreign", "The answer comes from another unit.", dropAnswer),
		row("exception", "The device answers with a Modbus exception and does nothing.", "The code is reported; a refused command is not pressed over and over.").number(1, 127, "4"),
		row("split", "The answer comes in two parts.", "It is put together within the frame's time, else dropped."),
		row("hang-up", "What was asked is done, then the connection closes.", "The outcome is unknown; the line opens again by itself."),
		on(Line, AtLift, "unplugged", "The line is gone: no port, no peer.", "Offline within the age limit; open again by itself, no leak."),
		on(Line, AtLift, "busy-elsewhere", "The one place for a master is taken: the connection is refused.", "Offline with the reason; tried again with a pause."),
	}
}

func cloudKinds() []Kind {
	row := func(name, does, owed string) Kind { return on(Cloud, AtCloud, name, does, owed) }
	return []Kind{
		row("broker-gone", "The broker cannot be reached.", rideOn),
		row("cloud-deaf", "The connection stands and nothing passes either way.", "Found by the keep-alive; then as with a broker that is gone."),
		row("cloud-slow", "Each answer of the cloud takes its time.", rideOn).within(1, 600_000, "8s"),
		row("duplicates", "Messages to the agent come twice.", "Each takes effect once.").meets("a message"),
		row("lost-messages", "Messages to the agent are lost.", rideOn).meets("a message"),
		row("cloud-forgets", "The service comes back with no memory of the thing.", "The agent registers anew and reports all of its state; nothing stale is applied."),
	}
}

func hostKinds() []Kind {
	row := func(name, does, owed string) Kind { return on(Host, AtGateway, name, does, owed) }
	return []Kind{
		row("kill", "The agent's process is killed and started again after a while.", "No second press for one command; the ride goes on or ends safely; nothing closes a door on the robot.").within(0, 3_600_000, "2s"),
		row("stop", "The agent is stopped in an orderly way and started again after a while.", "It waits for a robot in a doorway; the ride goes on afterwards.").within(0, 3_600_000, "2s"),
		row("disk-full", "Nothing can be stored.", "Rides that run go on in memory, new ones are refused, the fault is shown."),
		row("store-slow", "Each write to the store takes its time.", "A hold never waits for the disk.").within(1, 60_000, "500ms"),
		row("freeze", "The whole process stands still for a while.", "Old readings count as old; no permit rests on them.").within(1, 600_000, "10s"),
		row("clock-jump", "The wall clock jumps forward, or back with a minus.", "Deadlines do not move.").number(-86400, 86400, "3600"),
	}
}

func robotKinds() []Kind {
	row := func(name, does, owed string) Kind { return on(Robot, AtRobot, name, does, owed) }
	return []Kind{
		row("robot-silent", "The robot neither hears nor says anything, and stands still.", "Inside or in the doorway the hold is kept to its limit and a person is called; silence never means that it has left."),
		row("mute", "The robot never gives this signal, nor says where it is.", "Where it is stays unknown until it says so.").word("entered", "entering", "entered", "leaving", "left"),
		row("dies", "After this signal the robot neither talks nor moves.", "The door is held to the limit, then a person is called.").word("entering", "entering", "entered", "leaving"),
		row("freezes", "The robot stops in the doorway when it enters, and goes on talking.", "The hold is kept to its limit; nothing that may close the door is sent."),
		row("crosses-slowly", "Crossing the doorway takes the robot longer than it said.", "The hold is renewed while it is in the doorway.").within(1, 600_000, "20s"),
		row("repeats", "The robot says each thing several times.", "Each takes effect once.").number(2, 50, "3").meets("a signal"),
		row("reboots", "The robot starts anew and numbers its signals from the beginning.", "What an older boot still sends is late and changes nothing."),
		row("says-left", "The robot says that it has left and stays inside.", "What the lift shows against it counts; the car is not given away on a contradiction."),
	}
}
