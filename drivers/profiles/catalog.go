package profiles

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed catalog
var catalog embed.FS

// Lookup gives a catalog profile's source by id (bench/modbus-lift).
func Lookup(id string) (src []byte, ok bool) {
	src, err := catalog.ReadFile("catalog/" + id + ".yaml")
	return src, err == nil
}

// IDs lists the catalog, sorted.
func IDs() []string {
	var out []string
	// The walk is over embedded files; it has nothing to fail on.
	_ = fs.WalkDir(catalog, "catalog", func(path string, d fs.DirEntry, err error) error {
		if id, yaml := strings.CutSuffix(path, ".yaml"); err == nil && yaml {
			out = append(out, strings.TrimPrefix(id, "catalog/"))
		}
		return err
	})
	slices.Sort(out)
	return out
}
