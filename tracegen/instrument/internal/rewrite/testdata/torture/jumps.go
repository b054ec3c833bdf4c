package main

func jumps() {
	a := []int{3, 1, 4, 1, 5}
	i, s := 0, 0
start:
	if i < len(a) {
		s += a[i]
		i++
		if a[i-1] == 4 {
			goto skip
		}
		goto start
	}
	goto end
skip:
	s += 100
	goto start
end:
	show("goto", s, i)
	n := 0
retry:
	for j := range a {
		n++
		if a[j] == 4 && n < 10 {
			a[j]++
			goto retry
		}
		if n > 20 {
			break retry
		}
		if n == 12 {
			continue retry
		}
		s += j
	}
	{
		if s > 0 {
			goto inner
		}
		s = 1
	inner:
		a[0] += s
	}
	show("goto loop", s, n, a)
	show("goto result", jumpOut(a, 5), jumpOut(a, 99))
	k := 0
next:
	switch k++; a[k] {
	case 1:
		if k < 3 {
			goto next
		}
		break next
	case 5:
		goto next
	}
block:
	{
		k++
		if k < 10 {
			goto block
		}
	}
	show("goto switch", k)
	for k = range 3 {
		if a[k] > 0 {
			goto done
		}
	}
done:
}

func jumpOut(a []int, v int) int {
	for i := range a {
		for j := i; j < len(a); j++ {
			if a[j] == v {
				goto found
			}
		}
	}
	return -1
found:
	return v
}
