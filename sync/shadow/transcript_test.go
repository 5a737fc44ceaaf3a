package shadow

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var rewrite = flag.Bool("rewrite", false, "write what the sessions said into testdata")

// Each file in testdata is a conversation: a line that something happens, then
// ----, then what the session said to it, up to an empty line. SE-4: among them wishes
// that come too late or twice.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			want, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			got := play(t, want)
			if *rewrite {
				if err := os.WriteFile(f, got, 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal(got, want) {
				t.Errorf("said otherwise than %s:\n%s", f, firstDifference(want, got))
			}
		})
	}
}

func firstDifference(want, got []byte) string {
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(w), len(g)) {
		a, b := lineAt(w, i), lineAt(g, i)
		if a != b {
			return fmt.Sprintf("line %d\n want %s\n got  %s", i+1, a, b)
		}
	}
	return "they are the same"
}

func lineAt(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}

// play runs the happenings of a transcript and returns the transcript with what
// was said this time.
func play(t *testing.T, script []byte) []byte {
	s := newStage(t)
	var out bytes.Buffer
	lines := bufio.NewScanner(bytes.NewReader(script))
	lines.Buffer(nil, 1<<20)
	said := false
	for lines.Scan() {
		line := lines.Text()
		switch {
		case line == "":
			said = false
			fmt.Fprintln(&out)
		case said:
		case strings.HasPrefix(line, "#"):
			fmt.Fprintln(&out, line)
		case line == "----":
			said = true
			fmt.Fprintln(&out, line)
			out.WriteString(strings.Join(s.take(), ""))
		default:
			fmt.Fprintln(&out, line)
			s.happen(line)
		}
	}
	return out.Bytes()
}

// stage is one session, a model service and the broker between them.
type stage struct {
	t        fataler
	session  *Session
	config   Config
	model    *model
	now      int64
	up       bool
	records  map[string]Record
	wire     []Publish // said by the session, not yet seen by the service
	judge    map[string]Result
	said     []string
	applies  map[string]int
	answered bool // the service answers while time passes
	crash    bool // the next step is lost with the process
	check    func(Input, *pass)
	twice    func(Input, []Output) // sees each step of the session
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface {
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newStage(t fataler) *stage {
	s := &stage{
		t: t, model: newModel(), records: map[string]Record{}, judge: map[string]Result{}, applies: map[string]int{},
		config: Config{
			Serial: "GW-1", Prefix: testPrefix, Beside: testBeside, Shadows: []string{"", "L1"},
			Register: Tree{"kind": "lift-gateway"}, Seed: 1,
			Rules: []Rule{
				{Path: "recall", TTL: 600, Touches: true},
				{Path: "limit", Class: ClassConfig},
				{Path: "errand", Class: ClassOperation},
				{Path: "stop", Class: ClassRestrictive},
				{Path: "unlock", Class: ClassPermissive},
				{Path: "battery", Class: ClassObserved},
			},
			Operators: []Operator{{Name: "ops-1", Key: deskKey().Public().(ed25519.PublicKey)}},
		},
	}
	s.session = New(s.config)
	return s
}

func (s *stage) take() []string {
	said := s.said
	s.said = nil
	return said
}

func (s *stage) happen(line string) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "aws":
		s.model.plain = true
		s.config.Beside = ""
		s.session = New(s.config)
	case "up":
		n, err := strconv.ParseUint(rest, 10, 64)
		s.must(err)
		s.up = true
		s.step(Up{Session: n})
	case "down":
		s.up, s.wire, s.model.out = false, nil, nil
		s.step(Down{})
	case "stopping":
		s.step(Stopping{})
	case "report":
		name, fields := s.shadowAndTree(rest)
		s.step(Report{Shadow: name, Fields: fields})
	case "operator":
		name, desired := s.shadowAndTree(rest)
		s.model.wish(name, desired)
	case "signed":
		s.signed(rest)
	case "amended": // L1 path code value detail
		name, result, _ := strings.Cut(rest, " ")
		s.step(Amended{Shadow: strings.Trim(name, "-"), Results: []Result{s.result(result)}})
	case "judges":
		r := s.result(rest)
		s.judge[r.Path] = r
	case "broker":
		s.broker(rest)
	case "service":
		s.service(rest)
	case "wait": // 70s, or: 70s answered
		length, answered, _ := strings.Cut(rest, " ")
		d, err := time.ParseDuration(length)
		s.must(err)
		s.answered = answered == "answered"
		s.wait(int64(d))
		s.answered = false
	case "restart":
		s.restart()
	case "forget": // a new process with an empty store
		s.records = map[string]Record{}
		s.restart()
	case "offline": // n reports, one a minute
		n, err := strconv.Atoi(rest)
		s.must(err)
		for i := range n {
			s.wait(minute)
			s.step(Report{Shadow: "L1", Fields: Tree{"state": "MOVING", "current_floor": strconv.Itoa(i)}})
		}
	case "view":
		s.view()
	default:
		if !s.beside(verb, rest) {
			s.t.Fatalf("no such happening: %s", line)
		}
	}
}

