package cli

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SE-1: an agent behind a certificate of the site's own is believed by its authority, and by nothing else.
func TestAuthority(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("[]")) }))
	defer server.Close()
	dir := t.TempDir()
	good, bad := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "bad.pem")
	for path, b := range map[string][]byte{
		good: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), bad: []byte("no certificate"),
	} {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		args []string
		exit int
		errs string
	}{
		"believed":       {[]string{"--ca-file", good}, 0, ""},
		"the system":     {nil, 3, "hoistway: E-3005: "},
		"no file":        {[]string{"--ca-file", filepath.Join(dir, "none")}, 2, "hoistway: E-1102: "},
		"nothing inside": {[]string{"--ca-file", bad}, 2, "hoistway: E-1102: "},
	} {
		exit, _, errs := asked(map[string]string{envAPI: server.URL}, append([]string{"rides"}, c.args...)...)
		if exit != c.exit || !strings.HasPrefix(errs, c.errs) {
			t.Errorf("%s: exit %d, %s", name, exit, errs)
		}
	}
}
