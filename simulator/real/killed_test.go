package real

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"hoistway/agent/cli"
	"hoistway/simulator/devices"
	"hoistway/simulator/scenarios"
)

// A longer run: go test ./simulator/real -run TestKilledAtRandom -v -kills 60 -kill-seed 7
var (
	killCount = flag.Int("kills", 3, "kills of the real process in TestKilledAtRandom")
	killSeed  = flag.Uint64("kill-seed", 1, "of their instants")
	killed    = flag.String("program", "", "the hoistway that is killed; none: that of this test")
)

const asProgram = "HOISTWAY_TEST_RUN"

// TestTheProgram is no test but the agent itself, when [program] starts this binary.
func TestTheProgram(t *testing.T) {
	file := os.Getenv(asProgram)
	if file == "" {
		return
	}
	if code := cli.Main([]string{"run", "-c", file}, os.Stdin, os.Stdout, os.Stderr); code != 0 {
		t.Errorf("it ended with %d", code)
	}
}

// program runs the agent as a process of its own, and keeps its words for who looks for a
// cause.
func program(said *bytes.Buffer) func(file string) *exec.Cmd {
	return func(file string) *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestTheProgram$")
		cmd.Env = append(os.Environ(), asProgram+"="+file)
		if *killed != "" {
			cmd = exec.Command(*killed, "run", "-c", file)
		}
		cmd.Stdout, cmd.Stderr = said, said
		return cmd
	}
}

// RD-2, RD-12, IL-4, IL-5, SM-3: the shipped program gets signal 9 at random instants of
// rides on both wires, and starts again on what is left. Every ride ends with its robot
// where it says, and no life of it presses what a former one has pressed, nor closes a
// door on a robot.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	const each = 6 // kills a site
	for n := 0; n*each < *killCount; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			k := newKilled(t, *killSeed*1000+uint64(n))
			k.play(min(each, *killCount-n*each))
		})
	}
}

type killing struct {
	t    *testing.T
	s    *Site
	rng  *rand.Rand
	eyes *eyes
	said bytes.Buffer
	last map[string]string // the running ride, by robot
	made int
	list []string // all of them
}

func newKilled(t *testing.T, seed uint64) *killing {
	k := &killing{t: t, rng: rand.New(rand.NewPCG(seed, 9)), last: map[string]string{}}
	s, err := Start(t.Context(), Options{
		Robots: []Robot{{"R1", 1500 * time.Millisecond}, {"R2", 1500 * time.Millisecond}}, NoCloud: true, Seed: seed,
		Dir: t.TempDir(), Version: "test", Listen: freeAddress(t), program: program(&k.said),
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, k.said.String())
	}
	k.s, k.eyes = s, watch(s)
	t.Cleanup(func() {
		k.eyes.stop()
		if err := s.Close(); err != nil {
			t.Errorf("taking the site down: %v", err)
		}
		if t.Failed() {
			t.Logf("what the lives of the agent said:\n%s", k.said.String())
		}
	})
	return k
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// play has both robots ride, the next ride when one is over, until so many kills are done;
// then what runs has to end.
func (k *killing) play(kills int) {
	k.rideOn()
	for i := range kills {
		k.moment()
		k.kill(i)
	}
	for _, ride := range k.last {
		k.ends(ride)
	}
	k.judge()
}

// moment waits for the next kill: now just any time, now right after a change of state,
// where calls are pressed, permits given and records written.
func (k *killing) moment() {
	if k.rng.IntN(2) == 0 {
		k.wait(time.Duration(k.rng.Int64N(int64(6 * time.Second))))
		return
	}
	ride := k.last[[]string{"R1", "R2"}[k.rng.IntN(2)]]
	was := state(k.s, ride)
	for end := time.Now().Add(8 * time.Second); state(k.s, ride) == was && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		k.rideOn()
	}
	time.Sleep(time.Duration(k.rng.Int64N(int64(400 * time.Millisecond))))
}

// wait lets time go by and robots whose ride is over ask for the next.
func (k *killing) wait(d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		k.rideOn()
	}
}

func (k *killing) rideOn() {
	for robot, lift := range map[string]string{"R1": "L1", "R2": "L2"} {
		ride := k.last[robot]
		if ride != "" && state(k.s, ride) != "DONE" {
			continue
		}
		k.made++
		from := k.rng.IntN(2)
		legs := []string{"G", "1"}
		name := fmt.Sprintf("%s-%d", strings.ToLower(robot), k.made)
		act(k.t, k.s, scenarios.AskRide{ID: name, Robot: robot, From: legs[from], To: legs[1-from], Lift: lift})
		k.last[robot], k.list = name, append(k.list, name)
		eventually(k.t, name+" is taken", func() bool { return k.s.idOf(name) != "" })
	}
}

// kill ends a life and begins the next; what it met goes into the log.
func (k *killing) kill(i int) {
	var met []string
	for _, robot := range []string{"R1", "R2"} {
		r, _ := k.s.Ride(k.last[robot])
		met = append(met, fmt.Sprintf("%s %s·%s, really %s", k.last[robot], r.State, r.Phase, k.s.robots[robot].Where().Where))
	}
	if err := k.s.kill(); err != nil {
		k.t.Fatal(err)
	}
	down := time.Duration(k.rng.Int64N(int64(2 * time.Second)))
	time.Sleep(down)
	began := time.Now()
	if err := k.s.boot(k.t.Context()); err != nil {
		k.t.Fatalf("the next life: %v\n%s", err, k.said.String())
	}
	k.t.Logf("kill %d: %s; down %v, answers after %v", i+1, strings.Join(met, "; "), down.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
}

// ends wants the end of a ride, and its robot out of the lift.
func (k *killing) ends(name string) {
	eventually(k.t, "the end of "+name, func() bool { return state(k.s, name) == "DONE" })
	r, _ := k.s.Ride(name)
	k.t.Logf("%s ends: %s, faults %v, been %v", name, r.Phase, r.Faults, r.Been)
	switch at := k.s.robots[strings.ToUpper(name[:2])].Where(); {
	case at.Where != "landing":
		k.t.Errorf("%s is over and its robot is in the %s", name, at.Where)
	case r.Phase == "arrived" && at.Floor != r.To, r.Phase == "returned" && at.Floor != r.From:
		k.t.Errorf("%s %s and its robot stands at %s", name, r.Phase, at.Floor)
	case r.Phase != "arrived" && r.Phase != "returned":
		k.t.Errorf("%s came to nothing: %s, %v", name, r.Phase, r.Faults)
	}
}

// judge reads what came over the wires against what was so at that moment.
func (k *killing) judge() {
	made := map[string][]devices.Write{}
	for lift, u := range k.s.units {
		made[lift] = u.Writes()
	}
	k.eyes.stop()
	k.eyes.look() // after the last of them
	writes := 0
	for lift, list := range made {
		writes += len(list)
		for _, w := range list {
			if w.Exception == 0 {
				for _, wrong := range k.eyes.against(lift, w) {
					k.t.Errorf("%s at %v: %v %s", lift, time.Duration(w.At), w, wrong)
				}
			}
		}
	}
	k.eyes.mu.Lock()
	defer k.eyes.mu.Unlock()
	for _, wrong := range k.eyes.wrong {
		k.t.Error(wrong)
	}
	k.t.Logf("%d rides, %d writes judged, %d looks", len(k.list), writes, k.eyes.looks)
}
