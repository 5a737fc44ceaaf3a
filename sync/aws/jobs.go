package aws

import (
	"fmt"
	"strings"

	"hoistway/sync/shadow"
)

// jobWish stands before a job's id in the id of its wish.
const jobWish = "job:"

const maxDetail = 128 // characters of one of a job's status details

// startNext asks for the job that is due, or under way.
func (d *Dialect) startNext() shadow.Publish {
	d.asks++
	return send(d.jobs+"start-next", shadow.Tree{"clientToken": fmt.Sprintf("next-%d", d.asks)})
}

// hearJob: a notice leads to start-next, and its answer to a wish.
func (d *Dialect) hearJob(rest string, m shadow.Received) ([]shadow.Input, []shadow.Publish) {
	t, err := shadow.Decode(m.Payload)
	execution, _ := t["execution"].(shadow.Tree)
	id := text(execution["jobId"])
	if err != nil || m.Retain || !shadow.ValidName(id) {
		return nil, nil // no job is due
	}
	switch rest {
	case "notify-next":
		return nil, []shadow.Publish{d.startNext()}
	case "start-next/accepted":
		return d.wish(id, execution)
	}
	return nil, nil
}

// wish: the one job of this device is new firmware.
func (d *Dialect) wish(id string, execution shadow.Tree) ([]shadow.Input, []shadow.Publish) {
	document, _ := execution["jobDocument"].(shadow.Tree)
	firmware, ok := document["firmware"].(shadow.Tree)
	if !ok {
		return nil, []shadow.Publish{d.update(id, "REJECTED", 400, "the document has no object firmware")}
	}
	return []shadow.Input{shadow.Wish{
		ID: jobWish + id, Values: shadow.Tree{"firmware": firmware}, At: whole(execution["queuedAt"]),
	}}, nil
}

func (d *Dialect) sayJob(id string, p shadow.Publish) []shadow.Publish {
	t, err := shadow.Decode(p.Payload)
	job, ok := strings.CutPrefix(id, jobWish)
	if err != nil || !ok {
		return nil
	}
	code := whole(t["code"])
	told := d.update(job, jobStatus(code), code, text(t["detail"]))
	told.Token = p.Token
	return []shadow.Publish{told}
}

func (d *Dialect) update(id, status string, code int64, detail string) shadow.Publish {
	details := shadow.Tree{"code": fmt.Sprint(code)}
	if detail != "" {
		details["detail"] = plain(detail, maxDetail)
	}
	return send(d.jobs+id+"/update", shadow.Tree{"status": status, "statusDetails": details})
}

// jobStatus is the service's word for an ack's code.
func jobStatus(code int64) string {
	switch {
	case code == 200 || code == 203:
		return "SUCCEEDED"
	case code == 202:
		return "IN_PROGRESS"
	case code == 408 || code >= 500:
		return "FAILED"
	}
	return "REJECTED"
}
