package explain

// simulated: the verdicts of the simulator.
var simulated = []Entry{
	{
		Code: "E-8001", Title: "the demo did not pass",
		Cause: "Not every ride ended as it should, or the cloud's copy of the shadow still differed from the gateway's when time was up.",
		Do:    "The table above the verdict shows which ride or shadow. Run it again with --verbose to see the agent's own log.",
	},
}
