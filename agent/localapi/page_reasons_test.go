package localapi

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hoistway/agent/explain"
)

// gap stands in a reason for what the machine fills in.
const gap = "\x00"

// unread are the functions, calls and values whose words no page shows as a reason: errors
// and log lines of the program itself, and what only the cloud is answered.
var unread = []string{
	"panic", "New", "Errorf", "line", "differs", "Note",
	"apply", "Result", "bad", "whyNot", "lockOf", "overruled", "MayRecover", "misfit", "setting", "seconds", "count", "performed", "declined",
}

// RB-5: each reason that the pure rooms can give has its words in the page's languages.
// Reasons are found where they are made, in the source, so that a new one is not forgotten.
func TestPageHasEveryReasonOfTheMachine(t *testing.T) {
	patterns := reasonPatterns(t)
	n := 0
	for _, room := range []string{"../../fsm", "../../fsm/dispatch", "../core"} {
		for _, reason := range reasonsIn(t, room) {
			for clause := range strings.SplitSeq(reason, "; ") {
				n++
				if worded(clause) && !hasText(patterns, clause) {
					t.Errorf("%s: no why.* text for %q", room, strings.ReplaceAll(clause, gap, "{}"))
				}
			}
		}
	}
	if n < 150 {
		t.Errorf("only %d reasons found: the search is broken", n)
	}
}

// RB-5: so has the detail of each refusal of this door.
func TestPageHasEveryRefusal(t *testing.T) {
	patterns := reasonPatterns(t)
	n := 0
	eachSource(t, ".", func(source string) {
		ast.Inspect(parsed(t, source), func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok || !slices.Contains([]string{"refuse", "badValue"}, nameOf(call.Fun)) {
				return true
			}
			detail, _ := template(call) // with its gaps, where it has any
			if detail == "" {
				detail, _ = template(call.Args[1])
			}
			n++
			for clause := range strings.SplitSeq(detail, "; ") {
				if worded(clause) && !hasText(patterns, clause) {
					t.Errorf("no why.* text for %q", strings.ReplaceAll(clause, gap, "{}"))
				}
			}
			return true
		})
	})
	if n < 80 {
		t.Errorf("only %d refusals found: the search is broken", n)
	}
}

// The search itself: what it must see, and what it must leave.
func TestReasonsAreFound(t *testing.T) {
	got := reasonsOf(t, `package p
		const late = "too late now"
		func f(s *step) string {
			s.fail(Code, "it is in " + s.x() + " now")
			st.note(Note{Detail: "for the log only"})
			return fmt.Sprintf("no %s in %d s: %%", "a nested reason", n) + because("x") + " at last"
		}`)
	want := []string{"too late now", "it is in " + gap + " now", "no " + gap + " in " + gap + " s: %" + gap + " at last", "a nested reason"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// worded: of two words or more, and no mere tail of a reason.
func worded(reason string) bool {
	return regexp.MustCompile(`^[a-z\x00].*[a-z]{2}`).MatchString(reason) && strings.Contains(strings.Trim(reason, " "+gap), " ") &&
		!regexp.MustCompile(`^\x00?( for another |, expected in )`).MatchString(reason)
}

// reasonPatterns are the English texts as web/text.js reads them.
func reasonPatterns(t *testing.T) (list []*regexp.Regexp) {
	place := regexp.MustCompile(`\\\{\w+\\\}`)
	for key, words := range pageTexts(t, explain.English) {
		if strings.HasPrefix(key, "why.") {
			list = append(list, regexp.MustCompile("^"+place.ReplaceAllString(regexp.QuoteMeta(words), "(.+)")+"$"))
		}
	}
	return list
}

// hasText: a pattern fits the reason, with each gap filled or, as the machine may, left empty.
func hasText(patterns []*regexp.Regexp, reason string) bool {
	before, after, more := strings.Cut(reason, gap)
	if more {
		return hasText(patterns, before+"1s"+after) || hasText(patterns, before+after)
	}
	return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(reason) })
}

func reasonsIn(t *testing.T, folder string) []string {
	t.Helper()
	var found []string
	eachSource(t, folder, func(source string) { found = append(found, reasonsOf(t, source)...) })
	return found
}

func reasonsOf(t *testing.T, source string) []string {
	t.Helper()
	var r reasons
	ast.Inspect(parsed(t, source), r.visit)
	return r.found
}

func parsed(t *testing.T, source string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

type reasons struct{ found []string }

func (r *reasons) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportSpec, *ast.Field:
		return false
	case *ast.FuncDecl:
		if slices.Contains(unread, n.Name.Name) {
			return false
		}
	case *ast.CallExpr:
		if slices.Contains(unread, nameOf(n.Fun)) {
			return false
		}
	case *ast.CompositeLit:
		if slices.Contains(unread, nameOf(n.Type)) {
			return false
		}
	}
	e, ok := n.(ast.Expr)
	if !ok {
		return true
	}
	words, inner := template(e)
	if !strings.Contains(strings.Trim(words, gap), " ") {
		return inner == nil
	}
	r.found = append(r.found, words)
	for _, each := range inner {
		ast.Inspect(each, r.visit)
	}
	return false
}

// template gives the words of an expression that makes a string, "" for another one, and
// what fills its gaps.
func template(e ast.Expr) (string, []ast.Expr) {
	switch e := e.(type) {
	case *ast.BasicLit:
		words, err := strconv.Unquote(e.Value)
		if e.Kind == token.STRING && err == nil {
			return words, []ast.Expr{}
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, in := part(e.X)
			right, more := part(e.Y)
			return left + right, append(in, more...)
		}
	case *ast.CallExpr:
		for i, arg := range e.Args {
			if format, _ := template(arg); strings.Contains(format, "%") && !strings.Contains(format, gap) {
				words := strings.ReplaceAll(regexp.MustCompile(`%[a-z]`).ReplaceAllString(format, gap), "%%", "%")
				return words, e.Args[i+1:]
			}
		}
	}
	return "", nil
}

// part is one side of a sum: words, or a gap.
func part(e ast.Expr) (string, []ast.Expr) {
	if words, inner := template(e); words != "" {
		return words, inner
	}
	return gap, []ast.Expr{e}
}

func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// RB-5: what a permit lacks is told as a part, as wanted and as seen, each of which has its
// word; so has each contradiction, which is seen of the signals.
func TestPageHasEveryWordOfAPermit(t *testing.T) {
	english := pageTexts(t, explain.English)
	n := 0
	need := func(kind string, e ast.Expr) {
		words, _ := template(e)
		if words == "" || strings.Contains(words, " ") || strings.Contains(words, gap) {
			return // filled in, or a reason
		}
		n++
		if english[kind+"."+words] == "" {
			t.Errorf("no text for the %s %q of a permit", kind, words)
		}
	}
	eachSource(t, "../../fsm", func(source string) {
		ast.Inspect(parsed(t, source), func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CallExpr:
				if nameOf(node.Fun) == "miss" {
					need("part", node.Args[0])
					need("value", node.Args[1])
					need("value", node.Args[2])
				}
			case *ast.FuncDecl:
				if node.Name.Name == "contradiction" || node.Name.Name == "differs" {
					ast.Inspect(node.Body, func(inner ast.Node) bool {
						if back, ok := inner.(*ast.ReturnStmt); ok {
							need("value", back.Results[0])
						}
						return true
					})
				}
			}
			return true
		})
	})
	if n < 30 {
		t.Errorf("only %d words found: the search is broken", n)
	}
}
