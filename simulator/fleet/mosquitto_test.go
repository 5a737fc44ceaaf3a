package fleet

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// mosquitto is a real broker of its own process.
type mosquitto struct {
	t      *testing.T
	url    string
	config string
	cmd    *exec.Cmd
}

func startMosquitto(t *testing.T) *mosquitto {
	t.Helper()
	if _, err := exec.LookPath("mosquitto"); err != nil {
		if os.Getenv("HOISTWAY_REQUIRE") == "all" {
			t.Fatal("mosquitto is required and not installed")
		}
		t.Skip("no real broker: install the Debian package mosquitto")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().(*net.TCPAddr)
	_ = l.Close()
	m := &mosquitto{t: t, url: "mqtt://" + addr.String(), config: filepath.Join(t.TempDir(), "mosquitto.conf")}
	text := fmt.Sprintf("listener %d 127.0.0.1\nallow_anonymous true\nuser root\nlog_type error\nmax_connections -1\nmax_queued_messages 100000\n", addr.Port)
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m.start()
	late := time.Now().Add(20 * time.Second)
	for {
		c, err := net.Dial("tcp", addr.String())
		if err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(20 * time.Millisecond)
		if time.Now().After(late) {
			t.Fatal(err)
		}
	}
	t.Cleanup(m.kill)
	return m
}

func (m *mosquitto) start() {
	m.cmd = exec.Command("mosquitto", "-c", m.config)
	if err := m.cmd.Start(); err != nil {
		m.t.Error(err)
	}
}

func (m *mosquitto) kill() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait() // it was killed
}

func (m *mosquitto) restart() {
	m.kill()
	m.start()
}
