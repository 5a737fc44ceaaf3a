package peer

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
)

const (
	codeNoRide   = "E-2006"
	codeNoAnswer = "E-2015" // its ride loop did not answer: what was asked may have been done
)

// refusal words a no. A proxy on the way may answer without a problem.
func refusal(status int, a answer) error {
	var p wire.Problem
	if a.kind != "application/problem+json" || json.Unmarshal(a.body, &p) != nil || p.Code == "" {
		return fmt.Errorf("%w: status %d, and no problem told", foreign(status), status)
	}
	return &drivers.RideRefusal{
		Kind: kindOf(status, p.Code), Code: p.Code, Title: p.Title, Detail: p.Detail, Field: p.Field, After: a.after,
	}
}

func kindOf(status int, code string) error {
	switch {
	case code == codeNoAnswer:
		return drivers.ErrTimeout
	case code == codeNoRide:
		return drivers.ErrGone
	case status == http.StatusConflict:
		return drivers.ErrConflict
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return drivers.ErrBusy
	case status >= http.StatusInternalServerError:
		return drivers.ErrDevice
	}
	return drivers.ErrConfig
}

// foreign is the kind of an answer that no gateway of ours gives: something stands
// between. Nothing is concluded from it about rides.
func foreign(status int) error {
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return drivers.ErrLink
	}
	return drivers.ErrProtocol
}

const longestSilence = 30 * time.Second

// retryAfter is the silence asked for, in seconds; a date is not taken.
func retryAfter(h http.Header) time.Duration {
	n, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(min(n, 3600))*time.Second, longestSilence)
}
