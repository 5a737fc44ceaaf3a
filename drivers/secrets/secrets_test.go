package secrets

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SE-3: secrets come from a file that nobody else can read, or from systemd, and no
// error repeats one.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("CREDENTIALS_DIRECTORY", dir)
	good := file("good", "# of the site\n\n user = me \ntoken=s3same=x\n", 0o600)
	for _, where := range []string{good, "credential:good"} {
		got, err := Read(where)
		if err != nil || len(got) != 2 || got["user"] != "me" || got["token"] != "s3same=x" {
			t.Errorf("%s: %v, %v", where, got, err)
		}
	}
	if got, err := Read(""); len(got) != 0 || err != nil {
		t.Errorf("no file: %v, %v", got, err)
	}
	for _, where := range []string{
		file("wide", "token=s3same\n", 0o640), file("two", "token=s3same\ntoken=s3same\n", 0o600), file("bare", "s3same\n", 0o600),
		file("big", "token="+strings.Repeat("s3same", MaxBytes/5), 0o600),
		dir, filepath.Join(dir, "absent"), "credential:../good", "credential:", "credential:absent",
	} {
		if got, err := Read(where); err == nil || got != nil || strings.Contains(err.Error(), "s3same") {
			t.Errorf("%s: %v, %v", where, got, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "wide")); !errors.Is(err, ErrRights) {
		t.Errorf("a file that others may read: %v", err)
	}
}

func TestRoots(t *testing.T) {
	if pool, err := Roots(""); pool != nil || err != nil {
		t.Errorf("the system's own: %v, %v", pool, err)
	}
	bad := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(bad, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{bad, bad + ".absent"} {
		if pool, err := Roots(file); err == nil || pool != nil {
			t.Errorf("%s: %v, %v", file, pool, err)
		}
	}
}
