// Command hoistway is the gateway between robots and lifts, and the tool to look after it.
package main

import (
	"os"

	"hoistway/agent/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
