package cli

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

const (
	defaultAPI = "http://127.0.0.1:8732"
	envAPI     = "HOISTWAY_API"
	envToken   = "HOISTWAY_TOKEN"
	maxToken   = 4 << 10 // bytes
)

// asking is what every client command has in common: where the agent is, who
// asks, and in which form the answer is printed.
type asking struct {
	app       *app
	api       string
	tokenFile string
	caFile    string
	timeout   time.Duration
	json      bool
}

// asks gives cmd the flags of a client of the local API.
func (a *app) asks(cmd *cobra.Command) *asking {
	q := &asking{app: a}
	f := cmd.Flags()
	f.StringVar(&q.api, "api", "", "`address` of the agent (default $"+envAPI+", else "+defaultAPI+")")
	f.StringVar(&q.tokenFile, "token-file", "", "`file` with the bearer token (else the token itself in $"+envToken+"; with neither, looking only)")
	f.StringVar(&q.caFile, "ca-file", "", "`file` with the authority of an agent over https (else the system's)")
	f.DurationVar(&q.timeout, "timeout", 10*time.Second, "how long to wait for each answer")
	jsonFlag(cmd, &q.json)
	return q
}

func jsonFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "json", false, "print JSON instead of a table")
}

// client checks the flags and gives a client; it connects to nothing yet.
func (q *asking) client() (*client, error) {
	base, err := q.address()
	if err != nil {
		return nil, err
	}
	if q.timeout <= 0 {
		return nil, usagef(codeFlag, "--timeout must be more than 0, not %s", q.timeout)
	}
	token, err := q.token()
	if err != nil {
		return nil, err
	}
	if token != "" && base.Scheme == "http" && !isLoopback(base.Hostname()) {
		return nil, usagef(codeClear, "no token over plain http to %s", base.Host)
	}
	believe, err := q.authorities()
	if err != nil {
		return nil, err
	}
	return newClient(base, token, q.timeout, believe), nil
}

// maxAuthorities bounds a file of certificates.
const maxAuthorities = 1 << 20

// authorities are those of --ca-file; nil means the system's.
func (q *asking) authorities() (*x509.CertPool, error) {
	if q.caFile == "" {
		return nil, nil
	}
	f, err := os.Open(q.caFile)
	if err != nil {
		return nil, usage(codeFlag, "--ca-file: "+err.Error())
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxAuthorities))
	if err != nil {
		return nil, usage(codeFlag, "--ca-file: "+err.Error())
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(raw) {
		return nil, usagef(codeFlag, "--ca-file: %s holds no certificate", q.caFile)
	}
	return pool, nil
}

func (q *asking) address() (*url.URL, error) {
	s := first(q.api, q.app.env(envAPI), defaultAPI)
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" ||
		strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return nil, usagef(codeAddress, "%q is not an address of an agent like %s", s, defaultAPI)
	}
	u.Path = ""
	return u, nil
}

func (q *asking) token() (string, error) {
	if q.tokenFile == "" {
		return oneWord(q.app.env(envToken), "$"+envToken)
	}
	f, err := os.Open(q.tokenFile)
	if err != nil {
		return "", usage(codeToken, "token file: "+err.Error())
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err != nil {
		return "", usage(codeToken, "token file: "+err.Error())
	}
	token, err := oneWord(string(b), q.tokenFile)
	if err == nil && token == "" {
		err = usagef(codeToken, "%s is empty", q.tokenFile)
	}
	return token, err
}

// oneWord never repeats the token in its words.
func oneWord(s, source string) (string, error) {
	s = strings.TrimSpace(s)
	if len(s) > maxToken || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", usagef(codeToken, "%s does not hold one token", source)
	}
	return s, nil
}

// answer prints an answer as a table, or as it came.
func answer[T any](q *asking, raw []byte, err error, draw func(T) *table) error {
	v, err := read[T](raw, err)
	switch {
	case err != nil:
		return err
	case q.json:
		return q.printJSON(raw)
	}
	return draw(v).print(q.app.out)
}

// printJSON passes an answer on as it came, laid out for reading.
func (q *asking) printJSON(raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(raw), "", "  "); err != nil {
		return notAnAgent(err)
	}
	b.WriteByte('\n')
	return q.app.writeJSON(b.Bytes())
}

// printValue prints something of our own as JSON.
func (a *app) printValue(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return output(err)
	}
	return a.writeJSON(b.Bytes())
}

// writeJSON writes control characters, which can only stand in strings, by their
// numbers: the same to a program, and harmless to a terminal.
func (a *app) writeJSON(doc []byte) error {
	var b strings.Builder
	for _, r := range string(doc) {
		switch {
		case r == '\n' || r != utf8.RuneError && !isControl(r):
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return output(err)
}

// output classifies a failed write to stdout.
func output(err error) error {
	if err == nil {
		return nil
	}
	return &failure{exit: exitFinding, code: codeStart, text: "writing the output: " + err.Error(), err: err}
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}

// first gives the first string that is not empty.
func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}
