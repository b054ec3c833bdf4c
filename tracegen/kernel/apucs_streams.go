package kernel

import "math"

// stream is a Poisson process: the completions of services by the stations of one
// rank that send the job to another; or, if both are the same, those that do not,
// together with the arrivals from outside.
type stream struct {
	next     float64 // time of the next point
	random   uint64  // state of the random numbers
	rate     float64 // points per unit of time
	from, to int32
}

// point is a possible event: a job of station source of rank from moves to station
// target of rank to, if there is a job.
type point struct {
	time           float64
	from, to       int32
	source, target int32 // or elsewhere, outside of the network
}

const elsewhere = -1

// serviceRate is the rate of all stations of a rank together.
func (q *queueNetwork) serviceRate(rank int) float64 { return q.cumulative[(rank+1)*q.stations-1] }

// arrivalRate is the rate of arrivals from outside at one station: what balances
// the jobs that leave when each station has 1 job per unit of time.
func (q *queueNetwork) arrivalRate() float64 { return servicesLeaving / float64(servicesTotal) }

// stream is the stream between two ranks, at its first point.
func (q *queueNetwork) stream(from, to int, seed uint64) stream {
	s := stream{random: seed + uint64(from)<<32 + uint64(to), from: int32(from), to: int32(to)}
	s.random = s.bits() // far from that of other streams
	if from == to {
		s.rate = q.serviceRate(from)*(1-q.abroad) + float64(q.stations)*q.arrivalRate()
	} else {
		s.rate = q.serviceRate(from) * q.abroad / float64(q.procs-1)
	}
	s.next = s.gap()
	return s
}

// streams are those that a rank draws, its own and those from and to every other
// rank, in a heap.
func (q *queueNetwork) streams(rank int, seed uint64) []stream {
	all := []stream{q.stream(rank, rank, seed)}
	for other := range q.procs {
		if other != rank {
			all = append(all, q.stream(rank, other, seed), q.stream(other, rank, seed))
		}
	}
	for i := len(all)/2 - 1; i >= 0; i-- {
		siftDown(all, i)
	}
	return all
}

// bits are the next 64 random bits [G. L. Steele, D. Lea, C. H. Flood: Fast
// splittable pseudorandom number generators. OOPSLA 2014; SplitMix64].
func (s *stream) bits() uint64 {
	s.random += 0x9e3779b97f4a7c15
	z := s.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform is a random number from 0 to below 1.
func (s *stream) uniform() float64 { return float64(s.bits()>>11) * 0x1p-53 }

// index is a random number from 0 to n-1.
func (s *stream) index(n int) int32 { return int32(s.uniform() * float64(n)) }

// gap is a random time between two points.
func (s *stream) gap() float64 { return -math.Log(1-s.uniform()) / s.rate }

// draw is the next point of a stream, and moves on to the one after it.
func (q *queueNetwork) draw(s *stream) point {
	p := point{time: s.next, from: s.from, to: s.to, source: elsewhere, target: elsewhere}
	s.next += s.gap()
	if s.from != s.to {
		p.source, p.target = q.pickServer(s), s.index(q.stations)
		return p
	}
	arrivals := float64(q.stations) * q.arrivalRate()
	if s.uniform()*s.rate < arrivals {
		p.target = s.index(q.stations)
		return p
	}
	p.source = q.pickServer(s)
	if s.uniform()*(1-q.abroad) >= q.arrivalRate() { // which is also the part of services that leave
		p.target = s.index(q.stations)
	}
	return p
}

// pickServer is a random station of the stream's rank, in proportion to its rate.
func (q *queueNetwork) pickServer(s *stream) int32 {
	rates := q.cumulative[int(s.from)*q.stations : int(s.from+1)*q.stations]
	u := s.uniform() * rates[len(rates)-1]
	lo, hi := 0, len(rates)-1
	for lo < hi {
		if mid := (lo + hi) / 2; u < rates[mid] {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return int32(lo)
}

// earlier reports whether the next point of a comes before that of b. Points at
// the same time have an order that all ranks agree on.
func earlier(a, b *stream) bool {
	if a.next != b.next {
		return a.next < b.next
	}
	return a.from < b.from || a.from == b.from && a.to < b.to
}

// siftDown restores the heap, earliest first, whose stream i may be too high.
func siftDown(heap []stream, i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(heap); child++ {
			if earlier(&heap[child], &heap[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		heap[i], heap[least] = heap[least], heap[i]
		i = least
	}
}

// mergeStreams appends the points before end to the schedule, in order.
func mergeStreams(q *queueNetwork, heap []stream, schedule []point, end float64) []point {
	for heap[0].next < end {
		schedule = append(schedule, q.draw(&heap[0]))
		siftDown(heap, 0)
	}
	return schedule
}
