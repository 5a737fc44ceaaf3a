package page

import (
	"encoding/json"
	"fmt"
	"net/http"

	"hoistway/simulator/loopback"
)

// policy lets the page load its own files, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard stands before every path: headers, then the name that was asked for, then
// the page that asks.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !loopback.OwnName(r.Host):
			// A name that was made to point at this machine makes nobody its page.
			refuse(w, http.StatusForbidden, "ask for localhost or a loopback address")
		case !loopback.FromHere(r):
			refuse(w, http.StatusForbidden, "use the page that is shown here itself")
		case r.Method == http.MethodPost && !loopback.IsJSON(r):
			refuse(w, http.StatusUnsupportedMediaType, "send application/json")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// refuse answers with one sentence, as {"error": "…"}.
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": fmt.Sprintf(format, args...)}) // a caller that left needs no answer
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}
