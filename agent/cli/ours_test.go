package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// CT-8: an answer that is JSON but tells nothing of an agent is no answer: neither
// "no faults" nor a ride without one may be read out of it.
func TestAnAnswerWithoutWhatAnAgentTellsIsNone(t *testing.T) {
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(body))
	}))
	defer server.Close()
	for _, command := range []string{
		"faults", "status", "lifts", "lifts L1", "rides", "ride r", "shadow", "shadow classic",
		"ride call --robot R1 G 1", "ride cancel r", "ride reset r --robot-is outside",
	} {
		for _, form := range []string{"", " --json"} {
			for _, body = range []string{`null`, `{}`, `[null]`, `[{}]`, `{"ok":true}`, `{"ride_id":"other","state":""}`, `true`, `3`} {
				var out, errs bytes.Buffer
				a := &app{in: strings.NewReader(""), out: &out, err: &errs, env: func(string) string { return "" }}
				exit := a.main(strings.Fields(command + form + " --api " + server.URL))
				if exit != exitReach || out.Len() > 0 || !strings.HasPrefix(errs.String(), "hoistway: E-3007: ") {
					t.Errorf("%s%s of %s: exit %d, out %q, err %q", command, form, body, exit, out.String(), errs.String())
				}
			}
		}
	}
}

// SE-3: as JSON, too, nothing that moves a cursor or turns the writing round reaches a
// terminal; what a program reads of it is the same.
func TestJSONShowsControlCharactersByTheirNumbers(t *testing.T) {
	const answer = "[{\"ride_id\":\"a\u009b2Jb\u202ec\U000e0041\x7f\",\"state\":\"IDLE\",\"why\":\"\x9b\"}]"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(answer))
	}))
	defer server.Close()
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, env: func(string) string { return "" }}
	if exit := a.main([]string{"rides", "--json", "--api", server.URL}); exit != exitFine {
		t.Fatalf("exit %d: %s", exit, errs.String())
	}
	want := "[\n  {\n    \"ride_id\": \"a\\u009b2Jb\\u202ec\\udb40\\udc41\\u007f\",\n    \"state\": \"IDLE\",\n    \"why\": \"\\ufffd\"\n  }\n]\n"
	if out.String() != want {
		t.Errorf("printed %q\nwant %q", out.String(), want)
	}
}
