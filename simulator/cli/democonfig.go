package cli

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// token is a secret made for one demo and never written down.
func token() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	return hex.EncodeToString(raw[:])
}

func sum(token string) string {
	h := sha256.Sum256([]byte(token))
	return hex.EncodeToString(h[:])
}

// demoConfig is the configuration of the real agent, as a technician would write it.
func demoConfig(links map[string]string, robots map[string]string, technician, listen, broker, store string) string {
	var b strings.Builder
	b.WriteString("device: {serial: GW-DEMO, kind: lift-gateway, site: {campus: Riverside, building: A}}\nlifts:\n")
	for _, id := range []string{"L1", "L2"} {
		fmt.Fprintf(&b, "  - id: %s\n    profile: bench/modbus-lift\n    link: %q\n    floors:\n", id, links[id])
		for i, f := range []string{"B1", "G", "1", "2", "3"} {
			doors := "[front]"
			if f == "G" {
				doors = "[front, rear]"
			}
			fmt.Fprintf(&b, "      - {label: %q, wire: %d, doors: %s}\n", f, i+1, doors)
		}
		b.WriteString("    recall_floor: G\n    safe_floor: G\n")
	}
	b.WriteString("robots:\n")
	for _, id := range []string{"R1", "R2"} {
		fmt.Fprintf(&b, "  - {id: %s, token_sha256: %q, crossing: 4s}\n", id, sum(robots[id]))
	}
	fmt.Fprintf(&b, "api: {listen: %q, technicians: [{name: demo, token_sha256: %q}]}\n", listen, sum(technician))
	fmt.Fprintf(&b, "cloud: {broker: %q, connect_spread: 0s}\nstore: {dir: %q}\n", broker, store)
	return b.String()
}
