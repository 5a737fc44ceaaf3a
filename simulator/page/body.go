package page

import (
	"net/http"

	"hoistway/simulator/loopback"
)

const maxBody = 8 << 10 // bytes

// body reads one JSON object with known keys. False: it has answered already.
func body(w http.ResponseWriter, r *http.Request, v any) bool {
	status, err := loopback.Body(w, r, maxBody, v)
	if err != nil {
		refuse(w, status, "%v", err)
	}
	return err == nil
}
