package face

import (
	"encoding/json"
	"errors"
	"net/http"

	"hoistway/simulator/cloud/ops"
	"hoistway/sync/shadow"
)

// problem is a refusal by RFC 9457. Its type is that of the status alone.
type problem struct {
	Type     string      `json:"type"`
	Title    string      `json:"title"`
	Status   int         `json:"status"`
	Detail   string      `json:"detail"`
	Instance string      `json:"instance"`
	Current  *shadowView `json:"current,omitempty"` // of a 412: the document as it is
}

func (p *problem) Error() string { return p.Detail }

// asProblem finds the status of what went wrong.
func asProblem(err error) *problem {
	var p *problem
	var rejected *shadow.Rejection
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &rejected):
		return &problem{Status: rejected.Code, Detail: rejected.Message}
	}
	status := http.StatusInternalServerError
	for _, known := range []struct {
		err    error
		status int
	}{
		{errNoThing, http.StatusNotFound},
		{ops.ErrUnknown, http.StatusNotFound},
		{ops.ErrTaken, http.StatusConflict},
		{ops.ErrFull, http.StatusInsufficientStorage},
		{ops.ErrInvalid, http.StatusUnprocessableEntity},
		{ops.ErrKey, http.StatusUnauthorized},
		{ops.ErrSession, http.StatusUnauthorized},
		{ops.ErrTooOften, http.StatusTooManyRequests},
	} {
		if errors.Is(err, known.err) {
			status = known.status
		}
	}
	return &problem{Status: status, Detail: err.Error()}
}

func refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	told := *p
	told.Type, told.Title, told.Instance = "about:blank", http.StatusText(told.Status), r.URL.Path
	if told.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", "Bearer")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(told.Status)
	_ = json.NewEncoder(w).Encode(told) // a caller that left needs no answer
}

func answer(w http.ResponseWriter, status int, body any) {
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
