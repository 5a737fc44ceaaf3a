package explain

// simulated: the verdicts of the simulator.
var simulated = []Entry{
	{
		Code: "E-8001", Title: "the demo did not pass",
		Cause: "Not every ride ended as it should, or the cloud's copy of the shadow still differed from the gateway's when time was up.",
		Do:    "The table above the verdict shows which ride or shadow. Run it again with --verbose to see the agent's own log.",
	},
	{
		Code: "E-8101", Title: "a scenario cannot be played",
		Cause: "The file is not there, or a line of it is not a statement that the scenario language has, or it names a lift, landing, robot or fault that the site does not have.",
		Do:    "Each fault is printed with file, line and column and what would fit there. Nothing is played before all are mended.",
	},
	{
		Code: "E-8102", Title: "a scenario failed",
		Cause: "Something that the scenario demands did not come true in time, or something that it forbids happened, or a law of every run was broken.",
		Do:    "The line, what was seen instead and when are printed, then the transcript. The printed command shows the same run again; with --record and --page it is seen in a browser.",
	},
	{
		Code: "E-8103", Title: "the soak broke a law",
		Cause: "In simulated years of rides and faults the agent did something that must never happen.",
		Do:    "The shortest story that still breaks the law is printed as a scenario; keep it as a file and play it with hoistway-sim run.",
	},
	{
		Code: "E-8104", Title: "the soak did not reach everything",
		Cause: "The run was long enough, and yet some fault never struck or some change of state never happened, so it proves less than it should.",
		Do:    "The missing ones are named. Run longer, with another seed or with more faults; if that does not help, something cannot be reached any more.",
	},
	{
		Code: "E-8105", Title: "the fleet and the cloud do not agree",
		Cause: "At the end some gateway's last report is not what the cloud holds, or a transition of a ride was lost.",
		Do:    "The report names the gateways. Look whether the broker drops messages (its queue limits) and whether the cloud kept up.",
	},
	{
		Code: "E-8106", Title: "the page does not answer",
		Cause: "Nothing accepts connections at the address of --at, or the answer did not come in time: the demo or the building has ended, or its page has another address.",
		Do:    "Take the address from the line \"page\" that hoistway-sim demo or serve has printed; each start has another port unless --page says one.",
	},
	{
		Code: "E-8107", Title: "the fleet cannot live",
		Cause: "The broker of --broker cannot be reached, nobody behind it answers as the cloud, or this machine lets the process open too few connections. The message says which.",
		Do:    "Start a broker (mosquitto -p 1883), and a cloud behind it: hoistway-sim cloud with the same --broker in another process, or --cloud in this one. A limit of file descriptors is raised before the start.",
	},
}
