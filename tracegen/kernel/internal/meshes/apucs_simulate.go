package meshes

import (
	"math"

	"spoor/tracegen/spmd"
)

// queueSimulator is one rank's part of the simulation. Times and numbers of jobs are those of its own stations.
type queueSimulator struct {
	r        *spmd.Rank
	network  *queueNetwork
	streams  []stream
	schedule []point         // of the window, in order
	first    []float64       // earliest time at which a station may have a job
	firsts   []float64       // the same for the stations of all ranks
	coming   []*spmd.Request // for each point at which a job may arrive from another rank, in order
	answers  []int32         // their receive buffers: 1 if a job arrives, or 0
	answer   []int32         // send buffer
	jobs     []int32         // now
	left     []int32         // jobs that left the network
	busy     []float64       // integral of the jobs over time
	changed  []float64       // time of the last change of busy
	totals   []int64         // jobs and messages sent to other ranks
}

// findFirst finds the earliest time at which each station may have a job: now if it has one, else when a job could
// arrive.
func (s *queueSimulator) findFirst() {
	first, schedule, me := s.first, s.schedule, int32(s.r.ID())
	for i := range first {
		first[i] = math.Inf(1)
		if s.jobs[i] > 0 {
			first[i] = 0
		}
	}
	for i := range schedule {
		p := &schedule[i]
		if p.to == me && p.target != elsewhere && p.time < first[p.target] {
			first[p.target] = p.time
		}
	}
}

// possible reports whether the source of a point may have a job by then.
func (s *queueSimulator) possible(p *point) bool {
	return p.time >= s.firsts[int(p.from)*s.network.stations+int(p.source)]
}

// postReceives posts a receive for every point at which a job may arrive.
func (s *queueSimulator) postReceives() {
	schedule, me, count := s.schedule, int32(s.r.ID()), 0
	for i := range schedule {
		if p := &schedule[i]; p.from != me && s.possible(p) {
			count++
		}
	}
	if count > len(s.coming) {
		s.coming, s.answers = make([]*spmd.Request, 2*count), make([]int32, 2*count)
	}
	count = 0
	for i := range schedule {
		if p := &schedule[i]; p.from != me && s.possible(p) {
			s.coming[count] = spmd.Irecv(s.r, int(p.from), 0, s.answers[count:count+1])
			count++
		}
	}
}

// simulate goes through the schedule.
func (s *queueSimulator) simulate() {
	schedule, me, next := s.schedule, int32(s.r.ID()), 0
	for i := range schedule {
		p := &schedule[i]
		switch {
		case p.from == p.to:
			s.move(p)
		case !s.possible(p):
		case p.from == me:
			s.sendJob(p)
		default:
			s.coming[next].Wait()
			if s.answers[next] == 1 {
				s.enter(p.target, p.time)
			}
			next++
		}
	}
}

// move moves a job within the rank, or from or to the outside.
func (s *queueSimulator) move(p *point) {
	if p.source != elsewhere {
		if s.jobs[p.source] == 0 {
			return
		}
		s.count(p.source, p.time)
		s.jobs[p.source]--
	}
	if p.target == elsewhere {
		s.left[p.source]++
		return
	}
	s.enter(p.target, p.time)
}

// sendJob sends a job to another rank, or a message that there is none.
func (s *queueSimulator) sendJob(p *point) {
	s.answer[0] = 0
	if s.jobs[p.source] > 0 {
		s.answer[0] = 1
		s.count(p.source, p.time)
		s.jobs[p.source]--
		s.totals[0]++
	}
	s.totals[1]++
	spmd.Send(s.r, int(p.to), 0, s.answer)
}

// enter adds a job to a station.
func (s *queueSimulator) enter(station int32, time float64) {
	s.count(station, time)
	s.jobs[station]++
}

// count updates the integral of a station's jobs to a time.
func (s *queueSimulator) count(station int32, time float64) {
	s.busy[station] += float64(float64(s.jobs[station]) * (time - s.changed[station]))
	s.changed[station] = time
}
