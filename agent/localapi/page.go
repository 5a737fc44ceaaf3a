package localapi

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path"

	"hoistway/agent/explain"
)

//go:embed web
var webFiles embed.FS

// pageKinds does not ask the machine, whose own table may say anything.
var pageKinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".json": "application/json",
}

// pageRoutes serves the page at / and its files beside it, by name: there is no
// path into the files that is not listed at the start.
func pageRoutes(mux *http.ServeMux) error {
	for _, l := range explain.Languages() {
		body, err := codesOf(l)
		if err != nil {
			return fmt.Errorf("lay out the error codes for the page: %w", err)
		}
		servePage(mux, fmt.Sprintf("/web/text/codes-%s.json", l), pageKinds[".json"], body)
	}
	return fs.WalkDir(webFiles, "web", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := webFiles.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the page: %w", err)
		}
		kind, known := pageKinds[path.Ext(file)]
		if !known {
			return fmt.Errorf("read the page: no media type for %s", file)
		}
		at := "/" + file
		if path.Base(file) == "index.html" {
			at = "/{$}"
		}
		servePage(mux, at, kind, body)
		return nil
	})
}

func servePage(mux *http.ServeMux, at, kind string, body []byte) {
	mux.HandleFunc("GET "+at, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-cache")
		_, _ = w.Write(body)
	})
}

// codesOf gives the page the words of each error code, so that it tells a fault in
// the language that it is read in.
func codesOf(l explain.Lang) ([]byte, error) {
	type words struct {
		Fault string `json:"fault,omitempty"`
		Title string `json:"title"`
		Do    string `json:"do"`
	}
	codes := map[string]words{}
	for _, e := range l.All() {
		codes[e.Code] = words{Fault: e.Fault, Title: e.Title, Do: e.Do}
	}
	return json.Marshal(codes)
}
