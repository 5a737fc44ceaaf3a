// Command hoistway-sim is a building in a box: lifts that move as lifts do, on
// real wires, with robots and a cloud around the real agent.
package main

import (
	"os"

	"hoistway/simulator/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
