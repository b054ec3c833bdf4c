package trace

// BarrierMembers returns the number of processors with a barrier in each group, besides the world, whose members are all
// processors.
func BarrierMembers(src Source) (map[int32]int, error) {
	members := map[int32]int{}
	for p := range Proc(src.Header().Procs) {
		seen := map[int32]bool{}
		for b, err := range src.Events(p) {
			if err != nil {
				return nil, err
			}
			for i := range b.Rows {
				if e := &b.Rows[i]; e.Kind == Barrier && e.Group >= 0 && !seen[e.Group] {
					seen[e.Group] = true
					members[e.Group]++
				}
			}
		}
	}
	return members, nil
}
