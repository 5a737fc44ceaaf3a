package opcua

import (
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
)

// Scheme of link URLs.
const Scheme = "opc.tcp"

// mode is how the channel is secured.
type mode uint8

const (
	open mode = iota
	signed
	encrypted
)

// target is a checked link URL.
type target struct {
	host     string // host:port
	endpoint string // as the server is told
	base     string // before nodes that are named below it
	mode     mode
	policy   string // a URI
	cert     string // files
	key      string
	trust    string
	user     string
	password string // a file
	timeout  time.Duration
}

var modes = map[string]mode{"none": open, "sign": signed, "encrypt": encrypted}

// policies are those that are still held to be safe.
var policies = []string{"Basic256Sha256", "Aes128Sha256RsaOaep", "Aes256Sha256RsaPss"}

var words = []string{"security", "policy", "cert", "key", "trust", "user", "password_file", "base", "timeout"}

// parseTarget reads a link URL. A ; in it is taken as it stands: node ids have one.
func parseTarget(u *url.URL) (target, error) {
	t := target{endpoint: "opc.tcp://" + u.Host + u.EscapedPath()}
	q, err := url.ParseQuery(strings.ReplaceAll(u.RawQuery, ";", "%3B"))
	switch {
	case err != nil:
		return t, fmt.Errorf("the part after ?: %w", err)
	case u.Hostname() == "":
		return t, fmt.Errorf("no host: write opc.tcp://host:4840")
	case u.User != nil || u.Fragment != "":
		return t, fmt.Errorf("no name, password or # in a link; a password is in a file, password_file=FILE")
	}
	for name, vs := range q {
		if len(vs) > 1 || !slices.Contains(words, name) {
			return t, fmt.Errorf("%s: not known or given twice; there are %s", name, strings.Join(words, ", "))
		}
	}
	port := u.Port()
	if port == "" {
		port = "4840"
	}
	t.host = net.JoinHostPort(u.Hostname(), port)
	t.base, t.cert, t.key, t.trust = q.Get("base"), q.Get("cert"), q.Get("key"), q.Get("trust")
	t.user, t.password = q.Get("user"), q.Get("password_file")
	if err := t.patience(q.Get("timeout")); err != nil {
		return t, err
	}
	return t, t.security(q)
}

func (t *target) patience(s string) error {
	if s == "" {
		return nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 50*time.Millisecond || d > time.Minute {
		return fmt.Errorf("timeout %s: a time from 50ms to 1m is expected", s)
	}
	t.timeout = d
	return nil
}

// security refuses half-secured channels: we show a certificate and know the server's,
// or neither.
func (t *target) security(q url.Values) error {
	name := q.Get("security")
	if name == "" {
		name = "none"
	}
	var ok bool
	if t.mode, ok = modes[name]; !ok {
		return fmt.Errorf("security %s: none, sign or encrypt is expected", name)
	}
	policy := q.Get("policy")
	if policy == "" {
		policy = policies[0]
	}
	files := []string{t.cert, t.key, t.trust}
	switch {
	case t.mode != open && slices.Contains(files, ""):
		return fmt.Errorf("security %s needs cert, key and trust (the server's certificate)", name)
	case t.mode != open && !slices.Contains(policies, policy):
		return fmt.Errorf("policy %s: one of %s is expected", policy, strings.Join(policies, ", "))
	case t.mode == open && (q.Has("policy") || strings.Join(files, "") != ""):
		return fmt.Errorf("cert, key, trust and policy are for security=sign and security=encrypt")
	case (t.user == "") != (t.password == ""):
		return fmt.Errorf("user and password_file come together")
	case t.user != "" && t.mode != encrypted:
		return fmt.Errorf("a password goes over an encrypted channel only: security=encrypt")
	}
	t.policy = ua.SecurityPolicyURINone
	if t.mode != open {
		t.policy = ua.SecurityPolicyURIs[policy]
	}
	return nil
}

// identity is what the files of a target hold.
type identity struct {
	cert     []byte // DER
	key      *rsa.PrivateKey
	server   []byte // DER
	password string
	papers   map[string]*x509.Certificate // by whose they are; nil on an open channel
}

// load reads the files.
func (t *target) load() (id identity, err error) {
	if t.password != "" {
		raw, err := os.ReadFile(t.password)
		if err != nil {
			return id, fmt.Errorf("password: %w", err)
		}
		id.password = strings.TrimSpace(string(raw))
	}
	if t.mode == open {
		return id, nil
	}
	pair, err := tls.LoadX509KeyPair(t.cert, t.key)
	if err != nil {
		return id, fmt.Errorf("certificate: %w", err)
	}
	key, ok := pair.PrivateKey.(*rsa.PrivateKey)
	if !ok {
		return id, fmt.Errorf("certificate: the key of %s is no RSA key", t.key)
	}
	id.cert, id.key = pair.Certificate[0], key
	raw, err := os.ReadFile(t.trust)
	if err != nil {
		return id, fmt.Errorf("the server's certificate: %w", err)
	}
	if block, _ := pem.Decode(raw); block != nil {
		raw = block.Bytes
	}
	c, err := x509.ParseCertificate(raw)
	if err != nil {
		return id, fmt.Errorf("the server's certificate: %w", err)
	}
	if _, ok := c.PublicKey.(*rsa.PublicKey); !ok {
		return id, fmt.Errorf("the server's certificate: its key is no RSA key")
	}
	id.server = c.Raw
	id.papers = map[string]*x509.Certificate{"the server's certificate": c}
	id.papers["our certificate"], err = x509.ParseCertificate(id.cert)
	return id, err
}

// valid refuses to begin with a certificate that has run out, ours or the server's, or is
// not valid yet. It is asked each time: clocks are set, and certificates run out.
func (id *identity) valid(now time.Time) error {
	for _, who := range []string{"our certificate", "the server's certificate"} {
		c := id.papers[who]
		switch {
		case c == nil:
		case now.After(c.NotAfter):
			return fmt.Errorf("%w: %s ran out on %s, by this gateway's clock it is %s: have a new one made",
				drivers.ErrConfig, who, c.NotAfter.UTC().Format(time.DateTime), now.UTC().Format(time.DateTime))
		case now.Before(c.NotBefore):
			return fmt.Errorf("%w: %s is not valid before %s, by this gateway's clock it is %s: look at the clock",
				drivers.ErrConfig, who, c.NotBefore.UTC().Format(time.DateTime), now.UTC().Format(time.DateTime))
		}
	}
	return nil
}
