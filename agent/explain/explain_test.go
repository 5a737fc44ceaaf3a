package explain

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var form = regexp.MustCompile(`^E-[1-8][0-9]{3}$`)

// CT-8, RB-5: each language has every code, whole, in its place and told in the
// manner of that language.
func TestEveryEntryIsWholeInEveryLanguage(t *testing.T) {
	ends := map[Lang]string{English: ".", Chinese: "。"}
	for _, l := range Languages() {
		seen := map[string]bool{}
		last := ""
		for _, e := range l.All() {
			if !form.MatchString(e.Code) {
				t.Errorf("%s: %q is not in the form of a code", l, e.Code)
			}
			if seen[e.Code] || e.Code < last {
				t.Errorf("%s: %s stands twice or out of order", l, e.Code)
			}
			seen[e.Code], last = true, e.Code
			if strings.HasSuffix(e.Title, ends[l]) || e.Title == "" {
				t.Errorf("%s: %s: bad title %q", l, e.Code, e.Title)
			}
			for what, text := range map[string]string{"cause": e.Cause, "do": e.Do} {
				if !strings.HasSuffix(strings.TrimRight(text, ")）"), ends[l]) || strings.Contains(text, "  ") || strings.Contains(text, "\n") {
					t.Errorf("%s: %s: %s is no whole sentence: %q", l, e.Code, what, text)
				}
			}
			if (e.Fault != "") != strings.HasPrefix(e.Code, "E-5") {
				t.Errorf("%s: only the ride's faults carry a fault code", e.Code)
			}
			if got, ok := l.Lookup(e.Code); !ok || got != e {
				t.Errorf("%s: Lookup(%s) = %+v, %v, and All has %+v", l, e.Code, got, ok, e)
			}
		}
		for _, e := range English.All() {
			if !seen[e.Code] {
				t.Errorf("%s lacks %s (%s)", l, e.Code, e.Title)
			}
		}
		if len(seen) != len(English.All()) {
			t.Errorf("%s has %d codes, English %d", l, len(seen), len(English.All()))
		}
	}
}

// RB-5: a translation keeps what a person types or looks for: commands, codes, keys,
// files. What stands between backquotes and what looks like a flag, a path or an
// address is the same in each language.
func TestTranslationsKeepWhatIsTyped(t *testing.T) {
	typed := regexp.MustCompile("`[^`]*`|E-[0-9]{4}|--[a-z][a-z-]*|[a-z]+_[a-z_0-9]+|/[a-z][a-z0-9/._-]*[a-z0-9]")
	for _, e := range English.All() {
		zh, _ := Chinese.Lookup(e.Code)
		want, got := typed.FindAllString(e.Cause+" "+e.Do, -1), typed.FindAllString(zh.Cause+" "+zh.Do, -1)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s: English has %q, Chinese %q", e.Code, want, got)
		}
		if !hasHan(zh.Title) || !hasHan(zh.Cause) || !hasHan(zh.Do) {
			t.Errorf("%s is not translated", e.Code)
		}
	}
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

// RB-5
func TestTheLanguageIsChosenByTheFirstWordThatSaysAnything(t *testing.T) {
	for _, c := range []struct {
		locales []string
		want    Lang
	}{
		{nil, English},
		{[]string{"", "", "zh_CN.UTF-8"}, Chinese},
		{[]string{"C", "", "zh_CN.UTF-8"}, English}, // LC_ALL=C is a choice
		{[]string{"zh-Hans", "en_US"}, Chinese},
		{[]string{"", "zh", "en"}, Chinese},
		{[]string{"de_DE.UTF-8"}, English},
		{[]string{"zhuang"}, English},
	} {
		if got := Preferred(c.locales...); got != c.want {
			t.Errorf("%q speak %s, want %s", c.locales, got, c.want)
		}
	}
	if _, ok := ParseLang("de"); ok {
		t.Error("a language that is not spoken was taken")
	}
}

// A code that a text sends the reader to has to exist.
func TestTextsPointAtCodesThatExist(t *testing.T) {
	for _, e := range append(English.All(), Chinese.All()...) {
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
		"MAINTENANCE": "E-5028", "STOPPED": "E-5029", "DRILL": "E-5030",
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
