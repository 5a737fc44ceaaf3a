package rules

import "hoistway/sync/shadow"

const intentsKey = "_intents"

// closeIntents takes from desired the headers that reported mirrors: the device
// says by that mirror that it has consumed them, whatever came of it, and waits
// for their going before it takes the mirror down. A header that was written anew
// meanwhile is not the one mirrored, and stays.
func (c *call) closeIntents(name string) {
	d := c.thing.shadows[name]
	headers, _ := d.Desired[intentsKey].(shadow.Tree)
	mirrors, _ := d.Reported[intentsKey].(shadow.Tree)
	gone := shadow.Tree{}
	for id, header := range headers {
		if mirror, consumed := mirrors[id]; consumed && shadow.Equal(header, mirror) {
			gone[id] = nil
		}
	}
	if len(gone) == 0 {
		return
	}
	if err := c.write(name, shadow.Update{Desired: shadow.Tree{intentsKey: gone}}); err != nil {
		c.result.Note = "a consumed intent stays: " + err.Error()
	}
}
