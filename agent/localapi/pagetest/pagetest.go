// Package pagetest drives the page with a real browser, as a person would. Tests
// of the page alone and of whole programs use it; no program does.
package pagetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// StepWithin bounds each step of a browser.
const StepWithin = 20 * time.Second

const startWithin = 60 * time.Second

// Tab is one page of a headless browser. Every step has a deadline.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	troubles []string // exceptions, and what the browser refused
}

// New starts a browser of its own, which ends with the test. Without one the
// test is skipped, and fails where the environment asks for everything.
func New(t testing.TB, width, height int, more ...chromedp.ExecAllocatorOption) *Tab {
	t.Helper()
	path := browserPath()
	if path == "" {
		if os.Getenv("HOISTWAY_REQUIRE") == "all" {
			t.Fatal("no chromium here, and HOISTWAY_REQUIRE=all")
		}
		t.Skip("skipped: drives the page with chromium, which is not installed")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(width, height),
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("hide-scrollbars", true))
	alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), append(opts, more...)...)
	ctx, end := chromedp.NewContext(alloc)
	b := &Tab{t: t, ctx: ctx}
	t.Cleanup(func() {
		late, cancel := context.WithTimeout(ctx, StepWithin)
		defer cancel()
		_ = chromedp.Cancel(late)
		end()
		endAlloc()
	})
	// The browser lives as long as the context that starts it, so the deadline of
	// the start is kept from outside.
	late := time.AfterFunc(startWithin, end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	late.Stop()
	if err := chromedp.Listen(ctx, b.note); err != nil {
		t.Fatal(err)
	}
	// A window has a least width; a viewport has none.
	b.Do(chromedp.EmulateViewport(int64(width), int64(height)))
	return b
}

func browserPath() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// note keeps what should not happen on a page.
func (b *Tab) note(ev any) {
	switch kind := fmt.Sprintf("%T", ev); kind {
	case "*runtime.EventExceptionThrown", "*log.EventEntryAdded":
		b.mu.Lock()
		defer b.mu.Unlock()
		b.troubles = append(b.troubles, fmt.Sprintf("%s %+v", kind, words(ev)))
	}
}

// Quiet fails when the page threw, or the browser refused to load something.
func (b *Tab) Quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, trouble := range b.troubles {
		b.t.Errorf("on the page: %s", trouble)
	}
}

// Do takes steps, each with a deadline, and ends the test at the first that fails.
func (b *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	for _, step := range steps {
		ctx, cancel := context.WithTimeout(b.ctx, StepWithin)
		err := chromedp.Do(ctx, step)
		cancel()
		if err != nil {
			b.t.Fatalf("a step of the browser: %v", err)
		}
	}
}

// Eval gives the value of an expression.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	v, err := tryEval[T](b, expression)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

func tryEval[T any](b *Tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, StepWithin)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression))
}

// Until waits for an expression to be true.
func (b *Tab) Until(within time.Duration, expression string) error {
	var last error // a page that is just being left or read has no answer yet
	for began := time.Now(); time.Since(began) < within && b.ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		yes, err := tryEval[bool](b, "Boolean("+expression+")")
		if err == nil && yes {
			return nil
		}
		last = err
	}
	return errors.Join(fmt.Errorf("not within %s: %s", within, expression), last)
}

// Must ends the test unless the expression comes true.
func (b *Tab) Must(expression string) {
	b.t.Helper()
	if err := b.Until(StepWithin, expression); err != nil {
		b.t.Fatal(err)
	}
}

// carSeen is where the car of a lift is said to be, and where it is drawn.
type carSeen struct {
	Mm  string  `json:"mm"`
	Top float64 `json:"top"` // pixels from the top of the page
}

func (b *Tab) car(lift string) (carSeen, error) {
	return tryEval[carSeen](b, fmt.Sprintf(`(() => {
		const card = document.querySelector('[data-lift=%q]');
		return { mm: card.dataset.positionMm ?? '', top: card.querySelector('.car').getBoundingClientRect().top + scrollY };
	})()`, lift))
}

// CarMoves fails unless the car is seen to move: by what the page says and by
// where it draws it, both, and in more than one step.
func (b *Tab) CarMoves(lift string, within time.Duration) error {
	first, err := b.car(lift)
	if err != nil {
		return err
	}
	said, drawn := map[string]bool{}, map[int]bool{}
	for began := time.Now(); time.Since(began) < within; time.Sleep(50 * time.Millisecond) {
		now, err := b.car(lift)
		if err != nil {
			return err
		}
		said[now.Mm] = true
		drawn[int(now.Top)] = true
		far := now.Top-first.Top > 20 || first.Top-now.Top > 20
		if far && len(said) > 3 && len(drawn) > 3 {
			return nil
		}
	}
	var words []string
	for mm := range said {
		words = append(words, mm)
	}
	return errors.Join(
		fmt.Errorf("the car of %s was not seen to move within %s", lift, within),
		fmt.Errorf("it was said to be at %d places (%s) and drawn at %d", len(said), strings.Join(words, ", "), len(drawn)))
}

// Shot writes a picture of the whole page.
func (b *Tab) Shot(file string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, StepWithin)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err == nil {
		err = os.WriteFile(file, png, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// For hands the tab to another test; the page is left, and what it did wrong before
// is forgotten.
func (b *Tab) For(t testing.TB) {
	b.Do(chromedp.Navigate("about:blank"))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t, b.troubles = t, nil
}

// Call fills the form as a person does.
func (b *Tab) Call(robot, lift, from, to string) {
	b.t.Helper()
	b.Must(`document.querySelector('#call-from').options.length > 0`)
	b.Do(
		chromedp.SetValue(chromedp.CSS("#call-robot"), robot),
		chromedp.SetValue(chromedp.CSS("#call-lift"), lift),
		chromedp.SetValue(chromedp.CSS("#call-from"), from),
		chromedp.SetValue(chromedp.CSS("#call-to"), to),
		chromedp.Click(chromedp.CSS("#call button")),
	)
}

func words(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}
