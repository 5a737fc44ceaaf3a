package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
)

// DefaultProfiles is the folder of a site's own profiles where the file says no other.
const DefaultProfiles = "/etc/hoistway/profiles"

// maxProfiles bounds how many files of the folder are read.
const maxProfiles = 256

// Library reads a site's own profiles, *.yaml in a folder and in folders of it. They go
// before the bundled ones of the same id. A folder that is not there has none. Faults are
// of files that cannot be used at all; what is wrong inside one is told when it is used.
func Library(dir string) (profiles.Library, []strict.Fault) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return profiles.Library{}, nil
	}
	var names []string
	for _, pattern := range []string{"*.yaml", "*/*.yaml"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the patterns are sound
		names = append(names, found...)
	}
	slices.Sort(names)
	var faults []strict.Fault
	if len(names) > maxProfiles {
		faults = append(faults, strict.Fault{File: dir, Line: 1, Col: 1, Msg: fmt.Sprintf("has %d profiles, %d are read", len(names), maxProfiles)})
		names = names[:maxProfiles]
	}
	files := make(map[string][]byte, len(names))
	for _, name := range names {
		src, err := readBounded(name)
		if err != nil {
			faults = append(faults, strict.Fault{File: name, Line: 1, Col: 1, Msg: reason(err)})
			continue
		}
		files[name] = src
	}
	l, more := profiles.NewLibrary(files)
	return l, append(faults, more...)
}
