// Package all lists the drivers that this program has. Nothing registers itself:
// a driver is here or it is not in the program.
package all

import (
	"slices"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/modbus"
	"hoistway/drivers/opcua"
	"hoistway/drivers/peer"
	"hoistway/drivers/pubsub"
	"hoistway/drivers/rest"
	"hoistway/drivers/serial"
)

// Builtin is every driver, over the given lines.
func Builtin(lines *fieldbus.Lines, env drivers.Env) (drivers.Registry, error) {
	return drivers.NewRegistry(append(
		slices.Concat(rest.Factories(env), peer.Factories(env), pubsub.Factories(env)),
		modbus.TCP(lines, env),
		modbus.RTU(lines, env),
		modbus.RTUOverTCP(lines, env),
		opcua.Factory(env),
		serial.Line(lines, env),
		serial.TCP(lines, env),
		serial.UDP(lines, env),
	)...)
}
