package commission

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// CT-5: no secret of any shape leaves in a bundle.
func TestMask(t *testing.T) {
	const sum = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
	secret := []string{"hunter2", "s3cr3t", "eyJhbGciOi.Jxyz", sum}
	for _, s := range []string{
		"robots: [{id: R1, token_sha256: \"" + sum + "\", crossing: 8s}]",
		"password: hunter2", "  password: 'hunter2' # why", "{\"Password\": \"hunter2\"}", "client_secret: \"s3cr3t\"", "a: {secret: s3cr3t, b: 1}",
		"cloud: {broker: \"mqtts://me:hunter2@broker:8883\"}", "link: https://x/y?unit=1&token=s3cr3t&z=2", "Authorization: Bearer eyJhbGciOi.Jxyz",
		"-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----", sum, "{\"password\":\"with \\\" hunter2\"}", "PASSWORD=hunter2",
	} {
		got := Mask(s)
		for _, x := range secret {
			if strings.Contains(got, x) {
				t.Errorf("%s\nbecame\n%s", s, got)
			}
		}
		if !strings.Contains(got, masked) {
			t.Errorf("%s: nothing is masked: %s", s, got)
		}
	}
	for _, s := range []string{"password_file: /etc/hoistway/pw", "id: R1, crossing: 8s", "link: modbus+tcp://10.0.0.5:502?unit=1", "key_file: /x"} {
		if Mask(s) != s {
			t.Errorf("%s became %s", s, Mask(s))
		}
	}
}

