package scenarios

import (
	"embed"
	"path"
	"strings"
)

//go:embed library/*.txt
var library embed.FS

// File is a scenario that ships with the program.
type File struct {
	Name   string // without .txt
	Source []byte
}

// Library is every scenario that ships with the program, by name.
func Library() []File {
	entries, err := library.ReadDir("library")
	if err != nil {
		return nil // it is compiled in
	}
	var files []File
	for _, e := range entries {
		src, err := library.ReadFile(path.Join("library", e.Name()))
		if err == nil {
			files = append(files, File{Name: strings.TrimSuffix(e.Name(), ".txt"), Source: src})
		}
	}
	return files
}

// Find is the scenario of that name.
func Find(name string) (File, bool) {
	for _, f := range Library() {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}
