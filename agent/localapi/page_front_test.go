package localapi

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"strings"
	"sync"
)

// pageFront stands before the server in tests of the page. It notes what the page
// asks for, word by word, and lends it a flight record and an audit.
type pageFront struct {
	inner http.Handler
	mu    sync.Mutex
	asked []string // METHOD path token body
	say   map[string]string
	mute  string // a path that is answered by no word of ours
}

func (f *pageFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		f.get(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	what := r.Method + " " + r.URL.Path
	f.mu.Lock()
	f.asked = append(f.asked, strings.TrimSpace(what+" "+token+" "+string(body)))
	refusal, refused := f.say[what]
	f.mu.Unlock()
	if refused {
		w.Header().Set("Content-Type", problemType)
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, refusal)
		return
	}
	took := httptest.NewRecorder()
	f.inner.ServeHTTP(took, r)
	for key, values := range took.Header() {
		w.Header()[key] = values
	}
	w.WriteHeader(took.Code)
	_, _ = w.Write(took.Body.Bytes())
}

func (f *pageFront) get(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	mute := f.mute == r.URL.Path
	f.mu.Unlock()
	if mute {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, `{"from":"a proxy"}`)
		return
	}
	lent := map[string]string{"record": "testdata/page-record.json", "audit": "testdata/page-audit.json"}[path.Base(r.URL.Path)]
	if lent == "" || r.Header.Get("Authorization") != "Bearer "+techToken {
		f.inner.ServeHTTP(w, r)
		return
	}
	record, err := os.ReadFile(lent)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(record)
}

// took gives what was asked since the last look.
func (f *pageFront) took() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	asked := f.asked
	f.asked = nil
	return asked
}

// refuse answers one call with a problem from now on.
func (f *pageFront) refuse(what, problem string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.say = map[string]string{what: problem}
}

// silent makes a path as if nothing of ours stood behind it; "" ends that.
func (f *pageFront) silent(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.mute = path
}
