package trace

import (
	"runtime"
	"testing"
)

// halo yields rounds of what the ranks of a ring say in a loop: an irecv from and an
// isend to each neighbour, a wait for each, and a collective. Tags are those of the
// round if fresh.
func halo(procs, rounds int, fresh bool, yield func(p Proc, e *Event, at int64)) {
	for p := range Proc(procs) {
		at := int64(0)
		say := func(e Event) {
			at++
			yield(p, &e, at)
		}
		for i := range rounds {
			tag := int32(0)
			if fresh {
				tag = int32(i)
			}
			for side := range int32(2) {
				peer := (int32(p) + int32(procs) + 2*side - 1) % int32(procs)
				say(Event{Kind: Irecv, Peer: peer, Tag: tag, Group: None, Request: side, Bytes: 800})
				say(Event{Kind: Isend, Peer: peer, Tag: tag, Group: None, Request: 2 + side, Bytes: 800})
			}
			for id := range int32(4) {
				say(Event{Kind: Wait, Peer: None, Tag: None, Group: None, Request: id})
			}
			say(Event{Kind: AllReduce, Peer: None, Tag: None, Group: None, Request: None, Bytes: 8})
		}
	}
}

func BenchmarkMatcher(b *testing.B) {
	const procs, rounds = 64, 5000
	for name, fresh := range map[string]bool{"same tag": false, "fresh tags": true} {
		b.Run(name, func(b *testing.B) {
			var before, after runtime.MemStats
			events := 0
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				m := NewMatcher()
				most := 0
				halo(procs, rounds, fresh, func(p Proc, e *Event, at int64) {
					if events++; m.Event(p, e, Pos{At: at}) != nil {
						b.Fatal("not sound")
					}
					if most++; most == procs*rounds*9/2 {
						b.StopTimer()
						runtime.GC()
						runtime.ReadMemStats(&after)
						b.StartTimer()
					}
				})
				if found := m.Finish(procs); found != nil {
					b.Fatal(found[0])
				}
			}
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/float64(1<<20), "MiB-halfway")
		})
	}
}
