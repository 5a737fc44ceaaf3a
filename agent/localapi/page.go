package localapi

import (
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"path"
)

//go:embed web
var webFiles embed.FS

// pageKinds does not ask the machine, whose own table may say anything.
var pageKinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// pageRoutes serves the page at / and its files beside it, by name: there is no
// path into the files that is not listed at the start.
func pageRoutes(mux *http.ServeMux) error {
	return fs.WalkDir(webFiles, "web", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := webFiles.ReadFile(file)
		if err != nil {
			return fmt.Errorf("read the page: %w", err)
		}
		pattern := "GET /" + file
		if path.Base(file) == "index.html" {
			pattern = "GET /{$}"
		}
		kind, known := pageKinds[path.Ext(file)]
		if !known {
			return fmt.Errorf("read the page: no media type for %s", file)
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(body)
		})
		return nil
	})
}
