package cache

// useEach implements array.use line by line.
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
