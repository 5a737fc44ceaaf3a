package localapi

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newPair writes a certificate for these names and its key, and gives the pool that believes it.
func newPair(t *testing.T, dir, host string) (certFile, keyFile string, believe *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "api.pem"), filepath.Join(dir, "api.key")
	write := func(path, kind string, b []byte) []byte {
		out := pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b})
		if err := os.WriteFile(path, out, 0o600); err != nil {
			t.Fatal(err)
		}
		return out
	}
	believe = x509.NewCertPool()
	believe.AppendCertsFromPEM(write(certFile, "CERTIFICATE", der))
	write(keyFile, "PRIVATE KEY", raw)
	return certFile, keyFile, believe
}

// overTLS serves a house behind a certificate on a real socket.
func overTLS(t *testing.T, cert *Certificate) (h *house, addr string) {
	t.Helper()
	h = newHouse(t)
	ctx, cancel := context.WithCancel(context.Background())
	ln := listen(t)
	ended := make(chan error, 1)
	go func() { ended <- h.ServeTLS(ctx, ln, cert) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return h, ln.Addr().String()
}

// client asks host, wherever that is, over TLS.
func tlsClient(addr string, conf *tls.Config) *http.Client {
	return &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: conf, ForceAttemptHTTP2: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		},
	}}
}

// SE-1: others come over TLS, by a name of the certificate, with HTTP/1.1 whatever they offer.
func TestTLS(t *testing.T) {
	certFile, keyFile, believe := newPair(t, t.TempDir(), "gateway.site")
	cert, err := NewCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	h, addr := overTLS(t, cert)
	c := tlsClient(addr, &tls.Config{RootCAs: believe})
	res, err := c.Get("https://gateway.site/v1/lifts")
	if err != nil {
		t.Fatal(err)
	}
	got := read(t, res)
	if got.status != 200 || res.ProtoMajor != 1 || res.TLS.Version < tls.VersionTLS12 {
		t.Errorf("%d HTTP/%d TLS %x", got.status, res.ProtoMajor, res.TLS.Version)
	}
	req, _ := http.NewRequest("GET", "https://gateway.site/v1/lifts", nil)
	req.Host = "evil.example"
	if res, err = c.Do(req); err != nil {
		t.Fatal(err)
	}
	if got := read(t, res); got.status != 403 || got.problem.Code != asForeign.code {
		t.Errorf("for another name: %d %+v", got.status, got.problem)
	}
	if got := h.do(t, request{method: "GET", path: "/v1/lifts", host: "gateway.site"}); got.status != 403 {
		t.Errorf("the certificate's name at the door without TLS: %d", got.status)
	}
	for what, conf := range map[string]*tls.Config{
		"TLS 1.1":            {RootCAs: believe, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"a client in doubts": {},
	} {
		if res, err := tlsClient(addr, conf).Get("https://gateway.site/v1/lifts"); err == nil {
			t.Errorf("%s: %s", what, res.Status)
		}
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	_, _ = io.WriteString(conn, "GET /v1/lifts HTTP/1.1\r\nHost: localhost\r\n\r\n")
	if b, _ := io.ReadAll(conn); !strings.HasPrefix(string(b), "HTTP/1.0 400") {
		t.Errorf("in the clear: %q", b)
	}
}

// SE-1: a renewed certificate is taken without a restart, and a broken one changes nothing.
func TestCertificateIsRenewed(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile, old := newPair(t, dir, "gateway.site")
	cert, err := NewCertificate(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	_, addr := overTLS(t, cert)
	ask := func(pool *x509.CertPool, host string) error {
		res, err := tlsClient(addr, &tls.Config{RootCAs: pool}).Get("https://" + host + "/healthz")
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	if changed, err := cert.renew(); changed || err != nil {
		t.Errorf("nothing has changed: %v %v", changed, err)
	}
	if err := os.WriteFile(certFile, []byte("half a fi"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed, err := cert.renew(); !changed || err == nil {
		t.Errorf("a broken file: %v %v", changed, err)
	}
	if changed, err := cert.renew(); changed || err == nil {
		t.Errorf("a broken file again is no news: %v %v", changed, err)
	}
	if err := ask(old, "gateway.site"); err != nil {
		t.Errorf("beside a broken file: %v", err)
	}
	_, _, fresh := newPair(t, dir, "lift.site")
	if changed, err := cert.renew(); !changed || err != nil {
		t.Fatalf("a new pair: %v %v", changed, err)
	}
	if err := ask(fresh, "lift.site"); err != nil {
		t.Errorf("with the new one: %v", err)
	}
	if err := ask(old, "gateway.site"); err == nil {
		t.Error("the old one is still in use")
	}
}

// SE-6: a key that everybody may read is refused, and so is another's.
func TestCertificateFiles(t *testing.T) {
	certFile, keyFile, _ := newPair(t, t.TempDir(), "a")
	_, foreign, _ := newPair(t, t.TempDir(), "b")
	if _, err := NewCertificate(certFile, foreign); err == nil {
		t.Error("another's key is taken")
	}
	if err := os.Chmod(keyFile, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NewCertificate(certFile, keyFile); !errors.Is(err, ErrKeyRights) {
		t.Errorf("an open key: %v", err)
	}
	if _, err := NewCertificate(filepath.Join(t.TempDir(), "none"), keyFile); err == nil {
		t.Error("no certificate is taken")
	}
}
