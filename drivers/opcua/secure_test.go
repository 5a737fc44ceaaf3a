package opcua

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopcua/opcua/ua"
	"github.com/gopcua/opcua/uacp"
	"github.com/gopcua/opcua/uapolicy"
	"github.com/gopcua/opcua/uasc"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// papers are a key and a certificate over it, in files.
type papers struct {
	key       *rsa.PrivateKey
	der       []byte
	cert, pem string // files: the certificate and the key
}

// newPapers makes some that are valid from now on for so long; the past is negative.
func newPapers(t *testing.T, dir, name string, from, to time.Duration) papers {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	uri, _ := url.Parse("urn:test:" + name)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, URIs: []*url.URL{uri},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment | x509.KeyUsageDataEncipherment,
	}
	p := papers{key: key, cert: filepath.Join(dir, name+".pem"), pem: filepath.Join(dir, name+".key")}
	if p.der, err = x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key); err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{
		p.cert: {Type: "CERTIFICATE", Bytes: p.der}, p.pem: {Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// guard is a lift behind the server side of the library's secured channel, with a porter of
// its own. The library's whole server opens no secured channel: it takes the first message
// of each for plain, whatever security it was given (see the README).
type guard struct {
	*board
	addr string
	mine papers

	mu     sync.Mutex
	mode   ua.MessageSecurityMode
	policy string   // a URI
	came   []string // who was let in or not
}

func newGuard(t *testing.T, mine papers) *guard {
	t.Helper()
	ln, err := uacp.Listen(t.Context(), "opc.tcp://127.0.0.1:0", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &guard{board: &board{name: "urn:test:" + t.Name(), id: 1}, addr: ln.Addr().String(), mine: mine}
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := uint32(1); ; n++ {
			c, err := ln.Accept(context.Background())
			if err != nil {
				return
			}
			wg.Go(func() { g.serve(c, n) })
		}
	})
	t.Cleanup(func() { _ = ln.Close(); wg.Wait() })
	return g
}

// serve answers one connection, until it ends.
func (g *guard) serve(c *uacp.Conn, n uint32) {
	defer func() { _ = c.Close() }()
	g.mu.Lock()
	cfg := &uasc.Config{
		SecurityPolicyURI: g.policy, SecurityMode: g.mode, Certificate: g.mine.der, LocalKey: g.mine.key,
		Lifetime: uint32(time.Hour / time.Millisecond), RequestTimeout: 10 * time.Second,
	}
	g.mu.Unlock()
	sc, err := uasc.NewServerSecureChannel("", c, cfg, make(chan error, 8), n, n, n)
	if err != nil {
		return
	}
	for {
		m := sc.Receive(context.Background())
		if m.Err != nil {
			return
		}
		r := m.Request()
		if r == nil {
			continue
		}
		res, err := g.answer(sc, r)
		if err != nil {
			code, _ := err.(ua.StatusCode)
			res = &ua.ServiceFault{ResponseHeader: heading(r, code)}
		}
		if sc.SendResponseWithContext(context.Background(), m.RequestID, res) != nil {
			return
		}
	}
}

func heading(r ua.Request, code ua.StatusCode) *ua.ResponseHeader {
	return &ua.ResponseHeader{
		Timestamp: time.Now(), RequestHandle: r.Header().RequestHandle, ServiceResult: code,
		ServiceDiagnostics: &ua.DiagnosticInfo{}, AdditionalHeader: ua.NewExtensionObject(nil),
	}
}

func (g *guard) answer(sc *uasc.SecureChannel, r ua.Request) (ua.Response, error) {
	switch r := r.(type) {
	case *ua.CreateSessionRequest:
		return g.greet(sc, r)
	case *ua.ActivateSessionRequest:
		return g.porter(g.mine.key, r)
	case *ua.ReadRequest:
		out := &ua.ReadResponse{ResponseHeader: heading(r, 0)}
		for _, n := range r.NodesToRead {
			if n.NodeID.IntID() == namespaceArray {
				out.Results = append(out.Results, &ua.DataValue{EncodingMask: ua.DataValueValue, Value: ua.MustVariant([]string{"", g.name})})
				continue
			}
			out.Results = append(out.Results, g.Attribute(n.NodeID, n.AttributeID))
		}
		return out, nil
	case *ua.WriteRequest:
		out := &ua.WriteResponse{ResponseHeader: heading(r, 0)}
		for _, n := range r.NodesToWrite {
			out.Results = append(out.Results, g.SetAttribute(n.NodeID, n.AttributeID, n.Value))
		}
		return out, nil
	}
	return nil, ua.StatusBadServiceUnsupported
}

func (g *guard) greet(sc *uasc.SecureChannel, r *ua.CreateSessionRequest) (ua.Response, error) {
	nonce := make([]byte, 32)
	_, _ = rand.Read(nonce)
	sign, alg, err := sc.NewSessionSignature(r.ClientCertificate, r.ClientNonce)
	if err != nil {
		return nil, ua.StatusBadSecurityChecksFailed
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return &ua.CreateSessionResponse{
		ResponseHeader: heading(r, 0), SessionID: ua.NewNumericNodeID(1, 1), AuthenticationToken: ua.NewNumericNodeID(1, 2), RevisedSessionTimeout: 60_000,
		ServerNonce: nonce, ServerCertificate: g.mine.der, ServerSignature: &ua.SignatureData{Signature: sign, Algorithm: alg},
		ServerEndpoints: []*ua.EndpointDescription{{
			EndpointURL: r.EndpointURL, SecurityMode: g.mode, SecurityPolicyURI: g.policy, Server: r.ClientDescription,
			UserIdentityTokens: []*ua.UserTokenPolicy{{PolicyID: "any", TokenType: ua.UserTokenTypeAnonymous}, {PolicyID: "name", TokenType: ua.UserTokenTypeUserName}},
		}},
	}, nil
}

// porter lets nobody in by name but hoistway with its password, which comes encrypted
// for the server's key by the policy that its algorithm names.
func (g *guard) porter(key *rsa.PrivateKey, r *ua.ActivateSessionRequest) (ua.Response, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ok := &ua.ActivateSessionResponse{ResponseHeader: heading(r, 0)}
	who, named := r.UserIdentityToken.Value.(*ua.UserNameIdentityToken)
	if !named {
		g.came = append(g.came, "nobody")
		return ok, nil
	}
	for _, uri := range []string{ua.SecurityPolicyURIBasic256Sha256, ua.SecurityPolicyURIAes256Sha256RsaPss} {
		alg, err := uapolicy.Asymmetric(uri, key, &key.PublicKey)
		if err != nil || alg.EncryptionURI() != who.EncryptionAlgorithm {
			continue
		}
		b, err := alg.Decrypt(who.Password)
		if err != nil || len(b) < 36 || int(binary.LittleEndian.Uint32(b)) != len(b)-4 {
			continue
		}
		if said := who.UserName + ":" + string(b[4:len(b)-32]); said == "hoistway:sesame" {
			g.came = append(g.came, said)
			return ok, nil
		}
	}
	g.came = append(g.came, "refused "+who.UserName)
	return nil, ua.StatusBadUserAccessDenied
}

func (g *guard) last() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.came) == 0 {
		return ""
	}
	return g.came[len(g.came)-1]
}

