package localapi

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

const (
	crowdLifts   = 64
	crowdReaders = 200
	crowdHz      = 10
	crowdEnv     = "HOISTWAY_CROWD" // in a process of readers: where they read, how many, and how
)

// manyLifts is the bench's building: every car on its way.
func manyLifts(now elevator.Instant) *core.View {
	v := building(now)
	one := v.Lifts[1]
	v.Lifts = nil
	for i := range crowdLifts {
		l := one
		l.ID = fmt.Sprintf("L%d", i+1)
		l.Car = carAt(1, int32(i), now)
		l.Car.Motion.Value = elevator.MovingUp
		v.Lifts = append(v.Lifts, l)
	}
	v.Rides[0].Ride.Lift = "L1"
	return v
}

// drive moves each lift ten times a second, each in a view of its own as the loop does.
func (h *house) drive(ctx context.Context) {
	every := time.NewTicker(time.Second / crowdHz)
	defer every.Stop()
	for mm := int32(1); ; mm++ {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		for i := range crowdLifts {
			now := h.clock()
			h.put(func(v *core.View) {
				v.Lifts[i].Car.Position = seen(mm, now)
				v.Lifts[i].Car.Floor.At, v.Lifts[i].Car.Motion.At, v.Lifts[i].Car.Mode.At = now, now, now
			})
		}
	}
}

// crowd is the process of readers: it reads until its input ends, and says then how
// many events and bytes came.
func crowd(t *testing.T, addr string, n int, accept string) {
	var size atomic.Int64
	for range n {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = fmt.Fprintf(conn, "GET /v1/events HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n", accept)
		go func() {
			in := make([]byte, 256<<10)
			for {
				n, err := conn.Read(in)
				size.Add(int64(n))
				if err != nil {
					return
				}
			}
		}()
		defer func() { _ = conn.Close() }()
	}
	fmt.Println("open")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); { // each line asks how much has come
		fmt.Println(size.Load())
	}
	os.Exit(0)
}

func TestCrowd(t *testing.T) {
	what := strings.Fields(os.Getenv(crowdEnv))
	if len(what) < 2 {
		return // the bench starts it in a process of its own
	}
	n, _ := strconv.Atoi(what[1])
	crowd(t, what[0], n, strings.Join(what[2:], " "))
}

// House: 64 lifts at 10 Hz to 200 readers. The readers are another process, so that what is
// measured is what the agent spends.
//
//	go test ./agent/localapi -run xxx -bench Readers -benchtime 1x
func BenchmarkReaders(b *testing.B) {
	b.Run("gzip", func(b *testing.B) { readers(b, "Accept-Encoding: gzip") })
	b.Run("plain", func(b *testing.B) { readers(b, "Accept-Encoding: identity") })
}

func readers(b *testing.B, accept string) {
	began := time.Now()
	h := newHouse(b, func(o *Options) {
		o.Now = func() elevator.Instant { return start + elevator.Instant(time.Since(began)) }
		o.Wall = time.Now
	})
	h.tick = h.o.Now
	h.loop.view = manyLifts(h.clock())
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	ln := listen(b)
	go func() { _ = h.Run(ctx) }()
	go func() { _ = h.Serve(ctx, ln) }()
	idle := spent(func() { go h.drive(ctx); time.Sleep(3 * time.Second) })
	child := exec.Command(os.Args[0], "-test.run", "^TestCrowd$")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", crowdEnv, ln.Addr(), crowdReaders, accept))
	child.Stderr = os.Stderr
	in, _ := child.StdinPipe()
	out, _ := child.StdoutPipe()
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	said := bufio.NewReader(out)
	if line, _ := said.ReadString('\n'); line != "open\n" {
		b.Fatalf("the readers say %q", line)
	}
	came := func() float64 {
		_, _ = fmt.Fprintln(in)
		line, _ := said.ReadString('\n')
		n, _ := strconv.ParseFloat(strings.TrimSpace(line), 64)
		return n
	}
	for h.hub.count() < crowdReaders {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(time.Second)
	for b.Loop() {
		was := came()
		busy := spent(func() { time.Sleep(5 * time.Second) })
		b.ReportMetric((came()-was)/5e6, "MB/s")
		b.ReportMetric(busy, "%core")
		b.ReportMetric(idle, "%core-unread")
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.HeapInuse)/1e6, "MB-heap")
	b.ReportMetric(float64(h.hub.count()), "readers")
	_ = in.Close()
	_ = child.Wait()
}

// spent is how much of one core this process used during f, in per cent.
func spent(f func()) float64 {
	began, was := time.Now(), cpuUsed()
	f()
	return 100 * (cpuUsed() - was).Seconds() / time.Since(began).Seconds()
}

func cpuUsed() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
