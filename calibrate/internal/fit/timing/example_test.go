package timing_test

import (
	"fmt"
	"os"
	"path/filepath"

	"spoor/calibrate/internal/fit/timing"
)

// What osu_latency prints, half a round trip in microseconds, becomes a round trip in seconds.
func Example() {
	dir, err := os.MkdirTemp("", "timing")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "osu.txt")
	if err := os.WriteFile(path, []byte("# OSU MPI Latency Test v7.1\n# Size          Latency (us)\n1       1.50\n"), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	d, err := timing.Read(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range d.Timings {
		fmt.Println(t.Experiment, t.Bytes, t.Time)
	}
	// Output:
	// pingpong 1B 3us
}
