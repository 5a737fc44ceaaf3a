package explain

// cloudFaults: the broker and the shadow service behind it. Rides go on without them.
var cloudFaults = []Entry{
	{
		Code: "E-7001", Title: "the broker cannot be reached",
		Cause: "No connection to the address of cloud.broker: no network, a wrong address, or a firewall.",
		Do:    "Rides go on; reports wait in the store. Check the route and the port (1883, with TLS 8883). The agent tries again with growing pauses.",
	},
	{
		Code: "E-7002", Title: "the broker refuses the gateway",
		Cause: "User, password, client certificate or client id is not accepted.",
		Do:    "Check username and password_file, or cert_file and key_file, and that the gateway's serial is registered with the broker.",
	},
	{
		Code: "E-7003", Title: "the broker's certificate is not trusted",
		Cause: "The certificate is expired, is for another name, was signed by nobody in ca_file, or the gateway's clock is wrong.",
		Do:    "Check the clock first (`timedatectl`), then ca_file and the host name in cloud.broker.",
	},
	{
		Code: "E-7004", Title: "no shadow service answers",
		Cause: "The broker is connected, but nothing answers on the shadow topics: the service is down, the flavour is wrong, or the rights do not cover the topics.",
		Do:    "Check cloud.flavour and the broker's access list for this serial.",
	},
	{
		Code: "E-7005", Title: "the shadow's version has moved on",
		Cause: "An update was made against a version that somebody else has already replaced.",
		Do:    "Nothing: the document is fetched anew and the difference sent again. If it never settles, two writers report for one gateway.",
	},
	{
		Code: "E-7006", Title: "the shadow document is too large",
		Cause: "The service refuses a document beyond its limit. Usually somebody filled desired with keys that this gateway does not know.",
		Do:    "Remove what is foreign from desired in the cloud.",
	},
	{
		Code: "E-7007", Title: "the outbox is full",
		Cause: "The cloud was away for so long that the oldest events had to be dropped. The shadow itself is a state, not a log, and is complete.",
		Do:    "Mend the connection. The number of dropped events is reported with the next ones.",
	},
	{
		Code: "E-7008", Title: "another client uses this serial",
		Cause: "The broker cut the session because another client connected with the same id.",
		Do:    "Find the second gateway with this device.serial; a cloned disk image is the usual reason.",
	},
	{
		Code: "E-7009", Title: "an intent was not applied",
		Cause: "A desired setting is unknown, out of range, expired, or older than one already applied. The reason is reported with its acknowledgement.",
		Do:    "`hoistway shadow` shows what differs. Send a new intent with a value inside the limits.",
	},
}
