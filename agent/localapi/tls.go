package localapi

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"
)

// renewEvery is how often the files of a certificate are looked at.
const renewEvery = 10 * time.Second

// ErrKeyRights is a key that everybody on this machine may read.
var ErrKeyRights = errors.New("everybody may read the key: chmod 640, or 600")

// Certificate is this door's certificate and key, read anew when their files change: a
// renewed one needs no restart. Safe for concurrent use.
type Certificate struct {
	certFile, keyFile string

	mu    sync.Mutex
	pair  tls.Certificate
	leaf  *x509.Certificate
	stamp [2]fileStamp
	fault string // of the last pair that could not be taken
}

type fileStamp struct {
	at   time.Time
	size int64
}

// NewCertificate reads the pair; it fails where the two do not belong together, and for
// a key that everybody may read.
func NewCertificate(certFile, keyFile string) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile}
	stamp, err := c.look()
	if err != nil {
		return nil, err
	}
	return c, c.load(stamp)
}

// Run takes over a new pair when the files change, until ctx ends. One that cannot be
// read leaves the old one in use, and is said once.
func (c *Certificate) Run(ctx context.Context, log *slog.Logger) error {
	again := time.NewTicker(renewEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-again.C:
		}
		switch changed, err := c.renew(); {
		case err != nil && changed:
			log.Error("the new certificate cannot be used; the old one stays", "code", "E-3008", "error", err)
		case changed:
			log.Info("a new certificate is in use", "until", c.Until())
		}
	}
}

// renew looks at the files. changed tells something that was not known before.
func (c *Certificate) renew() (changed bool, err error) {
	stamp, err := c.look()
	if err == nil {
		c.mu.Lock()
		same := stamp == c.stamp
		c.mu.Unlock()
		if same {
			return false, nil
		}
		err = c.load(stamp)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.fault
	c.fault = ""
	if err != nil {
		c.fault = err.Error()
		return c.fault != was, err
	}
	return true, nil
}

func (c *Certificate) look() (stamp [2]fileStamp, err error) {
	for i, path := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return stamp, err
		case !info.Mode().IsRegular():
			return stamp, fmt.Errorf("%s is not a plain file", path)
		case path == c.keyFile && info.Mode().Perm()&0o007 != 0:
			return stamp, fmt.Errorf("%s: %w", path, ErrKeyRights)
		}
		stamp[i] = fileStamp{info.ModTime(), info.Size()}
	}
	return stamp, nil
}

func (c *Certificate) load(stamp [2]fileStamp) error {
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("certificate %s with key %s: %w", c.certFile, c.keyFile, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pair, c.leaf, c.stamp = pair, pair.Leaf, stamp
	return nil
}

// Until is when the certificate ends.
func (c *Certificate) Until() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.leaf.NotAfter
}

// names reports whether the certificate speaks for a host.
func (c *Certificate) names(host string) bool {
	c.mu.Lock()
	leaf := c.leaf
	c.mu.Unlock()
	return leaf.VerifyHostname(strings.Trim(host, "[]")) == nil
}

// config is what the TLS door speaks: 1.2 or newer, HTTP/1.1 alone, whose bounds are known here.
func (c *Certificate) config() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			c.mu.Lock()
			defer c.mu.Unlock()
			pair := c.pair
			return &pair, nil
		},
	}
}

// ServeTLS is Serve for callers from elsewhere. A request must name a host that the
// certificate speaks for. Its connections are counted apart from those of Serve, so
// that a flood from the network takes none from this machine.
func (s *Server) ServeTLS(ctx context.Context, ln net.Listener, c *Certificate) error {
	return s.serve(ctx, ln, c)
}

// onlyNamed lets only requests for a name of the certificate through.
func onlyNamed(c *Certificate, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host := hostOf(r.Host); c.names(host) {
			r = r.WithContext(context.WithValue(r.Context(), namedKey{}, true))
		}
		next.ServeHTTP(w, r)
	})
}

type namedKey struct{}

// named reports a request for a name that this door's certificate speaks for.
func named(ctx context.Context) bool {
	is, _ := ctx.Value(namedKey{}).(bool)
	return is
}
