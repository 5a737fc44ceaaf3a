package all

import (
	"slices"
	"testing"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

func TestBuiltin(t *testing.T) {
	env := drivers.Env{Now: func() elevator.Instant { return 1 }}
	r, err := Builtin(fieldbus.NewLines(env), env)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"hoistway+http", "hoistway+https", "http", "https", "modbus+rtu", "modbus+rtu+tcp", "modbus+tcp", "mqtt", "mqtts", "opc.tcp", "serial", "serial+tcp", "serial+udp", "ws", "wss"}; !slices.Equal(r.Schemes(), want) {
		t.Errorf("schemes %v, want %v", r.Schemes(), want)
	}
}
