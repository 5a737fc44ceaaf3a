package escort

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"hoistway/agent/robot"
	"hoistway/fsm/elevator"
)

// NewSource reads where displacement is told: http://… or https://…, or exec: with a
// program's whole path and its arguments, which no shell sees.
func NewSource(where string, timeout time.Duration, dial func(ctx context.Context, network, address string) (net.Conn, error)) (Source, error) {
	if words, isProgram := strings.CutPrefix(where, "exec:"); isProgram {
		argv := strings.Fields(words)
		if len(argv) == 0 {
			return nil, errors.New("exec: names no program")
		}
		return &program{argv, timeout}, nil
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	pool := &http.Transport{
		DialContext: dial, TLSHandshakeTimeout: timeout, MaxConnsPerHost: 1, MaxResponseHeaderBytes: 32 << 10,
		DisableCompression: true, IdleConnTimeout: 30 * time.Second,
	}
	return &page{where, timeout, &http.Client{Transport: pool, CheckRedirect: stay}}, nil
}

// page is a source behind HTTP.
type page struct {
	url     string
	timeout time.Duration
	http    *http.Client
}

// Ask see [Source].
func (p *page) Ask(ctx context.Context, now func() elevator.Instant) ([]byte, elevator.Instant, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for displacement: %w", err)
	}
	asked := now()
	res, err := p.http.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("ask for displacement: %w", err)
	}
	defer func() { _ = res.Body.Close() }() // it is read as far as it is wanted
	if res.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("ask for displacement: status %d", res.StatusCode)
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, robot.MaxSample+1))
	if err != nil {
		return nil, 0, fmt.Errorf("ask for displacement: %w", err)
	}
	return raw, asked, nil
}

// program is a source that is run anew for each answer.
type program struct {
	argv    []string
	timeout time.Duration
}

// Ask see [Source]. What the program has started is ended with it.
func (p *program) Ask(ctx context.Context, now func() elevator.Instant) ([]byte, elevator.Instant, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = p.timeout
	var out bounded
	cmd.Stdout = &out
	asked := now()
	if err := cmd.Run(); err != nil {
		return nil, 0, fmt.Errorf("run %s: %w", p.argv[0], err)
	}
	return out.kept, asked, nil
}

// bounded keeps a byte more than is taken, which is enough to refuse it. It is no
// bytes.Buffer: that would be filled past the bound by its ReadFrom.
type bounded struct{ kept []byte }

func (b *bounded) Write(p []byte) (int, error) {
	room := robot.MaxSample + 1 - len(b.kept)
	b.kept = append(b.kept, p[:min(max(room, 0), len(p))]...)
	return len(p), nil
}
