package page

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"strconv"
	"time"

	"hoistway/simulator/loopback"
)

//go:embed web
var webFiles embed.FS

// mediaTypes does not ask the machine, whose own table may say anything.
var mediaTypes = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// webRoutes serves each file by its name, and nothing that is not listed now.
func webRoutes(mux *http.ServeMux) {
	_ = fs.WalkDir(webFiles, "web", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := webFiles.ReadFile(file)
		if err != nil {
			return err
		}
		pattern := "GET /" + file
		if path.Base(file) == "index.html" {
			pattern = "GET /{$}"
		}
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaTypes[path.Ext(file)])
			_, _ = w.Write(body)
		})
		return nil
	})
}

// siteState tells the page what there is.
type siteState struct {
	Live       bool     `json:"live"`
	Inject     bool     `json:"inject"`
	Agent      string   `json:"agent"` // "" for none
	Recordings []string `json:"recordings"`
}

func (p *Page) site(w http.ResponseWriter, _ *http.Request) {
	s := siteState{Live: p.live, Inject: p.o.Site != nil, Agent: p.o.AgentURL, Recordings: []string{}}
	for _, r := range p.o.Recordings {
		s.Recordings = append(s.Recordings, r.Name)
	}
	answer(w, s)
}

// recording sends the file of a recording, counted from 1. Its reader may be slow,
// but not stand still.
func (p *Page) recording(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 1 || n > len(p.o.Recordings) {
		refuse(w, http.StatusNotFound, "there are %d recordings, counted from 1", len(p.o.Recordings))
		return
	}
	f, err := os.Open(p.o.Recordings[n-1].File)
	if err != nil {
		p.o.Log.Warn("a recording cannot be shown", "error", err)
		refuse(w, http.StatusNotFound, "%v", err)
		return
	}
	defer f.Close()
	w.Header().Set("Content-Type", "application/x-ndjson")
	rc := http.NewResponseController(w)
	for {
		if rc.SetWriteDeadline(time.Now().Add(loopback.SlowWrite)) != nil {
			return
		}
		if _, err := io.CopyN(w, f, 64<<10); err != nil {
			if !errors.Is(err, io.EOF) {
				panic(http.ErrAbortHandler) // a half file must not look whole
			}
			return
		}
	}
}