// service: what the other side does. Nothing it says arrives before "broker delivers".
func (s *stage) service(rest string) {
	verb, arg, _ := strings.Cut(rest, " ")
	switch verb {
	case "answers": // whatever waits, and what follows from it, until all is quiet
		s.settle()
	case "takes": // requests only; its answers stay with the broker
		s.serve()
	case "deaf":
		s.model.deaf = arg == "on"
	case "refuses":
		code, err := strconv.Atoi(arg)
		s.must(err)
		s.model.refuse = code
	case "deletes":
		s.model.delete(strings.Trim(arg, "-"))
	case "loses":
		delete(s.model.docs, strings.Trim(arg, "-"))
	case "interrupts": // n: an operator's write gets in before each of the next n updates
		n, err := strconv.Atoi(arg)
		s.must(err)
		s.model.early = func() {
			if n--; n >= 0 {
				s.model.wish("L1", Tree{"hold": num(n)})
			}
		}
	default:
		s.t.Fatalf("the service cannot %q", rest)
	}
}

// broker: what becomes of the messages on their way.
func (s *stage) broker(rest string) {
	verb, arg, _ := strings.Cut(rest, " ")
	switch verb {
	case "holds":
		for i, m := range s.model.out {
			s.say("  %d %s %s", i, strings.TrimPrefix(m.Topic, testBeside+"/"), m.Payload)
		}
	case "delivers": // 0 2 2 1: held messages by number, in this order, then none is left
		held := s.model.out
		s.model.out = nil
		for n := range strings.FieldsSeq(arg) {
			i, err := strconv.Atoi(n)
			s.must(err)
			s.step(Received{held[i]})
		}
	case "drops":
		s.model.out = nil
	case "loses": // what the session said and nobody took
		s.wire = nil
	case "brings": // topic after the thing's, payload
		topic, payload, _ := strings.Cut(arg, " ")
		s.step(Received{Message{Topic: testBeside + "/" + topic, Payload: []byte(payload)}})
	default:
		s.t.Fatalf("the broker cannot %q", rest)
	}
}

func (s *stage) must(err error) {
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) shadowAndTree(rest string) (string, Tree) {
	name, raw, _ := strings.Cut(rest, " ")
	tree, err := Decode([]byte(raw))
	s.must(err)
	return strings.Trim(name, "-"), tree
}

// deskKey is the key of the operator ops-1.
func deskKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
}

// signed L1 unlock i-9 30 {"ride":"r-1"}: an operator writes a value, and in its header the
// signature of it that is good for so many seconds.
func (s *stage) signed(rest string) {
	f := strings.SplitN(rest, " ", 5)
	length, err := strconv.ParseInt(f[3], 10, 64)
	s.must(err)
	exp := s.model.sec + length
	what := fmt.Sprintf(`{"exp":%d,"id":%q,"path":"%s/%s","serial":"GW-1","value":%s}`, exp, f[2], strings.Trim(f[0], "-"), f[1], f[4])
	sig := base64.StdEncoding.EncodeToString(ed25519.Sign(deskKey(), []byte(what)))
	s.happen(fmt.Sprintf(`operator %s {%q:%s,"_intents":{%q:{"fields":[%q],"sig":{"key":"ops-1","exp":%d,"sig":%q}}}}`, f[0], f[1], f[4], f[2], f[1], exp, sig))
}

// result reads wait_timeout 400 90 too long: what a device answers for a path.
func (s *stage) result(rest string) Result {
	f := strings.SplitN(rest, " ", 4)
	r := Result{Path: f[0]}
	var err error
	r.Code, err = strconv.Atoi(f[1])
	s.must(err)
	if len(f) > 2 && f[2] != "-" {
		v, err := Decode([]byte(`{"v":` + f[2] + `}`))
		s.must(err)
		r.Value = v["v"]
	}
	if len(f) > 3 {
		r.Detail = f[3]
	}
	return r
}

func (s *stage) say(format string, args ...any) {
	s.said = append(s.said, fmt.Sprintf(format, args...)+"\n")
}
