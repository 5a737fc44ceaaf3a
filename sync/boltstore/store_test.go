package boltstore

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

const childEnv = "BOLTSTORE_TEST_CHILD"

// The test binary is its own victim: started again with a store's path in the
// environment, it commits until it is killed, or holds the store.
func TestMain(m *testing.M) {
	path := os.Getenv(childEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := commitForEver(path); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func commitForEver(path string) error {
	s, opened, err := Open(path, Options{})
	if err != nil {
		return err
	}
	if opened.SetAside != "" {
		return fmt.Errorf("set aside: %s", opened.Why)
	}
	rows, err := s.Load("b")
	if err != nil {
		return err
	}
	n := 0
	if len(rows) > 0 {
		n, _ = strconv.Atoi(string(rows[0].Value))
	}
	for fmt.Println("open"); ; {
		n++
		value := []byte(strconv.Itoa(n))
		batch := []shadow.Record{
			{Bucket: "b", Key: "a:b:first:n", Value: value},
			{Bucket: "b", Key: "a:b:last:n", Value: value},
			{Bucket: "log", Key: fmt.Sprintf("a:b:%d:n", n%500), Value: append(value, strings.Repeat("x", 200)...)},
		}
		if err := s.Commit(batch); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func startChild(t *testing.T, path string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "open" {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		t.Fatalf("child did not open the store: %q", lines.Text())
	}
	return cmd, lines
}

func open1(t *testing.T, path string, o Options) (*Store, Opened) {
	t.Helper()
	s, opened, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, opened
}

func load(t *testing.T, s *Store, bucket string) []shadow.Record {
	t.Helper()
	rows, err := s.Load(bucket)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func commit(t *testing.T, s *Store, records ...shadow.Record) {
	t.Helper()
	if err := s.Commit(records); err != nil {
		t.Fatal(err)
	}
}

func rec(bucket, key, value string) shadow.Record {
	return shadow.Record{Bucket: bucket, Key: key, Value: []byte(value)}
}

// ST-1: what was committed is there after a restart, sorted, and as copies.
func TestCommitLoadReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, opened := open1(t, path, Options{})
	if want := (Opened{Fresh: true}); opened != want {
		t.Fatalf("first open: %+v, want %+v", opened, want)
	}
	commit(t, s, rec("b", "r:x:2:v", "two"), rec("b", "r:x:1:v", "one"), rec("c", "r:x:1:v", ""))
	commit(t, s, rec("b", "r:x:1:v", "uno"), shadow.Record{Bucket: "b", Key: "r:x:2:v"}, rec("b", "r:x:3:v", "three"),
		shadow.Record{Bucket: "none", Key: "r:x:2:v"})
	want := []shadow.Record{rec("b", "r:x:1:v", "uno"), rec("b", "r:x:3:v", "three")}
	got := load(t, s, "b")
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	got[0].Value[0] = '!' // must be ours alone
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatalf("second close: %v", err)
	}
	if err := s.Commit(want); !errors.Is(err, ErrClosed) {
		t.Fatalf("commit after close: %v", err)
	}

	s, opened = open1(t, path, Options{})
	if opened != (Opened{}) {
		t.Fatalf("second open: %+v", opened)
	}
	if got := load(t, s, "b"); !reflect.DeepEqual(got, want) {
		t.Fatalf("after reopen: got %q, want %q", got, want)
	}
	if got := load(t, s, "c"); len(got) != 1 || got[0].Value == nil || len(got[0].Value) != 0 {
		t.Fatalf("an empty value is not a missing one: %+v", got)
	}
	if got := load(t, s, "none"); len(got) != 0 {
		t.Fatalf("bucket never written: %+v", got)
	}
}

// One bad record spoils its whole batch and nothing else.
func TestCommitIsAllOrNothing(t *testing.T) {
	s, _ := open1(t, filepath.Join(t.TempDir(), "state.db"), Options{})
	for _, bad := range []shadow.Record{
		rec("b", "r:x:1:V", "capital"), rec("b", "r:x:1", "three parts"), rec("", "r:x:1:v", "no bucket"),
		rec("hoistway", "r:x:1:v", "the marker's"), rec("b", "r:x:1:v", strings.Repeat("x", MaxValue+1)),
	} {
		err := s.Commit([]shadow.Record{rec("b", "r:x:9:v", "good"), bad})
		var named *shadow.BadRecord
		if !errors.As(err, &named) || named.Bucket != bad.Bucket || named.Key != bad.Key {
			t.Errorf("%.40q: the bad record is not named: %v", bad.Key, err)
		}
		if !errors.Is(err, shadow.ErrKey) {
			t.Errorf("%s/%s: %v", bad.Bucket, bad.Key, err)
		}
	}
	if rows := load(t, s, "b"); len(rows) != 0 {
		t.Fatalf("part of a refused batch was kept: %v", rows)
	}
	if st := s.Stats(); st.Failures != 5 || st.Commits != 0 {
		t.Fatalf("stats %+v", st)
	}
}

// ST-3: no commit that was reported done is lost by kill -9, none is half there.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	for round := range 10 {
		child, lines := startChild(t, path)
		for range 3 + 11*round {
			lines.Scan()
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		last := 0
		for ok := true; ok; ok = lines.Scan() {
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				last = n
			}
		}
		_ = child.Wait() // it was killed
		s, opened, err := Open(path, Options{})
		if err != nil || opened != (Opened{}) {
			t.Fatalf("round %d: %+v, %v", round, opened, err)
		}
		rows := load(t, s, "b")
		if len(rows) != 2 || string(rows[0].Value) != string(rows[1].Value) {
			t.Fatalf("round %d: half a batch: %q", round, rows)
		}
		if n, _ := strconv.Atoi(string(rows[0].Value)); n < last || last == 0 {
			t.Fatalf("round %d: %d was reported done, the store has %d", round, last, n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A store held by another process is told apart from a damaged one.
func TestInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	child, _ := startChild(t, path)
	_, _, err := Open(path, Options{Timeout: 1})
	if !errors.Is(err, ErrInUse) || errors.Is(err, ErrDamaged) {
		t.Errorf("open while a child holds the store: %v", err)
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	if _, opened := open1(t, path, Options{}); opened != (Opened{}) {
		t.Fatalf("after the child: %+v", opened)
	}
	if bad, _ := filepath.Glob(path + ".bad-*"); len(bad) != 0 {
		t.Fatalf("a store in use was set aside: %v", bad)
	}
}

// ST-3: a full store refuses cleanly, keeps what it has, and takes again once
// something is deleted.
func TestFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, _ := open1(t, path, Options{MaxSize: 1 << 20})
	var full error
	n := 0
	for ; n < 1000 && full == nil; n++ {
		full = s.Commit([]shadow.Record{rec("b", fmt.Sprintf("r:x:%d:v", n), strings.Repeat("x", 4000))})
	}
	if !errors.Is(full, ErrFull) {
		t.Fatalf("after %d commits: %v", n, full)
	}
	rows := load(t, s, "b")
	if len(rows) != n-1 {
		t.Fatalf("%d rows, %d were committed", len(rows), n-1)
	}
	for _, r := range rows[:50] {
		commit(t, s, shadow.Record{Bucket: "b", Key: r.Key})
	}
	commit(t, s, rec("b", "r:x:new:v", "fits again"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, opened := open1(t, path, Options{MaxSize: 1 << 20})
	if opened != (Opened{}) || len(load(t, s, "b")) != len(rows)-50+1 {
		t.Fatalf("after reopen: %+v, %d rows", opened, len(load(t, s, "b")))
	}
}

// ST-4: a store that is mostly free pages shrinks at the next open.
func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s, _ := open1(t, path, Options{})
	var all, gone []shadow.Record
	for i := range 800 {
		r := rec("b", fmt.Sprintf("r:x:%03d:v", i), strings.Repeat("x", 4000))
		all = append(all, r)
		if i%10 != 0 {
			gone = append(gone, shadow.Record{Bucket: "b", Key: r.Key})
		}
	}
	commit(t, s, all...)
	commit(t, s, gone...)
	commit(t, s, rec("c", "r:x:1:v", "other"))
	before := s.Stats()
	want := load(t, s, "b")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, opened := open1(t, path, Options{})
	after := s.Stats()
	if opened != (Opened{}) || after.UsedBytes*2 > before.UsedBytes {
		t.Fatalf("%+v: %d bytes before, %d after", opened, before.UsedBytes, after.UsedBytes)
	}
	if got := load(t, s, "b"); len(want) != 80 || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d rows before, %d after", len(want), len(got))
	}
	if got := load(t, s, "c"); len(got) != 1 {
		t.Fatalf("second bucket lost: %v", got)
	}
	commit(t, s, rec("b", "r:x:new:v", "still writable"))
}

// The operating system's refusals are not damage.
func TestOpenRefused(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := Open(filepath.Join(dir, "no", "state.db"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	path := filepath.Join(dir, "state.db")
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Open(path, Options{}); err == nil || errors.Is(err, ErrDamaged) {
		t.Errorf("a folder: %v", err)
	}
}

// ST-4: one report of a ride is a commit of a few small records. The figure that
// matters is bytes/commit, as counted by the kernel for this process.
func BenchmarkCommit(b *testing.B) {
	s, _, err := Open(filepath.Join(b.TempDir(), "state.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	value := strings.Repeat("x", 200)
	before := written(b)
	for i := 0; b.Loop(); i++ {
		if err := s.Commit([]shadow.Record{
			rec("ride", "ride:run:r-1:state", value), rec("shadow", "shadow:doc:l1:reported", value),
			rec("events", fmt.Sprintf("out:event:%d:body", i%500), value),
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(written(b)-before)/float64(b.N), "bytes/commit")
}

// written is what this process has handed to write calls, in bytes.
func written(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip("no /proc/self/io to count written bytes: ", err)
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "wchar: "); ok {
			n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
			return n
		}
	}
	return 0
}