func TestBundle(t *testing.T) {
	b := &Bundle{Made: time.Unix(1_800_000_000, 0)}
	b.Text("config.yaml", "password: hunter2\n")
	b.JSON("a/b.json", map[string]string{"token": "s3cr3t"})
	b.Verbatim("big", bytes.Repeat([]byte("x"), maxPart+5))
	b.Text("../../etc/passwd", "no way out")
	b.Missing("agent", errors.New("not running, password=hunter2"))
	var out bytes.Buffer
	must(t, b.Write(&out))
	zip, err := gzip.NewReader(&out)
	must(t, err)
	files := map[string]string{}
	for r := tar.NewReader(zip); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		body, err := io.ReadAll(r)
		must(t, err)
		files[h.Name] = string(body)
	}
	if len(files) != 5 || len(files["hoistway/big"]) != maxPart || files["hoistway/etc/passwd"] != "no way out" {
		t.Errorf("%d files", len(files))
	}
	var list struct {
		Files   []Item
		Missing []string
	}
	must(t, json.Unmarshal([]byte(files["hoistway/manifest.json"]), &list))
	if len(list.Files) != 4 || len(list.Missing) != 2 {
		t.Errorf("%+v", list)
	}
	delete(files, "hoistway/big")
	for name, body := range files {
		if strings.Contains(body, "hunter2") || strings.Contains(body, "s3cr3t") {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// CT-5: what a record proves, what it leaves open, and that a letter changed in it
// shows.
func TestHandover(t *testing.T) {
	target := Target{}
	src, _ := lookup(t)
	target.Floors = elevator.Table{{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}}, {Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}}}
	target, err := target.WithProfile("bench/modbus-lift", src)
	must(t, err)
	h := NewHandover(target, "")
	h.Lift, h.By = "L1", "M. Weber"
	// Two reads of input registers 0 and 1, computed by hand from the map: at 1, then at 2 going up.
	rec := Recording{Head: Head{Recording: 1, Link: "modbus+tcp://x:502?unit=1", Started: time.Unix(1_800_000_000, 0)}, Frames: framesOf(t, `
0 > 00 01 00 00 00 06 01 04 00 00 00 02
5 < 00 01 00 00 00 07 01 04 04 00 01 00 00
1000 > 00 02 00 00 00 06 01 04 00 00 00 02
1005 < 00 02 00 00 00 07 01 04 04 00 02 00 01`[1:])}
	must(t, h.Prove(rec, target))
	h.Commands = []Rehearsal{
		{Command: "car_call floor=1", Outcome: "done", Seen: "y"},
		{Command: "landing_call floor=G direction=up", Outcome: "done"},
	}
	h.Close(target)
	if p := h.Points[0]; p.Point != "floor" || !p.Changed || strings.Join(p.Values, ",") != "G,1" || p.Last.Unix() != 1_800_000_001 {
		t.Errorf("%+v", p)
	}
	open := strings.Join(h.Open, "\n")
	for want, is := range map[string]bool{
		"floor": false, "motion": false, "mode was never seen": true, "car_call was": false, "landing_call up was never confirmed": true,
		"door.rear": false, "hold rear": false, "hold front was never confirmed": true, "nothing ends": false,
	} {
		if strings.Contains(open, want) != is {
			t.Errorf("%q open: %v, in\n%s", want, !is, open)
		}
	}
	path := filepath.Join(t.TempDir(), "new", "key")
	key, err := Key(path)
	must(t, err)
	again, err := Key(path)
	if err != nil || !key.Equal(again) {
		t.Errorf("the key is another one: %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	s, err := Sign(h, key)
	must(t, err)
	raw, err := json.MarshalIndent(s, "", "    ")
	must(t, err)
	got, sig, err := Verify(raw, s.Signature.PublicKey)
	if err != nil || got.Lift != "L1" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, _, err := Verify(bytes.Replace(raw, []byte("M. Weber"), []byte("M. Beber"), 1), ""); !errors.Is(err, ErrSignature) {
		t.Errorf("a changed record: %v", err)
	}
	if _, _, err := Verify(raw, strings.Repeat("0", 64)); !errors.Is(err, ErrSignature) {
		t.Errorf("another key: %v", err)
	}
	h.Lift = "L|1 <b>"
	if md := h.Markdown(sig); !strings.Contains(md, "L\\|1 &lt;b>") || !strings.Contains(md, "ends a hold by itself after 30s") || !strings.Contains(md, "| floor | yes | G, 1 |") {
		t.Error(md)
	}
}

// CT-3: a recording is read as it was written; damage is told by its line.
func TestRecording(t *testing.T) {
	var out bytes.Buffer
	r, err := NewRecorder(&out, Head{Link: "modbus+tcp://x:502", Line: "x:502", Started: time.Unix(5, 0).UTC()}, 1)
	must(t, err)
	r.Note(drivers.Frame{Out: true, At: 1_500_001, Data: []byte{1, 2}})
	r.Note(drivers.Frame{At: 3_000_001, Data: []byte{3}, Note: "late"})
	kept, lost, err := r.Close()
	if kept != 2 || lost != 0 || err != nil {
		t.Errorf("%d, %d, %v", kept, lost, err)
	}
	r.Note(drivers.Frame{}) // after the end: nothing
	want := `{"hoistway_recording":1,"link":"modbus+tcp://x:502","line":"x:502","started":"1970-01-01T00:00:05Z"}
{"ms":1.5,"out":true,"hex":"0102"}
{"ms":3,"out":false,"hex":"03","note":"late"}
`
	if out.String() != want {
		t.Error(out.String())
	}
	rec, err := ReadRecording(strings.NewReader(want))
	if err != nil || len(rec.Frames) != 2 || rec.Frames[0].At != 1_500_001 || !rec.Frames[0].Out || rec.Frames[1].Note != "late" {
		t.Errorf("%+v, %v", rec, err)
	}
	for _, bad := range []string{"", "{}", "x", want + "{\"hex\":\"0\"}", want + "{\"ms\":-1}", want + "rubbish", strings.Replace(want, ":1,", ":2,", 1)} {
		if _, err := ReadRecording(strings.NewReader(bad)); err == nil {
			t.Errorf("taken: %s", bad)
		}
	}
}

// A recording comes from anywhere.
func FuzzRecording(f *testing.F) {
	f.Add("{\"hoistway_recording\":1,\"link\":\"modbus+tcp://x\"}\n{\"ms\":1,\"out\":true,\"hex\":\"000100000006010400000002\"}\n{\"ms\":2,\"hex\":\"00010000000701040400010000\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		rec, err := ReadRecording(strings.NewReader(text))
		if err != nil {
			return
		}
		src, _ := lookup(t)
		target, err := Target{}.WithProfile("bench/modbus-lift", src)
		must(t, err)
		if p, err := Replay(rec, target); err == nil && p.Reads > len(rec.Frames)*300 {
			t.Errorf("%d reads of %d frames", p.Reads, len(rec.Frames))
		}
	})
}

// CT-3: the words stand in a case as they came; what must follow is left to a person.
func TestCaseFromARecording(t *testing.T) {
	src, _ := lookup(t)
	target, err := Target{Floors: elevator.Table{{Label: "G", Wire: 1}, {Label: "1", Wire: 2}}}.WithProfile("bench/modbus-lift", src)
	must(t, err)
	rec := Recording{Head: Head{Recording: 1, Link: "modbus+tcp://x:502?unit=1", Started: time.Unix(1_800_000_000, 0)}, Frames: framesOf(t, `
0 > 00 01 00 00 00 06 01 04 00 00 00 0E
5 < 00 01 00 00 00 1F 01 04 1C 00 02 00 00 00 01 00 00 00 01 00 00 00 00 0F A0 00 4B 00 00 00 00 00 00 00 00 00 00`[1:])}
	p, err := Replay(rec, target)
	must(t, err)
	dir := filepath.Join(t.TempDir(), "a", "case")
	if n, err := WriteCase(dir, target, rec, p); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, "case.txt"))
	must(t, err)
	for _, want := range []string{"floors G=1/ 1=2/\n", "read input 0 at 0s\n2 0 1 0 1 0 0 4000 75 0 0 0 0 0\n----\n# floor 1 @0s?\n", "# position 4000 mm @0s?\n"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("%q is not in\n%s", want, raw)
		}
	}
	for line := range strings.Lines(string(raw)) {
		if strings.HasPrefix(line, "floor 1") || strings.HasPrefix(line, "mode") {
			t.Errorf("our own decoding stands as what must follow: %s", line)
		}
	}
	if _, err := WriteCase(dir, target, rec, p); !errors.Is(err, os.ErrExist) {
		t.Errorf("written over: %v", err)
	}
	p.Steps = nil
	if _, err := WriteCase(filepath.Join(dir, "none"), target, rec, p); err == nil {
		t.Error("a case of nothing")
	}
}

