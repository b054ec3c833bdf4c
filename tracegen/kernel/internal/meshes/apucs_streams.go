package meshes

import "math"

// stream is a Poisson process: the completions of services by the stations of one rank that send the job to another
// rank. If both are the same rank, it is the other completions together with the arrivals from outside.
type stream struct {
	next     float64 // time of the next point
	random   uint64  // state of the random numbers
	rate     float64 // points per unit of time
	from, to int32
}

// point is a possible event: a job moves from station source of rank from to station target of rank to, if there is
// a job.
type point struct {
	time           float64
	from, to       int32
	source, target int32 // or elsewhere, outside the network
}

const elsewhere = -1

// serviceRate returns the total service rate of a rank's stations.
func (q *queueNetwork) serviceRate(rank int) float64 { return q.cumulative[(rank+1)*q.stations-1] }

// arrivalRate returns the arrival rate from outside at one station. It balances the jobs that leave when each
// station gets 1 job per unit of time.
func (q *queueNetwork) arrivalRate() float64 { return servicesLeaving / float64(servicesTotal) }

// stream returns the stream between two ranks, at its first point.
func (q *queueNetwork) stream(from, to int, seed uint64) stream {
	s := stream{random: seed + uint64(from)<<32 + uint64(to), from: int32(from), to: int32(to)}
	s.random = s.bits() // far from the states of other streams
	if from == to {
		s.rate = q.serviceRate(from)*(1-q.abroad) + float64(q.stations)*q.arrivalRate()
	} else {
		s.rate = q.serviceRate(from) * q.abroad / float64(q.procs-1)
	}
	s.next = s.gap()
	return s
}

// streams returns the streams that a rank draws, in a heap: its own, and those from and to every other rank.
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

// bits returns the next 64 random bits by SplitMix64
// [steele2014].
func (s *stream) bits() uint64 {
	s.random += 0x9e3779b97f4a7c15
	z := s.random
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform returns a random number in [0, 1).
func (s *stream) uniform() float64 { return float64(s.bits()>>11) * 0x1p-53 }

// index returns a random number from 0 to n-1.
func (s *stream) index(n int) int32 { return int32(s.uniform() * float64(n)) }

// gap returns a random time between two points.
func (s *stream) gap() float64 { return -math.Log(1-s.uniform()) / s.rate }

// draw returns the next point of a stream and advances the stream.
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
	if s.uniform()*(1-q.abroad) >= q.arrivalRate() { // also the rate of services that leave
		p.target = s.index(q.stations)
	}
	return p
}

// pickServer returns a random station of the stream's rank, weighted by its rate.
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

// earlier reports whether the next point of a is before that of b. All ranks use the same order for points at the
// same time.
func earlier(a, b *stream) bool {
	if a.next != b.next {
		return a.next < b.next
	}
	return a.from < b.from || a.from == b.from && a.to < b.to
}

// siftDown restores the heap, earliest first, if stream i may be too high.
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
