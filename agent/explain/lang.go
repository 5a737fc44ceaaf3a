package explain

import (
	_ "embed"
	"strings"
)

// Lang is a language that the table is written in.
type Lang string

const (
	English Lang = "en"
	Chinese Lang = "zh" // simplified
)

// Languages lists them, the one that holds without a choice first.
func Languages() []Lang { return []Lang{English, Chinese} }

// One file a language, so that a translator touches nothing else. They are read as
// they are at each look-up: a search in 40 KB is nothing beside what asks for it.
var (
	//go:embed text/en.txt
	english string
	//go:embed text/zh.txt
	chinese string
)

func (l Lang) text() string {
	if l == Chinese {
		return chinese
	}
	return english
}

// ParseLang reads a language by its short name. The locale forms zh_CN.UTF-8 and
// zh-Hans are Chinese as well.
func ParseLang(s string) (Lang, bool) {
	name, _, _ := strings.Cut(strings.ToLower(s), ".")
	name, _, _ = strings.Cut(strings.ReplaceAll(name, "_", "-"), "-")
	for _, l := range Languages() {
		if name == string(l) {
			return l, true
		}
	}
	return English, false
}

// Preferred is the language of the first word that says anything, as LC_ALL,
// LC_MESSAGES and LANG do in this order; English for one that is not spoken here.
func Preferred(locales ...string) Lang {
	for _, s := range locales {
		if s != "" {
			l, _ := ParseLang(s)
			return l
		}
	}
	return English
}
