package scenarios

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// SM-3: the report is XML whatever the texts hold, and says what a reader needs.
func TestJUnit(t *testing.T) {
	hostile := "]]> <b> & \"'\x00\x1b[31m \xff \u2028 line\nbreak"
	results := []CaseResult{
		{Name: "good", File: "good.txt", Seed: 1, Time: 1500 * time.Millisecond, Verdict: Verdict{Passed: true}, Transcript: "# fine\n"},
		{
			Name: "bad" + hostile, File: hostile, Seed: 7, Again: "hoistway-sim run --seed 7 bad.txt", Transcript: hostile,
			Verdict: Verdict{Failures: []Failure{
				{File: "bad.txt", Line: 3, Col: 1, At: 30 * time.Second, Statement: "expect ride r1 DONE within 30s", Seen: "ride r1 is WAITING"},
				{File: "bad.txt", Line: 4, Col: 1, Statement: hostile, Seen: hostile},
			}},
		},
		{Name: "odd", Seed: 2, Error: hostile},
		{Name: "left", Skipped: "only virtual: it takes a day"},
		{Name: "cut", Seed: 3},
	}
	var b bytes.Buffer
	if err := JUnit(&b, results); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suite    struct {
			Skipped int `xml:"skipped,attr"`
			Cases   []struct {
				Name    string `xml:"name,attr"`
				Time    string `xml:"time,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
					Body    string `xml:",chardata"`
				} `xml:"failure"`
				Out string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	d := xml.NewDecoder(bytes.NewReader(b.Bytes()))
	d.Strict = true
	if err := d.Decode(&got); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if got.Tests != 5 || got.Failures != 2 || got.Errors != 1 || got.Suite.Skipped != 1 {
		t.Errorf("%+v", got)
	}
	c := got.Suite.Cases
	if c[0].Time != "1.500" || c[0].Failure != nil || c[0].Out != "# fine\n" {
		t.Errorf("%+v", c[0])
	}
	want := "seed 7: bad.txt:3:1: expect ride r1 DONE within 30s: at 30.000 s ride r1 is WAITING (and 1 more)"
	if c[1].Failure == nil || c[1].Failure.Message != want || !strings.Contains(c[1].Failure.Body, "\nseed 7\nsee it again: hoistway-sim run --seed 7 bad.txt\n") {
		t.Errorf("%+v", c[1].Failure)
	}
	if c[4].Failure == nil || c[4].Failure.Message != "seed 3: the run did not come to its end" {
		t.Errorf("%+v", c[4].Failure)
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestJUnitSaysWhatItDid(t *testing.T) {
	if err := JUnit(fullDisk{}, nil); err == nil || err.Error() != "write the JUnit report: no space left" {
		t.Error(err)
	}
}

// SM-3: the columns of a transcript stand still, and nobody can forge a line.
func TestTranscript(t *testing.T) {
	got := Transcript("A\ntitle", []Line{
		{At: 0, Who: "R1", What: "stands"},
		{At: 12_345_678_901, Who: "scenario", What: "at 12s fault L1 fire\n99999.000   agent    forged", Bad: true},
		{At: 86_400_000_000_000, Who: "Über", What: "ends\x1b[2J\xff"},
	})
	want := "# A title\n" +
		"        0.000   R1       stands\n" +
		"       12.345 ! scenario at 12s fault L1 fire 99999.000   agent    forged\n" +
		"    86400.000   Über     ends [2J\ufffd\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
