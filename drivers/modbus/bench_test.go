package modbus

import (
	"context"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	goburrow "github.com/goburrow/modbus"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
)

// server answers reads of 14 input registers on a loopback socket as fast as it can.
func server(b *testing.B) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var up sync.WaitGroup
	up.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			up.Go(func() { newSlave().serveTCP(c) })
		}
	})
	b.Cleanup(func() {
		ln.Close()
		up.Wait()
	})
	return ln.Addr().String()
}

// BenchmarkTransaction is one read of 14 registers over loopback: by the raw library,
// and by a link with its line, its schedule, its judge and its snapshot. "both" takes
// turns, so that what else the machine does hits both alike, and tells the medians.
func BenchmarkTransaction(b *testing.B) {
	b.Run("library", func(b *testing.B) { repeat(b, byLibrary(b)) })
	b.Run("link", func(b *testing.B) { repeat(b, byLink(b)) })
	b.Run("both", func(b *testing.B) {
		library, link := byLibrary(b), byLink(b)
		var raw, ours []time.Duration
		for b.Loop() {
			raw, ours = append(raw, timed(b, library)), append(ours, timed(b, link))
		}
		slices.Sort(raw)
		slices.Sort(ours)
		r, o := raw[len(raw)/2], ours[len(ours)/2]
		b.ReportMetric(float64(r), "library-ns")
		b.ReportMetric(float64(o), "link-ns")
		b.ReportMetric(float64(o)/float64(r), "times")
	})
}

func repeat(b *testing.B, ask func() error) {
	for b.Loop() {
		timed(b, ask)
	}
}

func timed(b *testing.B, ask func() error) time.Duration {
	start := time.Now()
	if err := ask(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func byLibrary(b *testing.B) func() error {
	h := goburrow.NewTCPClientHandler(server(b))
	h.SlaveId, h.Timeout = 1, 5*time.Second
	b.Cleanup(func() { h.Close() })
	c := goburrow.NewClient(h)
	return func() error {
		_, err := c.ReadInputRegisters(0, 14)
		return err
	}
}

func byLink(b *testing.B) func() error {
	env := drivers.Env{Now: clock()}
	at := server(b)
	lines := fieldbus.NewLines(env)
	b.Cleanup(func() { lines.CloseAll() })
	p, _ := profiles.Lookup("bench/modbus-lift")
	u, err := url.Parse("modbus+tcp://" + at + "?unit=1&timeout=5s")
	if err != nil {
		b.Fatal(err)
	}
	o, err := TCP(lines, env).New(drivers.Spec{URL: u, ProfileName: "bench", Profile: p, Floors: floors})
	if err != nil {
		b.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	return func() error {
		_, err := l.Read(context.Background())
		return err
	}
}
