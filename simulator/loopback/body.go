package loopback

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Body reads one JSON object with known keys into v, numbers as they are written where
// v leaves their type open. The status is that of the refusal when err is not nil: 413
// for a body of more than limit bytes, else 400.
func Body(w http.ResponseWriter, r *http.Request, limit int64, v any) (status int, err error) {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit))
	d.DisallowUnknownFields()
	d.UseNumber()
	err = d.Decode(v)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one JSON value")
		}
	}
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return http.StatusRequestEntityTooLarge, fmt.Errorf("at most %d bytes", limit)
	case err != nil:
		return http.StatusBadRequest, fmt.Errorf("read the body: %w", err)
	}
	return 0, nil
}
