package rest

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hoistway/drivers/profiles"
)

const maxSecrets = 64 << 10

// errRights is a file of secrets that others may read or write.
var errRights = errors.New("others than its owner may read or change it: chmod 600")

// readSecrets reads name=value lines. where is a file, or credential:NAME for one that
// systemd hands over. No error repeats what is in it.
func readSecrets(where string, wants []profiles.Param) (map[string]string, error) {
	if where == "" {
		return map[string]string{}, nil
	}
	src, err := secretFile(where)
	if err != nil {
		return nil, err
	}
	out, err := parseSecrets(src)
	if err != nil {
		return nil, fmt.Errorf("secrets %s: %w", where, err)
	}
	for _, w := range wants {
		if out[w.Name] == "" {
			return nil, fmt.Errorf("secrets %s: %s is missing: %s", where, w.Name, w.Doc)
		}
	}
	for name := range out {
		if !slices.ContainsFunc(wants, func(p profiles.Param) bool { return p.Name == name }) {
			return nil, fmt.Errorf("secrets %s: the profile has no %q; it wants %s", where, name, names(wants))
		}
	}
	return out, nil
}

func secretFile(where string) ([]byte, error) {
	path := where
	if name, ok := strings.CutPrefix(where, "credential:"); ok {
		dir := os.Getenv("CREDENTIALS_DIRECTORY")
		if dir == "" || name == "" || name != filepath.Base(name) {
			return nil, fmt.Errorf("secrets %s: systemd has handed over no such credential: LoadCredential=%s:/path", where, name)
		}
		path = filepath.Join(dir, name)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("secrets %s: %w", where, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("secrets %s: %w", where, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("secrets %s: %w: not a plain file", where, fs.ErrInvalid)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("secrets %s: %w", where, errRights)
	case info.Size() > maxSecrets:
		return nil, fmt.Errorf("secrets %s: more than %d bytes", where, maxSecrets)
	}
	return io.ReadAll(io.LimitReader(f, maxSecrets))
}

var secretLine = regexp.MustCompile(`^([a-z][a-z0-9_]*)\s*=\s*(.*)$`)

// parseSecrets takes name = value, one a line; # begins a line for people.
func parseSecrets(src []byte) (map[string]string, error) {
	out := map[string]string{}
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(src)); s.Scan(); {
		n++
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		m := secretLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("line %d is not name=value", n)
		}
		if _, twice := out[m[1]]; twice {
			return nil, fmt.Errorf("line %d: %s is there twice", n, m[1])
		}
		out[m[1]] = m[2]
	}
	return out, nil
}

// roots are the certificates that are believed: those of a file, or nil for the
// system's.
func roots(file string) (*x509.CertPool, error) {
	if file == "" {
		return nil, nil
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(src) {
		return nil, fmt.Errorf("ca %s: it holds no certificate in PEM", file)
	}
	return pool, nil
}

// forms are the shapes in which a secret may stand in an address or in a body.
func forms(secret string) []string {
	quoted, _ := json.Marshal(secret) // a text is always JSON
	var plain bytes.Buffer
	e := json.NewEncoder(&plain)
	e.SetEscapeHTML(false)
	_ = e.Encode(secret)
	return []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), string(quoted[1 : len(quoted)-1]),
		strings.Trim(strings.TrimSuffix(plain.String(), "\n"), `"`),
		base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret)),
	}
}

// masked is data without the secrets in it, for the record of frames.
func masked(data []byte, secrets []string) []byte {
	out := bytes.Clone(data)
	for _, s := range secrets {
		if len(s) > 3 {
			out = bytes.ReplaceAll(out, []byte(s), []byte("***"))
		}
	}
	return out
}
