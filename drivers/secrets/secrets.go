// Package secrets reads what a link must know and nobody may see: a file of name=value
// lines that only its owner can read, or a credential that systemd hands over; and the
// certificates that a site believes. No error repeats what is in a file of secrets.
package secrets

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// MaxBytes bounds a file of secrets.
const MaxBytes = 64 << 10

// ErrRights is a file of secrets that others may read or change.
var ErrRights = errors.New("others than its owner may read or change it: chmod 600")

// Read gives the secrets by their names. where is a path, or credential:NAME; "" has
// none.
func Read(where string) (map[string]string, error) {
	if where == "" {
		return map[string]string{}, nil
	}
	src, err := content(where)
	if err != nil {
		return nil, fmt.Errorf("secrets %s: %w", where, err)
	}
	out, err := parse(src)
	if err != nil {
		return nil, fmt.Errorf("secrets %s: %w", where, err)
	}
	return out, nil
}

func content(where string) ([]byte, error) {
	path, err := place(where)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%w: not a plain file", fs.ErrInvalid)
	case info.Mode().Perm()&0o077 != 0:
		return nil, ErrRights
	case info.Size() > MaxBytes:
		return nil, fmt.Errorf("more than %d bytes", MaxBytes)
	}
	return io.ReadAll(io.LimitReader(f, MaxBytes))
}

func place(where string) (string, error) {
	name, handed := strings.CutPrefix(where, "credential:")
	if !handed {
		return where, nil
	}
	dir := os.Getenv("CREDENTIALS_DIRECTORY")
	if dir == "" || name == "" || name != filepath.Base(name) {
		return "", fmt.Errorf("systemd has handed over no such credential: LoadCredential=%s:/path", name)
	}
	return filepath.Join(dir, name), nil
}

var line = regexp.MustCompile(`^([a-z][a-z0-9_]*)\s*=\s*(.*)$`)

// parse takes name = value, one a line; # begins a line for people.
func parse(src []byte) (map[string]string, error) {
	out := map[string]string{}
	n := 0
	for s := bufio.NewScanner(bytes.NewReader(src)); s.Scan(); {
		n++
		text := strings.TrimSpace(s.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		m := line.FindStringSubmatch(text)
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

// Roots are the certificates that are believed: those of a file in PEM, or nil for the
// system's.
func Roots(file string) (*x509.CertPool, error) {
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
