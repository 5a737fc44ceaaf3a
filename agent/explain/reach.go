package explain

// reachability: of the agent by its clients, and of addresses to listen on.
var reachability = []Entry{
	{
		Code: "E-3001", Title: "cannot reach the agent",
		Cause: "Nothing accepts connections at the address of --api. The agent is not running, listens elsewhere, or the network does not lead there.",
		Do:    "`systemctl status hoistway` shows whether it runs; api.listen in its configuration says where. On another machine, also check the route and the firewall.",
	},
	{
		Code: "E-3002", Title: "no answer in time",
		Cause: "The connection was made, but the whole answer did not come within --timeout.",
		Do:    "Look at /healthz and at the agent's log: a hung agent is restarted by its watchdog. After a call that changes something, look first whether it was done before you repeat it.",
	},
	{
		Code: "E-3003", Title: "the name cannot be resolved",
		Cause: "The host name in --api is not known to this machine's resolver.",
		Do:    "Check the spelling, or use the number address.",
	},
	{
		Code: "E-3004", Title: "an address cannot be listened on",
		Cause: "The address of the local API, or in the simulator of a pretend lift, cannot be used: another program, often a second agent, listens there already, no network interface has that address, or the port needs a right that is missing.",
		Do:    "`ss -ltnp` shows who holds the port, `ip addr` which addresses there are. Stop the other program or correct the address (api.listen for the agent); 127.0.0.1 always exists, and ports from 1024 on need no right.",
	},
	{
		Code: "E-3005", Title: "the certificate is not trusted",
		Cause: "The https address answered with a certificate that is expired, is for another name, or was signed by nobody this machine trusts.",
		Do:    "Use the name that stands in the certificate, check the clock of both machines, and install the site's authority on this one.",
	},
	{
		Code: "E-3006", Title: "the answer broke off",
		Cause: "The connection ended in the middle of the answer, or the answer is larger than any answer of an agent.",
		Do:    "Try again. If it stays, look at the agent's log for a restart.",
	},
	{
		Code: "E-3007", Title: "the answer is not from an agent",
		Cause: "Something answered, but not in the form of the local API: another program on that port, a proxy, or a version that does not fit.",
		Do:    "Compare `hoistway version` on both machines and check the port in --api.",
	},
}
