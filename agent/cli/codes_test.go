package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hoistway/agent/explain"
)

// CT-8: a code that any source of the project can print has its explanation, so
// that `hoistway help` is never at a loss.
func TestEveryCodeInTheSourcesIsExplained(t *testing.T) {
	code := regexp.MustCompile(`\bE-[0-9]{4}\b`)
	seen := 0
	eachString(t, "../..", func(pos token.Position, text string) {
		for _, c := range code.FindAllString(text, -1) {
			seen++
			if _, ok := explain.Lookup(c); !ok {
				t.Errorf("%s: %s is not in agent/explain", pos, c)
			}
		}
	})
	if seen < 20 {
		t.Errorf("only %d codes found: the search is broken", seen)
	}
}

// CT-8: each fault of a ride has its page, and no page is of a fault that no ride has.
func TestEveryFaultOfARideIsExplained(t *testing.T) {
	faults := faultCodes(t)
	for _, f := range faults {
		if explain.ForFault(f) == "" {
			t.Errorf("%s has no E-5xxx in agent/explain", f)
		}
	}
	for _, e := range explain.All() {
		if e.Fault != "" && !slices.Contains(faults, e.Fault) {
			t.Errorf("%s explains %s, which no ride has", e.Code, e.Fault)
		}
	}
}

// faultCodes reads the constants of type Code from the sources of fsm and of what closes a lift in
// dispatch: a list kept by hand would not notice a new one.
func faultCodes(t *testing.T) []string {
	t.Helper()
	return append(codesIn(t, "../../fsm/fault.go", 27), codesIn(t, "../../fsm/dispatch/closed.go", 3)...)
}

// codesIn reads them from one file, which has so many at least.
func codesIn(t *testing.T, path string, least int) (codes []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name, _ := spec.Type.(*ast.Ident)
		if of, ok := spec.Type.(*ast.SelectorExpr); ok {
			name = of.Sel
		}
		if name == nil || name.Name != "Code" || len(spec.Values) != 1 {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(lit.Value); err == nil && s != "" {
				codes = append(codes, s)
			}
		}
		return true
	})
	if len(codes) < least {
		t.Fatalf("only %d codes found in %s: the search is broken", len(codes), path)
	}
	return codes
}

// eachString gives every string constant of the sources that are not tests.
func eachString(t *testing.T, root string, do func(token.Position, string)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				do(set.Position(lit.Pos()), lit.Value)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
