package rest

import (
	"bytes"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"hoistway/drivers/profiles"
	"hoistway/drivers/secrets"
)

// readSecrets reads those that the profile wants, and none beside them.
func readSecrets(where string, wants []profiles.Param) (map[string]string, error) {
	out, err := secrets.Read(where)
	if err != nil || where == "" {
		return out, err
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

// roots are the certificates that are believed.
func roots(file string) (*x509.CertPool, error) { return secrets.Roots(file) }

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
