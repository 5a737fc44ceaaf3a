package profiles

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"hoistway/drivers/profiles/strict"
)

// Library is where profiles are found by id: files of a site before the bundled ones.
// The zero Library has the bundled ones only. Read-only, so safe for several goroutines.
type Library struct{ files map[string]localFile }

type localFile struct {
	name string
	src  []byte
}

// NewLibrary takes the files of a site, content by name. A fault is of a file that says
// no id, or the id of another; the file is then left out.
func NewLibrary(files map[string][]byte) (Library, []strict.Fault) {
	l := Library{files: make(map[string]localFile)}
	var faults []strict.Fault
	for _, name := range slices.Sorted(maps.Keys(files)) {
		id := topKey(files[name], "id")
		had, twice := l.files[id]
		switch {
		case id == "":
			faults = append(faults, strict.Fault{File: name, Line: 1, Col: 1, Path: "id", Msg: "is missing", Hint: "id: maker/model"})
		case twice:
			faults = append(faults, strict.Fault{File: name, Line: 1, Col: 1, Path: "id", Msg: id + " is in " + had.name + " too"})
		default:
			l.files[id] = localFile{name, files[name]}
		}
	}
	return l, faults
}

// Lookup gives a profile's source by id, with the name that its faults carry.
func (l Library) Lookup(id string) (file string, src []byte, ok bool) {
	if f, mine := l.files[id]; mine {
		return f.name, f.src, true
	}
	src, ok = Lookup(id)
	return id, src, ok
}

// Local reports a profile that a file of the site says.
func (l Library) Local(id string) bool { _, ok := l.files[id]; return ok }

// IDs lists all that there is, sorted.
func (l Library) IDs() []string {
	all := IDs()
	for id := range l.files {
		all = append(all, id)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxChain bounds how many profiles may extend each other.
const maxChain = 4

// notInherited are facts of a file's own.
var notInherited = []string{"id", "title", "maturity", "covers"}

// Parse reads one profile together with those that it extends, as [Parse] does with
// the bundled ones.
func (l Library) Parse(file string, src []byte) (*Profile, []strict.Fault) {
	chain := l.chain(localFile{file, src})
	protocol := ""
	for _, f := range chain {
		if p := topKey(f.src, "protocol"); p != "" {
			protocol = p
		}
	}
	schema := Schema(protocol)
	root, faults := l.read(chain, &schema)
	p, faults := build(root, faults)
	if p != nil {
		p.extends = len(chain) > 1
	}
	return p, faults
}

// chain lists a file and what it extends, the file itself first.
func (l Library) chain(f localFile) []localFile {
	out := []localFile{f}
	for len(out) <= maxChain {
		f := out[len(out)-1]
		parent := topKey(f.src, "extends")
		name, src, ok := l.parent(topKey(f.src, "id"), parent)
		if parent == "" || !ok {
			break
		}
		out = append(out, localFile{name, src})
	}
	return out
}

// parent finds what a profile extends. One that extends its own id changes the
// bundled profile.
func (l Library) parent(own, id string) (name string, src []byte, ok bool) {
	if own == id {
		src, ok = Lookup(id)
		return id, src, ok
	}
	return l.Lookup(id)
}

// read reads a chain into one value.
func (l Library) read(chain []localFile, s *strict.Schema) (*strict.Value, []strict.Fault) {
	if len(chain) == 1 && topKey(chain[0].src, "extends") == "" {
		return strict.Read(chain[0].name, chain[0].src, s)
	}
	loose := strict.Loose(*s)
	var root *strict.Value
	var faults []strict.Fault
	for i := len(chain) - 1; i >= 0; i-- {
		v, fs := strict.Read(chain[i].name, chain[i].src, &loose)
		faults = append(faults, fs...)
		faults = append(faults, l.extends(v, i == len(chain)-1, len(chain))...)
		if root != nil {
			faults = append(faults, inherit(root, v)...)
		}
		root = strict.Overlay(root, v)
	}
	if len(faults) == 0 {
		faults = strict.Complete(root, s)
	}
	return root, faults
}

// extends looks at what a file says that it extends; last has no file below it.
func (l Library) extends(v *strict.Value, last bool, n int) []strict.Fault {
	e := v.Get("extends")
	switch {
	case e.Given() && last && n > maxChain:
		return []strict.Fault{e.Fault("the profiles extend each other without end, or more than "+"four deep", "")}
	case e.Given() && last:
		return []strict.Fault{e.Fault("there is no profile "+e.Text(), strict.DidYouMean(e.Text(), l.IDs()))}
	case !e.Given() && v.Get("remove").Given():
		return []strict.Fault{v.Get("remove").Fault("nothing is extended", "")}
	case e.Given() && !v.Get("id").Given():
		return []strict.Fault{v.Get("id").Fault("is missing", "a profile that extends another has its own")}
	}
	return nil
}

// inherit takes out of the lower value what the upper does not want of it.
func inherit(lower, upper *strict.Value) (faults []strict.Fault) {
	for _, key := range append([]string{"extends", "remove"}, notInherited...) {
		lower.Remove(key)
	}
	for _, r := range upper.Get("remove").Items() {
		if !lower.Remove(r.Text()) {
			faults = append(faults, r.Fault("the profile that is extended has no "+r.Text(), ""))
		}
	}
	return faults
}

// topKey finds a plain value at the left margin before the file is read, since the
// schema depends on it; "" when it stands in no line of its own.
func topKey(src []byte, key string) string {
	for line := range bytes.Lines(src) {
		if v, ok := bytes.CutPrefix(line, []byte(key+":")); ok {
			v, _, _ = bytes.Cut(v, []byte(" #"))
			return string(bytes.Trim(v, " \t\r\n\"'"))
		}
	}
	return ""
}

// resolve keeps the profile as it is with all that it extends.
func (p *Profile) resolve(root *strict.Value) {
	p.text = strict.Print(root, "extends", "remove")
	p.laid = strict.Lay(root, 100, "extends", "remove")
	sum := sha256.Sum256(p.text)
	p.hash = hex.EncodeToString(sum[:])
}

// Resolved is the profile as one file, with all that it extends. Two files that mean
// the same have one resolved form.
func (p *Profile) Resolved() []byte { return bytes.Clone(p.text) }

// Laid is the same for people, with no line longer than it must be.
func (p *Profile) Laid() []byte { return bytes.Clone(p.laid) }

// Extends reports a profile that was put together from several files.
func (p *Profile) Extends() bool { return p.extends }

// Hash is the SHA-256 of the resolved form, in hex.
func (p *Profile) Hash() string { return p.hash }
