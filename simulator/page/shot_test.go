package page

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"hoistway/agent/localapi/pagetest"
	"hoistway/simulator/picture"
)

// Pictures for people, into this folder: from the run made by hand,
//
//	HOISTWAY_PICTURES=. go test -run TestPictures ./simulator/page
//
// or from recordings, the first of which is also played live, at so many seconds:
//
//	HOISTWAY_PICTURES=. HOISTWAY_RECORDINGS=/tmp/a.jsonl,/tmp/b.jsonl HOISTWAY_AT=95 go test -run TestPictures ./simulator/page
func TestPictures(t *testing.T) {
	folder := os.Getenv("HOISTWAY_PICTURES")
	if folder == "" {
		return // no check: it only draws
	}
	recordings, at := picturesOf(t)
	src, err := os.Open(recordings[0].File)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	h, frames, err := picture.Read(src)
	if err != nil {
		t.Log(err) // what came before is drawn
	}
	_, replayAt := open(t, Options{Recordings: recordings[:min(len(recordings), 2)]})
	dark := []chromedp.ExecAllocatorOption{chromedp.Flag("blink-settings", "preferredColorScheme=0")}
	for _, s := range []struct {
		name        string
		live        bool
		wide, tall  int
		more        []chromedp.ExecAllocatorOption
		forReadme   bool
		steps, want string
	}{
		{"live", true, 1360, 900, nil, true, "", `document.querySelector('[data-what="floor"] td')`},
		{"replay", false, 1500, 900, nil, true, fmt.Sprintf(`(() => { const s = document.querySelector('#scrub'); s.value = %d; s.dispatchEvent(new Event('input')); return true; })()`, at), `document.querySelectorAll('.stage [data-what="floor"]').length > 1`},
		{"dark", true, 1360, 900, dark, false, "", `document.querySelector('[data-what="floor"] td')`},
		{"phone", true, 390, 844, nil, false, "", `document.querySelector('[data-what="floor"] td')`},
	} {
		if !s.forReadme && os.Getenv("HOISTWAY_PICTURES_ALL") == "" {
			continue
		}
		b := pagetest.New(t, s.wide, s.tall, s.more...)
		base := replayAt
		var live *Page
		if s.live {
			live, base = open(t, Options{Header: h, Site: &stand{}, AgentURL: "http://127.0.0.1:8080/"})
			play(live, frames, 0, at-40_000, 0)
		}
		b.Do(chromedp.Navigate(base + "/"))
		if s.live {
			b.Must(`document.querySelector('#live').dataset.live === 'live'`)
			play(live, frames, at-40_000, at, 20*time.Millisecond)
			still := standStill(live, frames, at)
			defer still()
		}
		b.Must(s.want)
		if s.steps != "" {
			b.Must(s.steps)
		}
		b.Must(`document.querySelector('#plots .share')`)
		// A whole page has its foot at its end, not over its middle.
		b.Must(`(document.querySelector('#player').style.position = 'static', document.querySelector('main').style.paddingBottom = '1rem', true)`)
		b.Must(`(window.drawn ??= performance.now()) + 1500 < performance.now()`)
		raw := filepath.Join(t.TempDir(), "raw.png")
		b.Shot(raw)
		shrink(t, raw, filepath.Join(folder, s.name+".png"))
		b.Quiet()
	}
}

// standStill shows the frame of that time again and again, so that the picture is a
// live one, until its answer is called.
func standStill(p *Page, frames []picture.Frame, at int64) (end func()) {
	i := len(frames) - 1
	for i > 0 && frames[i].AtMS > at {
		i--
	}
	f := frames[i]
	f.Events, f.Waits, f.RideWaits = nil, nil, nil
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				p.Show(f)
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// play shows the frames after from, up to to, each after a rest.
func play(p *Page, frames []picture.Frame, from, to int64, rest time.Duration) {
	for _, f := range frames {
		if f.AtMS > from && f.AtMS <= to {
			time.Sleep(rest)
			p.Show(f)
		}
	}
}

// shrink writes a picture again with its 256 most frequent colours.
func shrink(t *testing.T, from, to string) {
	t.Helper()
	raw, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	counts := map[color.Color]int{}
	box := img.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			counts[img.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(counts), func(a, b color.Color) int { return counts[b] - counts[a] })
	few := image.NewPaletted(box, colours[:min(len(colours), 256)])
	draw.Draw(few, box, img, box.Min, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// picturesOf gives the recordings to draw, and the time in ms.
func picturesOf(t *testing.T) ([]Recording, int64) {
	t.Helper()
	at := int64(96_000)
	if s := os.Getenv("HOISTWAY_AT"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		at = n * 1000
	}
	var files []Recording
	if list := os.Getenv("HOISTWAY_RECORDINGS"); list != "" {
		for _, file := range strings.Split(list, ",") {
			files = append(files, Recording{Name: strings.TrimSuffix(filepath.Base(file), ".jsonl"), File: file})
		}
		return files, at
	}
	for i, title := range []string{"nearest car", "collective"} {
		h, frames := sample(title, 1+0.5*float64(i))
		files = append(files, recorded(t, title, h, frames))
	}
	return files, at
}
