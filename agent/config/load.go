package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	_ "embed"

	"hoistway/drivers/profiles"
	"hoistway/drivers/profiles/strict"
)

//go:embed sample.yaml
var sample []byte

// Sample is a complete, commented configuration. Its optional values are the defaults.
func Sample() []byte { return append([]byte(nil), sample...) }

// Load reads a configuration file and the profiles that it names. The Config is
// nil when there is any fault; the faults then are all that can be told at once.
func Load(path string) (*Config, []strict.Fault) {
	src, err := readBounded(path)
	if err != nil {
		return nil, []strict.Fault{{File: path, Line: 1, Col: 1, Msg: reason(err)}}
	}
	return parseWith(path, src, world{readBounded, sameDevice, Library})
}

// Parse is Load on bytes. file is the name for faults, and the place from which
// relative profile paths are taken; read reads such a profile, nil is none. The folder of
// local profiles is not looked at, nor is what a device is called beside its name.
func Parse(file string, src []byte, read func(path string) ([]byte, error)) (*Config, []strict.Fault) {
	none := func(string) (profiles.Library, []strict.Fault) { return profiles.Library{}, nil }
	return parseWith(file, src, world{read, filepath.Clean, none})
}

// world is what a reading looks at beside its own file.
type world struct {
	read    func(path string) ([]byte, error) // nil: no files
	device  func(path string) string
	library func(dir string) (profiles.Library, []strict.Fault)
}

func parseWith(file string, src []byte, w world) (*Config, []strict.Fault) {
	schema := Schema()
	root, faults := strict.Read(file, src, &schema)
	c := checker{file: file, read: w.read, device: w.device, faults: faults, sources: map[string]source{}}
	if dir := root.Get("profiles").Get("dir"); dir.OK() {
		c.library, c.inProfiles = w.library(dir.Text())
	}
	c.root(root)
	all := append(strict.Sort(c.faults), c.inProfiles...)
	if len(all) > 0 {
		return nil, all
	}
	conf := build(root)
	conf.sources = c.sources
	return conf, nil
}

// Default is what a file that says nothing would mean: it lacks what is required.
func Default() *Config {
	schema := Schema()
	return build(strict.Defaults(&schema))
}

// readBounded reads one byte more than is taken, which is enough to refuse it.
func readBounded(path string) ([]byte, error) {
	// Asked before the open, which would wait for ever at a pipe.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("is not a plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, strict.MaxBytes+1))
}

// reason is an error without the path, which the fault tells already.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Sprintf("cannot be read: %v", err)
}
