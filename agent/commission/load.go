package commission

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// LoadProfile finds a profile by its id in a library, or in a file. What it extends
// is in what is returned.
func LoadProfile(lib profiles.Library, ref string) (name string, src []byte, err error) {
	if name, src, err = findProfile(lib, ref); err != nil {
		return name, src, err
	}
	if p, _ := lib.Parse(name, src); p != nil && p.Extends() {
		src = p.Resolved()
	}
	return name, src, nil
}

func findProfile(lib profiles.Library, ref string) (name string, src []byte, err error) {
	if name, src, ok := lib.Lookup(ref); ok {
		return name, src, nil
	}
	if !strings.HasSuffix(ref, ".yaml") && !strings.HasSuffix(ref, ".yml") {
		hint := strict.DidYouMean(ref, lib.IDs())
		if _, err := os.Stat(ref + ".yaml"); err == nil {
			hint = "did you mean the file " + ref + ".yaml?"
		}
		if hint == "" {
			hint = "hoistway profile list shows those that there are; a file ends in .yaml"
		}
		return "", nil, fmt.Errorf("there is no profile %q: %s", ref, hint)
	}
	src, err = readBounded(ref, strict.MaxBytes)
	return ref, src, err
}

// readBounded reads a plain file that is not larger than it can be.
func readBounded(path string, most int) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New(path + " is not a plain file") // a pipe would block for ever
	}
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(src) > most {
		err = fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return src, err
}

// LoadFloors reads a floor table: a file with the key floors, as in a configuration.
func LoadFloors(path string) (elevator.Table, error) {
	src, err := readBounded(path, strict.MaxBytes)
	if err != nil {
		return nil, fmt.Errorf("floor table: %w", err)
	}
	schema := floorsSchema()
	root, faults := strict.Read(path, src, &schema)
	if len(faults) > 0 {
		return nil, fmt.Errorf("floor table: %w", faults[0])
	}
	var t elevator.Table
	for _, f := range root.Get("floors").Items() {
		l := elevator.Landing{Label: f.Get("label").Text(), Wire: f.Get("wire").Int()}
		for _, d := range f.Get("doors").Items() {
			side, _ := elevator.ParseSide(d.Text()) // the schema admits no other words
			l.Doors = append(l.Doors, side)
		}
		t = append(t, l)
	}
	return t, nil
}

func floorsSchema() strict.Schema {
	floor := strict.Keys(
		strict.Key{Name: "label", Required: true, Doc: "what people call it", Schema: strict.Of(strict.Text).In(1, 16)},
		strict.Key{Name: "wire", Required: true, Doc: "the controller's number", Schema: strict.Of(strict.Int).In(-32768, 65535)},
		strict.Key{Name: "doors", Doc: "the sides that open there", Schema: strict.ListOf(strict.OneOf("front", "rear"), 0, 2)},
	)
	return strict.Keys(strict.Key{
		Name: "floors", Required: true, Doc: "bottom to top", Schema: strict.ListOf(floor, 1, elevator.MaxFloors),
	})
}
