package profiles

import "testing"

// What one reading of a profile costs.
func BenchmarkParse(b *testing.B) {
	src, _ := Lookup("bench/modbus-lift")
	for b.Loop() {
		if p, faults := Parse("bench", src); p == nil {
			b.Fatal(faults)
		}
	}
}
