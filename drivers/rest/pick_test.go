package rest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles"
)

// expression is a picker with one place of a service, whose word lift is L1.
func expression(t testing.TB, place string) (picker, bool) {
	t.Helper()
	src, err := os.ReadFile("testdata/plain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(src), "{from: status.motion, enum: {\"0\": stopped, \"1\": up, \"2\": down}}", fmt.Sprintf("{from: %q, enum: {\"0\": stopped}}", "status."+place), 1)
	p, _ := profiles.Parse("p", []byte(text))
	if p == nil {
		return picker{}, false
	}
	out, err := newPicker(&p.HTTP().Service, map[string]string{"lift": "L1"})
	if err != nil {
		t.Errorf("%s was let through and does not compile: %v", place, err)
	}
	return out, err == nil
}

// DR-3: values by expressions: numbers as they are written, one value or none.
func TestPick(t *testing.T) {
	doc, err := profiles.Document([]byte(`{"n":2,"big":9007199254740993,"half":0.5,"s":"7","l":[{"id":"L1","f":3},{"id":"L2","f":4}],"body":"{\"f\":5}","calls":[{"f":1},{"f":"B1"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for place, want := range map[string]string{
		"jq: .n": "2", "jq: .n + 1": "3", "jq: .big": "9007199254740993", "jq: .half": "0.5", "jq: .s | tonumber": "7", "jq: .n > 1": "true",
		"jq: .l[] | select(.id == $lift) | .f": "3", "jq: .body | fromjson | .f": "5", "jq: .nothing": "", "jq: .l[].f": "", "jq: .l": "", "jq: .s | tonumber | .x": "",
		"n": "2", "l[?id=$lift].f": "3",
	} {
		p, ok := expression(t, place)
		if !ok {
			t.Errorf("%s is not taken", place)
			continue
		}
		if got := p.pick(context.Background(), doc, place).Word(); got != want {
			t.Errorf("%s: %q, want %q", place, got, want)
		}
	}
	p, _ := expression(t, "jq: [.calls[].f]")
	if r := p.pick(context.Background(), doc, "jq: [.calls[].f]"); r.Kind != profiles.RawList || len(r.List) != 2 || r.List[1].Word() != "B1" {
		t.Errorf("%+v", r)
	}
}

// An expression over a hostile answer ends.
func TestPickEnds(t *testing.T) {
	list := "[" + strings.Repeat("1,", 100_000) + "1]"
	doc, err := profiles.Document([]byte(list))
	if err != nil {
		t.Fatal(err)
	}
	place := "jq: map(select(.[]? == 1)) | first(.[] | select(any(. == 2)))"
	for _, place := range []string{place, "jq: [.[] | select([1] == [.])] | map(select(. == 2)) | length"} {
		p, ok := expression(t, place)
		if !ok {
			continue
		}
		began := time.Now()
		_ = p.pick(context.Background(), doc, place)
		if d := time.Since(began); d > 10*time.Second {
			t.Errorf("%s ran for %s", place, d)
		}
	}
}

// What is let through neither panics nor gives a value that is none.
func FuzzPick(f *testing.F) {
	f.Add(".l[] | select(.id == $lift) | .f", []byte(`{"l":[{"id":"L1","f":3}]}`))
	f.Add("if .a == 1 then .b // 2 else null end", []byte(`{"a":1}`))
	f.Add(".body | fromjson | .f | tonumber / 3 % 2", []byte(`{"body":"{\"f\":\"5\"}"}`))
	f.Add("[.[1:3][] | split(\",\") | map(tonumber)] | first | length", []byte(`["1,2","3"]`))
	f.Fuzz(func(t *testing.T, expr string, body []byte) {
		doc, err := profiles.Document(body)
		if err != nil || strings.ContainsAny(expr, "\x00") {
			return
		}
		p, ok := expression(t, "jq:"+expr)
		if !ok {
			return
		}
		if r := p.pick(context.Background(), doc, "jq:"+expr); r.Kind == profiles.RawFloat && r.Word() == "NaN" {
			if _, ok := r.Number(); ok {
				t.Errorf("%+v", r)
			}
		}
	})
}