// WH-14: the record says what the vendor has confirmed of its pushes, and is open where
// nothing is.
func TestHandoverOfPushes(t *testing.T) {
	src, ok := profiles.Lookup("bench/push-lift")
	if !ok {
		t.Fatal("no such profile")
	}
	target, err := Target{Floors: elevator.Table{{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}}}}.WithProfile("bench/push-lift", src)
	must(t, err)
	h := NewHandover(target, "")
	h.Close(target)
	page := h.Markdown(Signature{})
	if !strings.Contains(page, "## Pushed messages") || !strings.Contains(page, "- Messages may come twice, late and out of order") {
		t.Error(page)
	}
	h.Pushes.Confirmed, h.Open = nil, nil
	h.Close(target)
	if !strings.Contains(h.Markdown(Signature{}), "the vendor has confirmed nothing") {
		t.Error("what nobody confirmed is not open")
	}
	if plain := NewHandover(Target{Profile: parsed(t, "bench/modbus-lift")}, ""); plain.Pushes != nil {
		t.Errorf("%+v", plain.Pushes)
	}
}

func parsed(t *testing.T, id string) *profiles.Profile {
	t.Helper()
	src, _ := profiles.Lookup(id)
	p, faults := profiles.Parse(id, src)
	if p == nil {
		t.Fatal(faults)
	}
	return p
}
