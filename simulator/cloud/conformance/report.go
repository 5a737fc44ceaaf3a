package conformance

import (
	"encoding/json"
	"fmt"
	"io"
)

// Report is what a check found.
type Report struct {
	Judged string    `json:"judged"` // service or device
	Serial string    `json:"serial"`
	Cases  []Verdict `json:"cases"`
}

// Verdict is of one case.
type Verdict struct {
	Name  string   `json:"name"`
	What  string   `json:"what"`
	Wrong []string `json:"wrong,omitempty"` // empty: as it should be
}

// Failed counts the cases that went otherwise.
func (r Report) Failed() int {
	n := 0
	for _, v := range r.Cases {
		if len(v.Wrong) > 0 {
			n++
		}
	}
	return n
}

// Text writes a line a case, and below it what went otherwise.
func (r Report) Text(w io.Writer) error {
	for _, v := range r.Cases {
		mark := "ok  "
		if len(v.Wrong) > 0 {
			mark = "FAIL"
		}
		if _, err := fmt.Fprintf(w, "%s  %-22s %s\n", mark, v.Name, v.What); err != nil {
			return err
		}
		for _, wrong := range v.Wrong {
			if _, err := fmt.Fprintf(w, "      %s\n", wrong); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(w, "%d cases, %d otherwise\n", len(r.Cases), r.Failed())
	return err
}

// JSON writes the report as one object.
func (r Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(r)
}
