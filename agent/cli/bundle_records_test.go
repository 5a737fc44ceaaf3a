package cli

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/agent/commission"
	"hoistway/agent/config"
)

// RB-4, SE-1: a bundle has the flight records, those with a fault first, the newest first,
// no more than so many, and no frame of a link whose frames may hold a secret.
func TestBundleHasFlightRecords(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/records", func(w http.ResponseWriter, _ *http.Request) {
		var kept []string
		for i := 29; i >= 0; i-- {
			kept = append(kept, fmt.Sprintf(`{"ride_id":"r%d","robot":"R1","faulted":%v,"bytes":900}`, i, i == 3 || i == 7))
		}
		_, _ = fmt.Fprintf(w, "[%s]", strings.Join(kept, ","))
	})
	mux.HandleFunc("GET /v1/rides/{ride}/record", func(w http.ResponseWriter, r *http.Request) {
		lift := "L1"
		if r.PathValue("ride") == "r7" {
			lift = "L2"
		}
		_, _ = fmt.Fprintf(w, `{"schema":"hoistway.record/1","ride":{"id":%q,"lift":%q},"damage":[],"lanes":{"frames":[{"hex":"0badcafe"}],"notes":[{"text":"Bearer abcdefghijkl"}]}}`, r.PathValue("ride"), lift)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	conf := &config.Config{Lifts: []config.Lift{{ID: "L1", Link: "modbus+tcp://10.0.0.5:502?unit=1"}, {ID: "L2", Link: "https://lifts.example/L2"}}}
	b := &commission.Bundle{}
	d := &bundling{}
	base, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	d.putRecords(t.Context(), b, newClient(base, "", time.Minute, nil), conf)
	items, missing := b.List()
	var names []string
	for _, i := range items {
		names = append(names, i.Name)
	}
	if len(names) != maxRecords || !slices.Equal(names[:4], []string{"records/r7.json", "records/r3.json", "records/r29.json", "records/r28.json"}) {
		t.Errorf("in it: %q", names)
	}
	if len(missing) != 1 || !strings.Contains(missing[0], "10 records more") {
		t.Errorf("missing: %q", missing)
	}
	files := filesOf(t, b)
	if s := files["records/r7.json"]; strings.Contains(s, "0badcafe") || !strings.Contains(s, "frames are left out") || strings.Contains(s, "abcdefghijkl") || !json.Valid([]byte(s)) {
		t.Errorf("of L2: %s", s)
	}
	if s := files["records/r3.json"]; !strings.Contains(s, "0badcafe") || strings.Contains(s, "abcdefghijkl") {
		t.Errorf("of L1: %s", s)
	}
}

// filesOf reads a written bundle.
func filesOf(t *testing.T, b *commission.Bundle) map[string]string {
	t.Helper()
	var file bytes.Buffer
	if err := b.Write(&file); err != nil {
		t.Fatal(err)
	}
	zip, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		body, more := io.ReadAll(r)
		if err := errors.Join(err, more); err != nil {
			t.Fatal(err)
		}
		files[strings.TrimPrefix(h.Name, "hoistway/")] = string(body)
	}
}
