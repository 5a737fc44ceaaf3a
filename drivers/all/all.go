// Package all lists the drivers that this program has. Nothing registers itself:
// a driver is here or it is not in the program.
package all

import (
	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/modbus"
	"hoistway/drivers/peer"
	"hoistway/drivers/rest"
	"hoistway/drivers/serial"
)

// Builtin is every driver, over the given lines.
func Builtin(lines *fieldbus.Lines, env drivers.Env) (drivers.Registry, error) {
	return drivers.NewRegistry(append(
		append(rest.Factories(env), peer.Factories(env)...),
		modbus.TCP(lines, env),
		modbus.RTU(lines, env),
		modbus.RTUOverTCP(lines, env),
		serial.Line(lines, env),
		serial.TCP(lines, env),
		serial.UDP(lines, env),
	)...)
}
