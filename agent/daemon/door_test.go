package daemon

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/localapi"
	"hoistway/simulator/robots"
)

// SE-1: with api.tls there is a second door; without the files of it the agent does not start.
func TestDoorOverTLS(t *testing.T) {
	r := newRig(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"gateway.site"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pem1 := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	certFile, keyFile := filepath.Join(r.dir, "api.pem"), filepath.Join(r.dir, "api.key")
	for path, b := range map[string][]byte{certFile: pem1, keyFile: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.own = strings.Replace(r.config(), `"127.0.0.1:0", tech`, fmt.Sprintf(`"127.0.0.1:0", tls: {listen: "127.0.0.2:0", cert_file: %q, key_file: %q}, tech`, certFile, keyFile), 1)
	outside := make(chan string, 1)
	r.deps.Listen = func(network, address string) (net.Listener, error) {
		ln, err := net.Listen(network, address)
		if err == nil && strings.HasPrefix(address, "127.0.0.2") {
			outside <- ln.Addr().String()
		}
		return ln, err
	}
	r.start()
	believe := x509.NewCertPool()
	believe.AppendCertsFromPEM(pem1)
	at := <-outside
	c := http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: believe},
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "tcp", at)
		},
	}}
	res, err := c.Get("https://gateway.site/v1/lifts/L1")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK || r.lift1().ID != "L1" {
		t.Errorf("over TLS %s, here %q", res.Status, r.lift1().ID)
	}
	r.stop()
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	conf, faults := config.Parse("rig.yaml", []byte(r.own), nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if err := Run(t.Context(), conf, Deps{Log: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("without a key: %v", err)
	}
}

// SE-5: a flood of calls, of guesses, of half requests and of bodies beside a ride: the ride
// goes as if nobody were there, with no fault and its permits in time.
func TestFloodBesideARide(t *testing.T) {
	r := newRig(t)
	r.start()
	r.online()
	ctx, cancel := context.WithCancel(context.Background())
	var floods sync.WaitGroup
	defer floods.Wait()
	defer cancel()
	client := http.Client{Timeout: 5 * time.Second}
	ask := func(method, path, token, body string) {
		req, _ := http.NewRequestWithContext(ctx, method, r.base+path, strings.NewReader(body))
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		if res, err := client.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			_ = res.Body.Close()
		}
	}
	over := func(f func()) {
		floods.Go(func() {
			for ctx.Err() == nil {
				f()
			}
		})
	}
	for range 4 {
		over(func() { ask("GET", "/v1/rides", "", "") })
		over(func() { ask("GET", "/v1/events", "guess", "") })
		over(func() { ask("POST", "/v1/rides/none/signals", "robot-two", strings.Repeat(" ", 80<<10)) })
		over(func() {
			ask("POST", "/v1/robots/R2/heartbeat", "robot-two", `{"boot":"b","seq":1,"age_ms":0,"where":"unknown"}`)
		})
		over(func() {
			if c, err := net.Dial("tcp", strings.TrimPrefix(r.base, "http://")); err == nil {
				_, _ = io.WriteString(c, "GET /v1/lifts HTTP/1.1\r\nHost: loc")
				time.Sleep(200 * time.Millisecond)
				_ = c.Close()
			}
		})
	}
	r.robot(robots.Manner{})
	if status, body := r.post("/v1/rides", `{"ride_id":"flooded","robot":"R1","lift":"L1","from":"G","to":"2"}`); status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	look := func() (ride localapi.Ride) { // as somebody with a name: strangers share what they may ask
		_, body := r.ask(http.MethodGet, "/v1/rides/flooded", "")
		_ = json.Unmarshal([]byte(body), &ride)
		return ride
	}
	r.until("the end of the ride", func() bool { return look().State == "DONE" }, func() any { return look() })
	if ride := look(); ride.Fault != nil || ride.Retries != 0 || ride.Phase != "arrived" || len(ride.Marks) != 5 {
		t.Errorf("%+v", ride)
	}
	if status, _ := r.ask(http.MethodGet, "/metrics", ""); status != http.StatusOK {
		t.Errorf("metrics: %d", status)
	}
}