// linked opens a link to the guard; what is logged comes with it.
func (g *guard) linked(t *testing.T, query string) (*link, *text) {
	t.Helper()
	said := &text{}
	g.mu.Lock()
	g.mode, g.policy = ua.MessageSecurityModeSign, ua.SecurityPolicyURIs[policies[0]]
	for _, p := range policies {
		if strings.Contains(query, p) {
			g.policy = ua.SecurityPolicyURIs[p]
		}
	}
	if strings.Contains(query, "security=encrypt") {
		g.mode = ua.MessageSecurityModeSignAndEncrypt
	}
	g.mu.Unlock()
	s := spec(t, "opc.tcp://"+g.addr+"?base=nsu="+g.name+";s=Lift1.&timeout=5s"+query, "testdata/bench.yaml")
	o, err := Factory(drivers.Env{Now: clock(), Log: slog.New(slog.NewTextHandler(said, nil))}).New(s)
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l.(*link), said
}

// DR-4: signed and encrypted channels by each policy that is held to be safe, with
// nobody's name and with a name and its password: values come, a write acts.
func TestSecureChannels(t *testing.T) {
	dir := t.TempDir()
	theirs, ours := newPapers(t, dir, "server", -time.Hour, time.Hour), newPapers(t, dir, "us", -time.Hour, time.Hour)
	g := newGuard(t, theirs)
	g.face = drivertest.Face{Floor: 3}
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := "&cert=" + ours.cert + "&key=" + ours.pem + "&trust=" + theirs.cert
	n := uint32(0)
	for _, policy := range policies {
		for _, how := range []string{"security=sign", "security=encrypt", "security=encrypt&user=hoistway&password_file=" + password} {
			l, said := g.linked(t, "&"+how+"&policy="+policy+keys)
			g.shown(t, l, policy+" "+how+": the floor; logged "+said.String(), func(s elevator.Snapshot) bool { return s.Link == elevator.Online && s.Floor.Value == 3 })
			if want := map[bool]string{true: "hoistway:sesame", false: "nobody"}[strings.Contains(how, "user")]; g.last() != want {
				t.Errorf("%s %s: %q came, want %q", policy, how, g.last(), want)
			}
			n++
			o := l.Poke(context.Background(), elevator.CommandID{Ride: "hand", N: n}, "car_call value=2")
			if o.Result != elevator.Done || len(g.Pressed()) != int(n) {
				t.Errorf("%s %s: %+v, %d presses", policy, how, o, len(g.Pressed()))
			}
			_ = l.Close()
		}
	}
}

