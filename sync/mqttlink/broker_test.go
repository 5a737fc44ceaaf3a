package mqttlink

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	mqtt "hoistway/simulator/broker"
	"hoistway/sync/shadow"
)

const patience = 60 * time.Second // for real sockets on a loaded machine

// broker is a real one, on one port for its whole life.
type broker interface {
	start(t *testing.T)
	kill(t *testing.T)
	addr() string
}

// The embedded one.
type embedded struct {
	address string
	tls     *tls.Config
	server  *mqtt.Broker
}

func (b *embedded) addr() string { return b.address }

func (b *embedded) start(t *testing.T) {
	t.Helper()
	ln, err := net.Listen("tcp", b.address)
	if err != nil {
		t.Fatal(err)
	}
	if b.tls != nil {
		ln = tls.NewListener(ln, b.tls)
	}
	b.server, err = mqtt.Start(ln, mqtt.Options{May: func(topic string) bool { return !strings.HasPrefix(topic, "secret/") }})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *embedded) kill(t *testing.T) {
	t.Helper()
	if b.server == nil {
		return
	}
	if err := b.server.Close(); err != nil {
		t.Error(err)
	}
	b.server = nil
}

// The foreign one.
type mosquitto struct {
	address, config string
	cmd             *exec.Cmd
}

func newMosquitto(t *testing.T) *mosquitto {
	t.Helper()
	if _, err := exec.LookPath("mosquitto"); err != nil {
		if os.Getenv("HOISTWAY_REQUIRE") == "all" {
			t.Fatal("mosquitto is required and not installed")
		}
		t.Skip("no foreign broker: install the Debian package mosquitto")
	}
	b := &mosquitto{address: freeAddr(t), config: filepath.Join(t.TempDir(), "mosquitto.conf")}
	_, port, _ := net.SplitHostPort(b.address)
	text := fmt.Sprintf("listener %s 127.0.0.1\nallow_anonymous true\nuser root\nlog_dest stderr\nlog_type error\n", port)
	if err := os.WriteFile(b.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *mosquitto) addr() string { return b.address }

func (b *mosquitto) start(t *testing.T) {
	t.Helper()
	b.cmd = exec.Command("mosquitto", "-c", b.config)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		c, err := net.Dial("tcp", b.address)
		if err == nil {
			_ = c.Close()
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func (b *mosquitto) kill(t *testing.T) {
	t.Helper()
	if b.cmd == nil {
		return
	}
	if err := b.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = b.cmd.Wait() // it was killed
	b.cmd = nil
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func eachBroker(t *testing.T, f func(t *testing.T, b broker)) {
	t.Run("embedded", func(t *testing.T) { withBroker(t, &embedded{address: freeAddr(t)}, f) })
	t.Run("mosquitto", func(t *testing.T) { withBroker(t, newMosquitto(t), f) })
}

func withBroker(t *testing.T, b broker, f func(t *testing.T, b broker)) {
	idle := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, idle) })
	t.Cleanup(func() { b.kill(t) })
	f(t, b)
}

// await reads events until one is of the kind.
func (r *running) await(kind shadow.LinkEventKind) shadow.LinkEvent {
	r.t.Helper()
	late := time.After(patience)
	for {
		select {
		case e := <-r.Events():
			if e.Kind == kind {
				return e
			}
		case <-late:
			r.t.Fatalf("no event of kind %d in %s", kind, patience)
		}
	}
}

func (r *running) publish(topic, body string, retain bool) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if err := r.Publish(ctx, shadow.Message{Topic: topic, Payload: []byte(body), QoS: 1, Retain: retain}); err != nil {
		r.t.Fatal(err)
	}
}

// A broker that is absent, comes, is killed and comes back.
func TestBrokerComesAndGoes(t *testing.T) {
	eachBroker(t, func(t *testing.T, b broker) {
		l := start(t, Options{Broker: "mqtt://" + b.addr(), Topics: []string{"t/+"}})
		defer l.stop()
		if e := l.await(shadow.LinkDown); e.Err == nil {
			t.Error("a failed attempt without a reason")
		}
		for round := range 2 {
			b.start(t)
			l.await(shadow.LinkUp)
			l.publish("t/x", fmt.Sprint(round), false)
			if e := l.await(shadow.LinkMessage); string(e.Message.Payload) != fmt.Sprint(round) {
				t.Errorf("%q came back", e.Message.Payload)
			}
			b.kill(t)
			l.await(shadow.LinkDown)
			if err := l.Publish(t.Context(), shadow.Message{Topic: "t/x", QoS: 1}); !errors.Is(err, ErrDown) {
				t.Errorf("publish without a broker: %v", err)
			}
		}
	})
}

// cutter dials, and can cut what it dialled as a pulled cable with a reset would.
type cutter struct {
	mu   sync.Mutex
	last net.Conn
}

func (c *cutter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = conn
	return conn, err
}

func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.last.Close()
}

