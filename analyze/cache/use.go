package cache

// useEach is use of an array, line by line.
func useEach(a array, keys []key, out []miss) (used, missed int) {
	for i, k := range keys {
		victim := empty
		switch {
		case k >= back:
			if a.mark(k &^ back >> 1) {
				continue
			}
		case a.hit(k):
			continue
		default:
			victim = a.fill(k)
		}
		out[missed] = miss{i, victim}
		if missed++; missed == len(out) {
			return i + 1, missed
		}
	}
	return len(keys), missed
}

// runner is an array that is fast but for some keys.
type runner interface {
	array
	// run is use from a key on, up to one that is not for it; used and missed go on from what they were.
	run(keys []key, out []miss, used, missed int) (int, int)
}

// useRuns is use of a runner. Keys that are not for it are used alone.
func useRuns(r runner, keys []key, out []miss) (used, missed int) {
	for {
		used, missed = r.run(keys, out, used, missed)
		if used == len(keys) || missed == len(out) {
			return used, missed
		}
		_, one := useEach(r, keys[used:used+1], out[missed:])
		if one > 0 {
			out[missed].at = used
		}
		used, missed = used+1, missed+one
	}
}
