package scenarios

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

// CaseResult is one scenario that was played, for a report.
type CaseResult struct {
	Name       string // of the scenario: the file without .txt
	Title      string
	File       string
	Seed       uint64
	Time       time.Duration // that it took on a clock of the wall
	Verdict    Verdict
	Error      string // why it could not be played; "" when it was
	Skipped    string // why it was not to be played here; "" when it was
	Again      string // the command that shows it again
	Transcript string
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string      `xml:"name,attr"`
	Class     string      `xml:"classname,attr"`
	File      string      `xml:"file,attr,omitempty"`
	Time      string      `xml:"time,attr"`
	Failure   *junitWords `xml:"failure,omitempty"`
	Error     *junitWords `xml:"error,omitempty"`
	Skipped   *junitWords `xml:"skipped,omitempty"`
	SystemOut string      `xml:"system-out,omitempty"`
}

type junitWords struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Body    string `xml:",chardata"`
}

// JUnit writes the results as a JUnit report. Whatever the texts hold, it is valid
// XML: what XML cannot say is replaced.
func JUnit(w io.Writer, results []CaseResult) error {
	suite := junitSuite{Name: "hoistway scenarios", Tests: len(results)}
	var sum time.Duration
	for i := range results {
		c := caseOf(&results[i])
		switch {
		case c.Error != nil:
			suite.Errors++
		case c.Failure != nil:
			suite.Failures++
		case c.Skipped != nil:
			suite.Skipped++
		}
		sum += results[i].Time
		suite.Cases = append(suite.Cases, c)
	}
	suite.Time = seconds(sum)
	all := junitSuites{Tests: suite.Tests, Failures: suite.Failures, Errors: suite.Errors, Suites: []junitSuite{suite}}
	body, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	if _, err := fmt.Fprintf(w, "%s%s\n", xml.Header, body); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	return nil
}

func caseOf(r *CaseResult) junitCase {
	c := junitCase{Name: r.Name, Class: "scenarios", File: r.File, Time: seconds(r.Time), SystemOut: r.Transcript}
	switch {
	case r.Skipped != "":
		c.Skipped = &junitWords{Message: r.Skipped}
	case r.Error != "":
		c.Error = &junitWords{Message: r.Error, Type: "not played", Body: r.Error + again(r)}
	case !r.Verdict.Passed:
		c.Failure = failureOf(r)
	}
	return c
}

func failureOf(r *CaseResult) *junitWords {
	var lines []string
	for _, f := range r.Verdict.Failures {
		lines = append(lines, f.Error())
	}
	if len(lines) == 0 {
		lines = []string{"the run did not come to its end"}
	}
	message := fmt.Sprintf("seed %d: %s", r.Seed, lines[0])
	if n := len(lines) - 1; n > 0 {
		message += fmt.Sprintf(" (and %d more)", n)
	}
	return &junitWords{Message: message, Type: "demand", Body: strings.Join(lines, "\n") + again(r)}
}

func again(r *CaseResult) string {
	s := fmt.Sprintf("\nseed %d", r.Seed)
	if r.Again != "" {
		s += "\nsee it again: " + r.Again
	}
	return s + "\n"
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3f", d.Seconds()) }