// DR-4, SE-2: a certificate that is another's, that has run out or that is not valid yet,
// ours or the server's, and a wrong password: no value comes, nothing is written, and what
// is wrong is said in words that name what to mend.
func TestSecureChannelsRefused(t *testing.T) {
	dir := t.TempDir()
	theirs, ours := newPapers(t, dir, "server", -time.Hour, time.Hour), newPapers(t, dir, "us", -time.Hour, time.Hour)
	stranger := newPapers(t, dir, "stranger", -time.Hour, time.Hour)
	old, young := newPapers(t, dir, "old", -2*time.Hour, -time.Hour), newPapers(t, dir, "young", time.Hour, 2*time.Hour)
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("sesam"), 0o600); err != nil {
		t.Fatal(err)
	}
	g, elder := newGuard(t, theirs), newGuard(t, old)
	keys := func(us, them papers) string { return "&cert=" + us.cert + "&key=" + us.pem + "&trust=" + them.cert }
	for name, c := range map[string]struct {
		at          *guard
		query, want string
	}{
		"another server, sealed": {g, "&security=encrypt" + keys(ours, stranger), "may not be the one whose certificate is in " + stranger.cert},
		"another server, signed": {g, "&security=sign" + keys(ours, stranger), "may not be the one whose certificate is in " + stranger.cert},
		"ours ran out":           {g, "&security=encrypt" + keys(old, theirs), "our certificate ran out on "},
		"ours is not valid yet":  {g, "&security=sign" + keys(young, theirs), "our certificate is not valid before "},
		"the server's ran out":   {elder, "&security=encrypt" + keys(ours, old), "the server's certificate ran out on "},
		"wrong password":         {g, "&security=encrypt&user=hoistway&password_file=" + password + keys(ours, theirs), "BadUserAccessDenied"},
		"wrong name":             {g, "&security=encrypt&user=us&password_file=" + password + keys(ours, theirs), "BadUserAccessDenied"},
	} {
		t.Run(name, func(t *testing.T) {
			l, said := c.at.linked(t, c.query)
			for end := time.Now().Add(30 * time.Second); !strings.Contains(said.String(), c.want) && time.Now().Before(end); {
				time.Sleep(10 * time.Millisecond)
			}
			if got := said.String(); !strings.Contains(got, c.want) {
				t.Errorf("%q is not said:\n%s", c.want, got)
			}
			if o := l.Poke(context.Background(), elevator.CommandID{Ride: "hand", N: 1}, "car_call value=2"); o.Result != elevator.NotSent {
				t.Errorf("%+v", o)
			}
			if s := l.view.Snapshot(); s.Link == elevator.Online || s.Floor.At != 0 || len(c.at.Pressed()) != 0 {
				t.Errorf("%+v, %d presses", s, len(c.at.Pressed()))
			}
		})
	}
}
