package peer

import (
	"crypto/tls"
	"fmt"
	"strings"

	"hoistway/drivers/secrets"
)

// readToken finds token=…, the one secret of such a link.
func readToken(where string) (string, error) {
	found, err := secrets.Read(where)
	if err != nil || where == "" {
		return "", err
	}
	token := found["token"]
	if token == "" || len(found) > 1 {
		return "", fmt.Errorf("secrets %s: token=… and nothing else is wanted", where)
	}
	if strings.ContainsFunc(token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return "", fmt.Errorf("secrets %s: a token is of printable characters", where)
	}
	return token, nil
}

// trust is whose certificates are believed: those of a file, or the system's.
func trust(file string) (*tls.Config, error) {
	pool, err := secrets.Roots(file)
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, err
}
