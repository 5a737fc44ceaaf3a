package awstest

import (
	"fmt"
	"strings"

	"hoistway/sync/shadow"
)

type message = shadow.Message

// Job is one job of the thing.
type Job struct {
	ID       string
	Status   string // QUEUED, IN_PROGRESS, SUCCEEDED, FAILED, REJECTED
	Details  string // of the last update
	document object
	queuedAt int64
	version  int64
}

func (j *Job) open() bool { return j.Status == "QUEUED" || j.Status == "IN_PROGRESS" }

// Queue makes a job and gives the notice of it.
func (s *Service) Queue(id, document string, now int64) []message {
	d, err := decode([]byte(document))
	if err != nil {
		panic(err) // of a test's own text
	}
	s.queue = append(s.queue, &Job{ID: id, Status: "QUEUED", document: d, queuedAt: now, version: 1})
	s.now, s.out = now, nil
	s.notify()
	return s.out
}

// Job is one that was queued, nil for none.
func (s *Service) Job(id string) *Job {
	for _, j := range s.queue {
		if j.ID == id {
			return j
		}
	}
	return nil
}

func (s *Service) next() *Job {
	for _, j := range s.queue {
		if j.open() {
			return j
		}
	}
	return nil
}

func (s *Service) notify() {
	body := object{"timestamp": s.now}
	if j := s.next(); j != nil {
		body["execution"] = s.execution(j)
	}
	s.say(s.jobs+"notify-next", body)
}

func (s *Service) execution(j *Job) object {
	return object{
		"jobId": j.ID, "jobDocument": j.document, "status": j.Status, "queuedAt": j.queuedAt, "lastUpdatedAt": s.now,
		"versionNumber": j.version, "executionNumber": 1,
	}
}

func (s *Service) job(rest string, body object) {
	if rest == "start-next" {
		s.only("start-next", body, "statusDetails", "stepTimeoutInMinutes", "clientToken")
		answer := object{"timestamp": s.now, "clientToken": body["clientToken"]}
		if j := s.next(); j != nil {
			j.Status = "IN_PROGRESS"
			j.version++
			answer["execution"] = s.execution(j)
		}
		s.say(s.jobs+"start-next/accepted", answer)
		return
	}
	id, ok := strings.CutSuffix(rest, "/update")
	j := s.Job(id)
	if !ok || j == nil {
		s.odd("jobs: %s", rest)
		return
	}
	s.updateJob(j, body)
}

func (s *Service) updateJob(j *Job, body object) {
	s.only("job update", body, "status", "statusDetails", "expectedVersion", "executionNumber", "includeJobExecutionState", "includeJobDocument", "stepTimeoutInMinutes", "clientToken")
	if !j.open() {
		s.say(s.jobs+j.ID+"/update/rejected", object{"code": "InvalidStateTransition", "message": "it is over", "timestamp": s.now, "clientToken": body["clientToken"]})
		return
	}
	j.Status, j.Details = fmt.Sprint(body["status"]), fmt.Sprint(body["statusDetails"])
	j.version++
	s.say(s.jobs+j.ID+"/update/accepted", object{"timestamp": s.now, "clientToken": body["clientToken"]})
	if !j.open() {
		s.notify()
	}
}
