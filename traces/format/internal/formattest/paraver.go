package formattest

import (
	"bytes"
	"fmt"
)

// PrvRing is a ring of four tasks as Extrae would write it.
func PrvRing(lines int) []byte {
	b := bytes.NewBufferString("#Paraver (21/11/2026 at 06:43):999999999999_ns:0:1:4(1:0,1:0,1:0,1:0),1\nc:1:1:4:1:2:3:4\n")
	for t, n := 0, 0; n < lines; t += 100 {
		for _, step := range []struct {
			at, value int
			message   bool
		}{{10, 4, false}, {12, 0, false}, {20, 3, false}, {20, 0, true}, {22, 0, false}, {30, 6, false}, {60, 0, false}} {
			for task := 1; task <= 4; task++ {
				n++
				if to := task%4 + 1; step.message {
					fmt.Fprintf(b, "3:%d:1:%d:1:%d:%d:%d:1:%d:1:%d:%d:800:7\n", task, task, t+20, t+21, to, to, t+10, t+50)
				} else {
					fmt.Fprintf(b, "2:%d:1:%d:1:%d:50000001:%d\n", task, task, t+step.at, step.value)
				}
			}
		}
	}
	return b.Bytes()
}

const PrvTwo = "#Paraver (21/11/2026 at 06:43):1000_ns:0:1:2(1:0,1:0)\n"
