package spmd

import (
	"context"
	"iter"
	"sync"
	"testing"
)

// What messages and barriers cost beside the bare means of Go.

const benchRounds = 1000

func perRound(b *testing.B, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchRounds, "ns/"+unit)
}

// BenchmarkPingPong sends 8 bytes there and back.
func BenchmarkPingPong(b *testing.B) {
	for _, backend := range backends {
		b.Run(backend.name, func(b *testing.B) {
			for b.Loop() {
				if err := backend.run(context.Background(), 2, pingPong); err != nil {
					b.Fatal(err)
				}
			}
			perRound(b, "roundtrip")
		})
	}
	b.Run("channels", func(b *testing.B) {
		for b.Loop() {
			there, back := make(chan [1]int64), make(chan [1]int64)
			go func() {
				for x := range there {
					back <- x
				}
			}()
			for range benchRounds {
				there <- [1]int64{}
				<-back
			}
			close(there)
		}
		perRound(b, "roundtrip")
	})
}

func pingPong(r *Rank) error {
	x := make([]int64, 1)
	for range benchRounds {
		if r.ID() == 0 {
			Send(r, 1, 0, x)
			Recv(r, 1, 0, x)
		} else {
			Recv(r, 0, 0, x)
			Send(r, 0, 0, x)
		}
	}
	return nil
}

func BenchmarkBarrier(b *testing.B) {
	for _, procs := range []int{2, 8} {
		name := map[int]string{2: "/2", 8: "/8"}[procs]
		for _, backend := range backends {
			b.Run(backend.name+name, func(b *testing.B) {
				for b.Loop() {
					if err := backend.run(context.Background(), procs, barriers); err != nil {
						b.Fatal(err)
					}
				}
				perRound(b, "barrier")
			})
		}
		b.Run("cond"+name, func(b *testing.B) {
			for b.Loop() {
				var all sync.WaitGroup
				m := meeting{procs: procs}
				m.cond.L = &m.mu
				for range procs {
					all.Go(func() {
						for range benchRounds {
							m.wait()
						}
					})
				}
				all.Wait()
			}
			perRound(b, "barrier")
		})
	}
}

func barriers(r *Rank) error {
	for range benchRounds {
		r.Barrier()
	}
	return nil
}

// meeting is the barrier that package sync suggests.
type meeting struct {
	mu            sync.Mutex
	cond          sync.Cond
	procs         int
	arrived, open int
}

func (m *meeting) wait() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.arrived++; m.arrived == m.procs {
		m.arrived = 0
		m.open++
		m.cond.Broadcast()
		return
	}
	for phase := m.open; phase == m.open; {
		m.cond.Wait()
	}
}

// BenchmarkSwitch is why the scheduler uses coroutines.
func BenchmarkSwitch(b *testing.B) {
	b.Run("coroutine", func(b *testing.B) {
		next, stop := iter.Pull(func(yield func(struct{}) bool) {
			for yield(struct{}{}) {
			}
		})
		defer stop()
		for b.Loop() {
			next()
		}
	})
	b.Run("channels", func(b *testing.B) {
		there, back := make(chan struct{}), make(chan struct{})
		go func() {
			for range there {
				back <- struct{}{}
			}
		}()
		for b.Loop() {
			there <- struct{}{}
			<-back
		}
		close(there)
	})
}
