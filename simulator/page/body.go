package page

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

const maxBody = 8 << 10 // bytes

// body reads one JSON object with known keys. False: it has answered already.
func body(w http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one JSON value")
		}
	}
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		refuse(w, http.StatusRequestEntityTooLarge, "at most %d bytes", maxBody)
	case err != nil:
		refuse(w, http.StatusBadRequest, "read the body: %v", err)
	}
	return err == nil
}
