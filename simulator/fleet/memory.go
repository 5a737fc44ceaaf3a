package fleet

import (
	"fmt"
	"os"
	"runtime"
)

// footprint is what this process takes at an instant, in bytes.
type footprint struct {
	rss, heap, stacks int64
	goroutines        int
	files             int
}

// weigh collects garbage first, so that the heap is what is held and not what
// was left lying.
func weigh() footprint {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return footprint{
		rss: residentBytes(), heap: int64(m.HeapAlloc), stacks: int64(m.StackInuse),
		goroutines: runtime.NumGoroutine(), files: openFiles(),
	}
}

// residentBytes is 0 where the system does not tell.
func residentBytes() int64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(raw), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
