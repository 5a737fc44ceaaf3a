package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func book(t *testing.T) *Book {
	t.Helper()
	b, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// SH-1: every message in the transcripts of the session has its shape.
func TestTranscriptsHaveTheShapes(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	b, seen := book(t), 0
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(raw), "\n") {
			rest, ok := strings.CutPrefix(line, "publish ")
			if !ok {
				continue
			}
			topic, payload, _ := strings.Cut(strings.Replace(rest, " retained ", " ", 1), " ")
			if !strings.HasPrefix(payload, "{") {
				continue // only counted there
			}
			seen++
			if err := b.Check(topic, []byte(payload)); err != nil {
				t.Errorf("%s:%d: %v", f, n+1, err)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d messages seen: the test reads them wrongly", seen)
	}
}

// What each shape lets pass and what not, by hand.
func TestShapes(t *testing.T) {
	b := book(t)
	for _, c := range []struct {
		topic, payload, fault string
	}{
		{"shadow/get", "", ""},
		{"shadow/name/L1/get", `{"clientToken":"t"}`, ""},
		{"shadow/get", `{"clientToken":""}`, "/clientToken"},
		{"shadow/update", `{"state":null}`, ""},
		{"shadow/update", `{"state":{"desired":{"_intents":{"i":{"fields":["a"],"priority":0}}}}}`, ""},
		{"shadow/update", `{"state":{"desired":{"_intents":{"i":{"fields":["a"],"priority":10}}}}}`, "priority"},
		{"shadow/update", `{"state":{"reported":{"_ack":{"a":{"ac":299}}}}}`, "_ack"},
		{"shadow/update", `{"state":{"delta":{}}}`, "delta"},
		{"shadow/update", `{"version":1}`, "state"},
		{"shadow/update/accepted", `{"state":{"reported":{"a":1}},"metadata":{},"version":0,"timestamp":1}`, "/version"},
		{"shadow/update/delta", `{"state":{},"metadata":{},"version":1,"timestamp":1}`, "/state"},
		{"shadow/update/rejected", `{"code":409,"message":"Version conflict"}`, ""},
		{"shadow/update/rejected", `{"code":"409","message":"Version conflict"}`, "/code"},
		{"presence", `{"online":true,"epoch":1,"session":1}`, ""},
		{"presence", `{"online":1,"epoch":1,"session":1}`, "/online"},
		{"register", `{"store":"new","clientToken":"t"}`, "/store"},
		{"register/accepted", `{"epoch":0,"server_time":1}`, "/epoch"},
		{"heartbeat", `{"epoch":1,"session":1,"seq":1,"self_age_s":0,"versions":{"":-1}}`, "versions"},
		{"events", `{"epoch":1,"seq":1,"kind":"lost"}`, "lost"},
		{"events", `{"epoch":1,"seq":0,"kind":"alarm"}`, "/seq"},
		{"commands/restart/request", `{"id":"c-1","exp":1}`, ""},
		{"commands/restart/response", `{"id":"c-1","status":"ok"}`, "/status"},
		{"commands/pending/get/accepted", `{"commands":[{"id":"c-1","exp":1}]}`, "cmd"},
		{"telemetry", `{"epoch":1,"samples":[["L1.floor",1,3]]}`, ""},
		{"telemetry", `{"epoch":1,"samples":[["L1.floor",3]]}`, "samples"},
		{"shadow/updat", `{}`, "no topic"},
	} {
		err := b.Check(c.topic, []byte(c.payload))
		if c.fault == "" && err != nil || c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)) {
			t.Errorf("%s %s: %v, want a fault with %q", c.topic, c.payload, err, c.fault)
		}
	}
}

// SH-1: the protocol's page names every topic, and by whom it is said.
func TestThePageNamesEveryTopic(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, topic := range Topics() {
		if row := "| `" + topic.Name + "` | " + string(topic.By) + " |"; !strings.Contains(page, row) {
			t.Errorf("no row %s", row)
		}
	}
	if rows := strings.Count(page, "` | device |") + strings.Count(page, "` | service |"); rows != len(Topics()) {
		t.Errorf("%d rows of topics, %d topics", rows, len(Topics()))
	}
}
