package explain

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

var form = regexp.MustCompile(`^E-[1-8][0-9]{3}$`)

// CT-8
func TestEveryEntryIsWholeAndInItsPlace(t *testing.T) {
	seen := map[string]bool{}
	last := ""
	for _, e := range All() {
		if !form.MatchString(e.Code) {
			t.Errorf("%q is not in the form of a code", e.Code)
		}
		if seen[e.Code] || e.Code < last {
			t.Errorf("%s stands twice or out of order", e.Code)
		}
		seen[e.Code], last = true, e.Code
		if strings.HasSuffix(e.Title, ".") || e.Title == "" || strings.ContainsAny(e.Title, "\n\t") {
			t.Errorf("%s: bad title %q", e.Code, e.Title)
		}
		for what, text := range map[string]string{"cause": e.Cause, "do": e.Do} {
			if !strings.HasSuffix(strings.TrimRight(text, ")"), ".") || strings.Contains(text, "  ") {
				t.Errorf("%s: %s is no whole sentence: %q", e.Code, what, text)
			}
		}
		if (e.Fault != "") != strings.HasPrefix(e.Code, "E-5") {
			t.Errorf("%s: only the ride's faults carry a fault code", e.Code)
		}
	}
}

// A code that a text sends the reader to has to exist.
func TestTextsPointAtCodesThatExist(t *testing.T) {
	for _, e := range All() {
		for _, code := range regexp.MustCompile(`E-[0-9]{4}`).FindAllString(e.Cause+e.Do, -1) {
			if _, ok := Lookup(code); !ok {
				t.Errorf("%s points at %s, which is not in the table", e.Code, code)
			}
		}
	}
}

// CT-8
func TestLookupForgivesCaseAndDash(t *testing.T) {
	for _, s := range []string{"E-5004", "e-5004", "E5004", "5004", " E-5004\n"} {
		if e, ok := Lookup(s); !ok || e.Fault != "WAIT_TIMEOUT" {
			t.Errorf("Lookup(%q) = %v, %v", s, e, ok)
		}
	}
	for _, s := range []string{"", "E-", "E-500", "E-50040", "E-50x4", "E-9999", "EE-5004", "--5004"} {
		if e, ok := Lookup(s); ok {
			t.Errorf("Lookup(%q) found %s", s, e.Code)
		}
	}
}

func TestForFault(t *testing.T) {
	for fault, want := range map[string]string{
		"WAIT_TIMEOUT": "E-5004", "VENDOR": "E-5027", "VENDOR:0x21": "E-5027",
		"": "", "NO_SUCH": "", ":": "", "wait_timeout": "",
	} {
		if got := ForFault(fault); got != want {
			t.Errorf("ForFault(%q) = %q, want %q", fault, got, want)
		}
	}
}

func TestNearRanksSlipsOfTheFingerFirst(t *testing.T) {
	codes := func(s string) (cs []string) {
		for _, e := range Near(s, 3) {
			cs = append(cs, e.Code)
		}
		return cs
	}
	if got := codes("E-1230"); got[0] != "E-1203" { // two digits swapped
		t.Errorf("near E-1230: %v", got)
	}
	if got := codes("E-5028"); !slices.Contains(got, "E-5027") {
		t.Errorf("near E-5028: %v", got)
	}
	if got := Near("help", 3); got != nil {
		t.Errorf("what is no code has no neighbours, got %v", got)
	}
	if got := Near("E-9999", 1000); len(got) != len(All()) {
		t.Errorf("asked for more than there are: %d of %d", len(got), len(All()))
	}
}
