package barrier

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

// No worker goes on before all have come, whether it looked, slept, or rests from looking: one of them is late now and then, longer than
// others look.
func TestMeeting(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			m := New(workers)
			var came atomic.Int64
			const barriers = 60
			for w := range workers {
				go func() {
					defer m.Leave()
					for k := range barriers {
						if w == k%7 {
							time.Sleep(2 * spinTime)
						}
						came.Add(1)
						m.Wait(w)
						if n := came.Load(); n < int64((k+1)*workers) || n > int64((k+2)*workers) {
							t.Errorf("%d workers: %d have come before one goes on from meeting %d", workers, n, k)
						}
					}
				}()
			}
			m.Close()
		})
	}
}