// The will comes when the line is cut, also twice in a row, and not after a clean end.
func TestWill(t *testing.T) {
	eachBroker(t, func(t *testing.T, b broker) {
		b.start(t)
		watch := start(t, Options{Broker: "mqtt://" + b.addr(), ClientID: "watch", Topics: []string{"x/presence", "done"}})
		defer watch.stop()
		watch.await(shadow.LinkUp)
		line := &cutter{}
		session := 0
		l := start(t, Options{
			Broker: "mqtt://" + b.addr(), ClientID: "gateway", Dial: line.dial,
			BeforeConnect: func(context.Context) (*shadow.Message, error) {
				session++
				return &shadow.Message{Topic: "x/presence", Payload: fmt.Append(nil, session), QoS: 1, Retain: true}, nil
			},
		})
		for n := 1; n <= 2; n++ {
			l.await(shadow.LinkUp)
			line.cut()
			l.await(shadow.LinkDown)
			for string(watch.await(shadow.LinkMessage).Message.Payload) != fmt.Sprint(n) {
				// QoS 1: an earlier one may come twice
			}
		}
		l.await(shadow.LinkUp)
		l.stop()
		watch.publish("done", "", false)
		for e := watch.await(shadow.LinkMessage); e.Message.Topic != "done"; e = watch.await(shadow.LinkMessage) {
			if string(e.Message.Payload) == "3" {
				t.Error("a clean end sent the will")
			}
		}
	})
}

// What a broker has kept comes behind LinkUp, all of it.
func TestRetained(t *testing.T) {
	eachBroker(t, func(t *testing.T, b broker) {
		b.start(t)
		first := start(t, Options{Broker: "mqtt://" + b.addr(), ClientID: "first"})
		first.await(shadow.LinkUp)
		for i := range 50 {
			first.publish(fmt.Sprintf("kept/%d", i), "x", true)
		}
		// A broker may acknowledge a message before it has handed it round, but takes one
		// client's messages one after the other.
		first.publish("flush", "x", false)
		first.stop()
		l := start(t, Options{Broker: "mqtt://" + b.addr(), ClientID: "second", Topics: []string{"a", "b", "kept/#"}})
		defer l.stop()
		l.await(shadow.LinkUp)
		seen := map[string]bool{}
		for len(seen) < 50 {
			e := l.await(shadow.LinkMessage)
			seen[e.Message.Topic] = e.Message.Retain
		}
		for topic, retained := range seen {
			if !retained {
				t.Errorf("%s without the retain flag", topic)
			}
		}
	})
}

// Many goroutines may publish at once, each with its own acknowledgement.
func TestManyPublishers(t *testing.T) {
	eachBroker(t, func(t *testing.T, b broker) {
		b.start(t)
		l := start(t, Options{Broker: "mqtt://" + b.addr(), Topics: []string{"t/#"}})
		defer l.stop()
		l.await(shadow.LinkUp)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for j := range 10 {
					if err := l.Publish(t.Context(), shadow.Message{Topic: fmt.Sprintf("t/%d/%d", i, j), QoS: 1}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		seen := map[string]bool{}
		for len(seen) < 200 {
			seen[l.await(shadow.LinkMessage).Message.Topic] = true
		}
		all.Wait()
	})
}

// A real broker's refusal of a filter is an error, although the library has none.
func TestRefusedFilter(t *testing.T) {
	withBroker(t, &embedded{address: freeAddr(t)}, func(t *testing.T, b broker) {
		b.start(t)
		l := start(t, Options{Broker: "mqtt://" + b.addr(), Topics: []string{"open", "secret/x"}})
		defer l.stop()
		e := l.await(shadow.LinkDown)
		if !errors.Is(e.Err, ErrRefused) || !strings.Contains(e.Err.Error(), "secret/x") {
			t.Errorf("%v", e.Err)
		}
	})
}

// TLS with a certificate on both sides; the wrong one is a clear error.
func TestTLS(t *testing.T) {
	ca := newAuthority(t)
	config := &tls.Config{
		Certificates: []tls.Certificate{ca.issue(t, "localhost")},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: ca.pool(),
	}
	withBroker(t, &embedded{address: freeAddr(t), tls: config}, func(t *testing.T, b broker) {
		b.start(t)
		_, port, _ := net.SplitHostPort(b.addr())
		dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, b.addr())
		}
		url := "mqtts://localhost:" + port
		l := start(t, Options{
			Broker: url, Dial: dial, Topics: []string{"t"},
			TLS: &tls.Config{RootCAs: ca.pool(), Certificates: []tls.Certificate{ca.issue(t, "GW-1")}},
		})
		l.await(shadow.LinkUp)
		l.publish("t", strings.Repeat("x", 100_000), false)
		if e := l.await(shadow.LinkMessage); len(e.Message.Payload) != 100_000 {
			t.Errorf("%d bytes came back", len(e.Message.Payload))
		}
		l.stop()

		other := newAuthority(t)
		stranger := start(t, Options{Broker: url, Dial: dial, TLS: &tls.Config{RootCAs: other.pool()}})
		defer stranger.stop()
		e := stranger.await(shadow.LinkDown)
		if unknown := (x509.UnknownAuthorityError{}); !errors.As(e.Err, &unknown) {
			t.Errorf("a server of an unknown authority: %v", e.Err)
		}
	})
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a := authority{key: key, cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true,
	}}
	raw, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	if a.cert, err = x509.ParseCertificate(raw); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a authority) pool() *x509.CertPool {
	p := x509.NewCertPool()
	p.AddCert(a.cert)
	return p
}

func (a authority) issue(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	raw, err := x509.CreateCertificate(rand.Reader, leaf, a.cert, key.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{bytes.Clone(raw)}, PrivateKey: key}
}
