package localapi

import (
	"errors"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are the counts of this door itself; what the view tells is collected
// when it is asked for, by viewCollector.
type metrics struct {
	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	wrongTokens prometheus.Counter
	cut         prometheus.Counter
	tooOften    prometheus.Counter
}

func newMetrics(s *Server) (*metrics, error) {
	if s.o.Metrics == nil {
		s.o.Metrics = prometheus.NewRegistry()
		s.o.Metrics.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hoistway_http_requests_total", Help: "Calls of the local API by route, method and status.",
		}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hoistway_http_request_seconds", Help: "How long calls took; streams of events are left out.",
			Buckets: []float64{.001, .005, .02, .1, .5, 2, 10},
		}, []string{"route"}),
		wrongTokens: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hoistway_http_wrong_tokens_total", Help: "Calls with a token that nobody has.",
		}),
		cut: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hoistway_http_readers_cut_total", Help: "Readers of events that were cut because they did not read.",
		}),
	}
	m.tooOften = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "hoistway_http_too_often_total", Help: "Calls that were refused because their caller asked too often.",
	})
	readers := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "hoistway_http_readers", Help: "Open streams of events.",
	}, func() float64 { return float64(s.hub.count()) })
	var faults []error
	for _, c := range []prometheus.Collector{m.requests, m.seconds, m.wrongTokens, m.cut, m.tooOften, readers, newViewCollector(s)} {
		faults = append(faults, s.o.Metrics.Register(c))
	}
	return m, errors.Join(faults...)
}

// observe counts each call by its route, never by its path: paths are endless.
func (s *Server) observe(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		seen := &watched{ResponseWriter: w, status: http.StatusOK}
		// The mux notes the route in the request that it gets, so that the layers
		// between hand it back by this place.
		route := new(string)
		defer func() {
			label := *route
			if label == "" {
				label = "none"
			}
			s.metrics.requests.WithLabelValues(label, methodLabel(r.Method), strconv.Itoa(seen.status)).Inc()
			if label != "GET /v1/events" {
				s.metrics.seconds.WithLabelValues(label).Observe(time.Since(start).Seconds())
			}
		}()
		next.ServeHTTP(seen, r.WithContext(withRoute(r.Context(), route)))
	})
}

// methodLabel keeps a caller from making up labels.
func methodLabel(m string) string {
	switch m {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return m
	}
	return "other"
}

// watched remembers the status of an answer.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets a response controller reach the connection.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}
