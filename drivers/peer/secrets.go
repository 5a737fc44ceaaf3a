package peer

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const maxSecrets = 64 << 10

// errRights is a file of secrets that others may read or change.
var errRights = errors.New("others than its owner may read or change it: chmod 600")

// readToken finds token=… in a file of name=value lines, or in a credential that
// systemd hands over (credential:NAME). No error repeats what is in it.
func readToken(where string) (string, error) {
	if where == "" {
		return "", nil
	}
	path, err := secretPath(where)
	if err != nil {
		return "", fmt.Errorf("secrets %s: %w", where, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("secrets %s: %w", where, err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it is no plain file")
	case info.Mode().Perm()&0o077 != 0:
		err = errRights
	}
	if err != nil {
		return "", fmt.Errorf("secrets %s: %w", where, err)
	}
	token, err := tokenIn(io.LimitReader(f, maxSecrets))
	if err != nil {
		return "", fmt.Errorf("secrets %s: %w", where, err)
	}
	return token, nil
}

func secretPath(where string) (string, error) {
	name, isCredential := strings.CutPrefix(where, "credential:")
	if !isCredential {
		return where, nil
	}
	dir := os.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" || name == "" || name != filepath.Base(name) {
		return "", fmt.Errorf("systemd has handed over no such credential: LoadCredential=%s:/path", name)
	}
	return filepath.Join(dir, name), nil
}

func tokenIn(r io.Reader) (string, error) {
	token := ""
	for s, n := bufio.NewScanner(r), 1; s.Scan(); n++ {
		line := strings.TrimSpace(s.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch {
		case !ok || strings.TrimSpace(name) != "token":
			return "", fmt.Errorf("line %d is not token=…, the one secret of this link", n)
		case token != "" || value == "" || strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }):
			return "", fmt.Errorf("line %d: one token of printable characters is wanted", n)
		}
		token = value
	}
	if token == "" {
		return "", errors.New("it holds no token=…")
	}
	return token, nil
}

// trust is whose certificates are believed: those of a file, or the system's.
func trust(file string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return c, nil
	}
	src, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	c.RootCAs = x509.NewCertPool()
	if !c.RootCAs.AppendCertsFromPEM(src) {
		return nil, fmt.Errorf("ca %s: it holds no certificate in PEM", file)
	}
	return c, nil
}
