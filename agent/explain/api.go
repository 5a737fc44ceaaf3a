package explain

// refusals: who may ask and how (20xx), what was asked for (21xx).
var refusals = []Entry{
	{
		Code: "E-2001", Title: "the body is malformed",
		Cause: "What was sent is not the JSON that this call takes: a syntax error, an unknown or doubled key, or a value of the wrong type.",
		Do:    "Compare it with the call in /openapi.json; the answer names the place. Nothing was changed.",
	},
	{
		Code: "E-2002", Title: "the body is too large",
		Cause: "No call of the local API needs a body this large. Reading stopped at the limit.",
		Do:    "Send one object a call, without padding. Nothing was changed.",
	},
	{
		Code: "E-2003", Title: "no token, or a wrong one",
		Cause: "The call needs `Authorization: Bearer TOKEN`, and the token is missing or does not match any token_sha256 of the configuration.",
		Do:    "For the command line: --token-file FILE or HOISTWAY_TOKEN. Compare `printf %s \"$HOISTWAY_TOKEN\" | sha256sum` with the configuration; a line end inside the hashed text is the usual slip.",
	},
	{
		Code: "E-2004", Title: "not allowed for this role",
		Cause: "The token is good, but its role may not do this: a robot acts on its own rides only, resets and maintenance want a technician, and no token at all may only look.",
		Do:    "Use a technician's token for technicians' acts.",
	},
	{
		Code: "E-2005", Title: "no such lift",
		Cause: "The path names a lift that is not in the configuration.",
		Do:    "`hoistway lifts` lists the ids. They are case sensitive.",
	},
	{
		Code: "E-2006", Title: "no such ride",
		Cause: "The ride never existed, or it ended so long ago that it is no longer kept.",
		Do:    "`hoistway rides` lists the rides that are known.",
	},
	{
		Code: "E-2007", Title: "no such robot",
		Cause: "The robot is not listed under robots in the configuration.",
		Do:    "Add it with its token_sha256 and crossing time, check the file, restart the agent.",
	},
	{
		Code: "E-2008", Title: "no such call",
		Cause: "The path or the method is not part of the local API.",
		Do:    "Compare with /openapi.json. An older agent may lack a call that a newer tool makes.",
	},
	{
		Code: "E-2009", Title: "the Host or Origin is not ours",
		Cause: "The request was made by a page of another site, or under a name that this agent does not answer to. Browsers can be tricked into such calls, so they are refused.",
		Do:    "Open the page by the address that the agent printed.",
	},
	{
		Code: "E-2010", Title: "the agent made a mistake",
		Cause: "The agent failed inside while it answered.",
		Do:    "Keep its log (`journalctl -u hoistway`) and report it together with what was asked.",
	},
	{
		Code: "E-2011", Title: "the body is not declared as JSON",
		Cause: "A call with a body needs the header `Content-Type: application/json`.",
		Do:    "Set the header. Nothing was changed.",
	},
	{
		Code: "E-2012", Title: "too many wrong tokens",
		Cause: "Somebody tried several wrong tokens in a row, so this caller has to wait. That slows down guessing.",
		Do:    "Wait a minute, then use the right token. If nobody of yours tried, find out who did.",
	},
	{
		Code: "E-2013", Title: "too many readers of events",
		Cause: "As many pages and programs as are allowed already follow the events.",
		Do:    "Close pages that nobody looks at. A program that opens a new stream without closing its old one is the usual reason.",
	},
	{
		Code: "E-2014", Title: "too many calls at once",
		Cause: "As many calls as are allowed are being answered at this moment.",
		Do:    "Ask again shortly. If it stays, look for a client that asks in a loop.",
	},
	{
		Code: "E-2015", Title: "the ride loop did not answer in time",
		Cause: "The agent answers calls, but its inner loop did not take this one in time; the machine may be overloaded.",
		Do:    "Look first whether it was done, then repeat it with the same id. If it stays, the watchdog restarts the agent; see its log and the load of the machine.",
	},
	{
		Code: "E-2016", Title: "no such shadow",
		Cause: "The agent keeps the classic shadow and one named shadow for each lift, and none of that name.",
		Do:    "`hoistway shadow` lists them. Names are case sensitive; the one without a name is called classic.",
	},
	{
		Code: "E-2017", Title: "a ride holds the lift",
		Cause: "A raw write was asked for while a ride holds the lift. It could move the car or the door under a robot.",
		Do:    "Wait until the ride has ended (`hoistway rides`), or cancel it. If you stand beside the lift and know that nobody can be hurt, say --force.",
	},
	{
		Code: "E-2018", Title: "the link takes no raw questions",
		Cause: "The driver of this lift's link cannot ask beside the read plan.",
		Do:    "Look at the values with `hoistway lifts LIFT` and at the frames with `hoistway record --lift LIFT`.",
	},
	{
		Code: "E-2019", Title: "the controller did not answer the question",
		Cause: "The raw question reached the agent, and the controller was offline, silent, or answered with something that is no answer.",
		Do:    "`hoistway doctor` finds out why. Of a write it is told whether a byte left: look at the lift before you repeat it.",
	},
	{
		Code: "E-2030", Title: "no such record",
		Cause: "There is no flight record of this ride: it never began here, belongs to another robot, or its record had to make room (then the answer says when).",
		Do:    "`hoistway rides` lists the rides that are kept. Export a record with `hoistway ride ID --record -o FILE` while it is there; rides with a fault are kept longest.",
	},
	{
		Code: "E-2031", Title: "the act cannot be written into the audit",
		Cause: "An act of a technician is written down before it is carried out, and the disk did not take it (E-4009). Nothing was done.",
		Do:    "Mend the disk first. To stop, to cancel a ride and to take a lift out of use work without the audit.",
	},
	{
		Code: "E-2101", Title: "unknown floor",
		Cause: "A floor of the request is not in the lift's floor table, or the table has it under another label.",
		Do:    "`hoistway lifts LIFT` prints the labels. Labels are case sensitive and are not numbers: 1 and L1 are different.",
	},
	{
		Code: "E-2102", Title: "from equals to",
		Cause: "The ride would end at the floor and side where it begins.",
		Do:    "Ask for another floor, or for another side of the car where it has two doors.",
	},
	{
		Code: "E-2103", Title: "unknown lift in a request",
		Cause: "The lift or group that the request names is not in the configuration.",
		Do:    "`hoistway lifts` lists the ids; \"any\" takes whichever is best.",
	},
	{
		Code: "E-2104", Title: "that door does not open there",
		Cause: "The side that was asked for has no door at that floor in the lift's floor table.",
		Do:    "`hoistway lifts LIFT` shows the doors of each floor. Leave from_door and to_door out where a floor has one door only.",
	},
	{
		Code: "E-2105", Title: "the ride id was used for something else",
		Cause: "A ride of this id exists with another robot, lift, floor or side. The same id may only repeat the same request.",
		Do:    "Choose a new id for a new ride; repeat the first request unchanged to learn what became of it.",
	},
	{
		Code: "E-2106", Title: "the robot already has a ride",
		Cause: "One robot has one ride at a time, and its last one has not ended.",
		Do:    "`hoistway rides --robot ROBOT` shows it. Let it end, or cancel it with `hoistway ride cancel ID`.",
	},
	{
		Code: "E-2107", Title: "nothing can be stored",
		Cause: "The store does not take writes, so a new ride would be forgotten by a restart. Running rides go on.",
		Do:    "Mend the store first: see E-4002. `hoistway status` shows when it works again.",
	},
	{
		Code: "E-2108", Title: "the agent is stopping",
		Cause: "The agent was told to end and takes no more work.",
		Do:    "Ask again once it runs again. Repeat with the same ride_id, so that nothing is done twice.",
	},
	{
		Code: "E-2109", Title: "too many rides",
		Cause: "The queue is full. It is bounded, so that one caller cannot starve the gateway.",
		Do:    "Wait until some rides have ended. If nobody meant to ask for so many, look for a client that asks in a loop.",
	},
	{
		Code: "E-2110", Title: "the floor is closed to robots",
		Cause: "The configuration or the cloud closed this floor to robots.",
		Do:    "Choose another floor, or have the floor opened by whoever closed it.",
	},
	{
		Code: "E-2111", Title: "not possible in the ride's present state",
		Cause: "The order does not fit the state of the ride: for instance a reset of a ride that is not locked, or a change to one that has ended.",
		Do:    "`hoistway ride ID` shows the state and what the robot is told to do.",
	},
	{
		Code: "E-2112", Title: "a value is out of range",
		Cause: "A value of the request has the right type but cannot be: a negative time, a priority beyond the limits, an id with odd characters.",
		Do:    "The answer names the field and the limits. Nothing was changed.",
	},
	{
		Code: "E-2113", Title: "the robot does not fit",
		Cause: "By the configuration the robot is wider, longer or heavier than the car or its door allows.",
		Do:    "Compare footprint_m and mass_kg of the robot with car of the lift. Choose a lift that is large enough.",
	},
	{
		Code: "E-2114", Title: "the door cannot be held long enough",
		Cause: "The robot needs longer to cross than the hold limit allows, so it could never get a permit.",
		Do:    "Check crossing of the robot against rides.hold_limit. Raise the limit only if the building agrees.",
	},
	{
		Code: "E-2115", Title: "the request can never work",
		Cause: "The request is well formed, but no lift here could ever carry it out, for a reason that has no code of its own.",
		Do:    "The words behind the code say what is in the way. Asking again changes nothing.",
	},
}
