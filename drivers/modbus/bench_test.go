package modbus

import (
	"context"
	"net"
	"net/url"
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
// and by a link with its line, its schedule, its judge and its snapshot.
func BenchmarkTransaction(b *testing.B) {
	b.Run("library", func(b *testing.B) {
		h := goburrow.NewTCPClientHandler(server(b))
		h.SlaveId, h.Timeout = 1, 5*time.Second
		defer h.Close()
		c := goburrow.NewClient(h)
		for b.Loop() {
			if _, err := c.ReadInputRegisters(0, 14); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("link", func(b *testing.B) {
		env := drivers.Env{Now: clock()}
		lines := fieldbus.NewLines(env)
		defer lines.CloseAll()
		p, _ := profiles.Lookup("bench/modbus-lift")
		u, err := url.Parse("modbus+tcp://" + server(b) + "?unit=1&timeout=5s")
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
		defer l.Close()
		for b.Loop() {
			if _, err := l.Read(context.Background()); err != nil {
				b.Fatal(err)
			}
		}
	})
}
