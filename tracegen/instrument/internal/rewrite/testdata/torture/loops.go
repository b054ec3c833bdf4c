package main

import "fmt"

func loops() {
	a := make([]int, 12)
	for i := range a {
		a[i] = i * i % 7
	}
	sum := 0
	for i := 0; i < len(a) && a[i] < 5; i++ {
		sum += a[i]
	}
	for i, j := 0, len(a)-1; i < j; i, j = i+1, j-1 {
		a[i], a[j] = a[j], a[i]
	}
	show("for", a, sum)

	next := []int{3, 0, 1, 2}
	for i, n := next[0], 0; n < 10; i, n = next[i], n+1 {
		if i == 2 {
			continue
		}
		if n == 8 {
			break
		}
		sum += i
	}
	show("post with load", sum)
	for k := 0; k < 3; a[k], k = a[k]+1, k+1 {
		if a[k] == 1 {
			continue
		}
		sum ^= a[k]
	}
	show("post with store", sum, a)
	var fs []func() int
	for i, v := 0, a[0]; i < 3; i, v = i+1, a[i+1] {
		if i == 1 {
			continue
		}
		fs = append(fs, func() int { i++; v += i; return i*100 + v })
	}
	for j := 0; j < 3; j++ {
		fs = append(fs, func() int { a[j] += j; return a[j] })
	}
	for _, f := range fs {
		sum += f()
		sum += f()
	}
	show("captured", sum, a)

outer:
	for r, x := range a {
		for c := range a {
			switch {
			case c > r:
				continue outer
			case x == 1234:
				break outer
			case c == 5:
				continue
			}
			sum += c
			if sum > 4000 {
				break outer
			}
		}
	}
	show("labels", sum)

again:
	for i := 0; i < next[i%4]+5; i += at("step", next[1]+1) {
		for {
			sum++
			if sum%3 == 0 {
				continue again
			}
			if sum%7 == 0 {
				break
			}
			if sum%11 == 0 {
				break again
			}
		}
	}
	show("again", sum)

	for i := range 4 {
		sum += next[i]
	}
	for range next[1] + 2 {
		sum++
	}
	for i := range int64(3) {
		sum += int(i)
	}
	var u8 uint8 = 250
	for i := range u8 {
		sum += int(i)
	}
	for i := 10; i > 0; i -= 3 {
		sum += a[i%len(a)]
	}
	for i := uint8(250); i >= 240; i-- {
		sum++
	}
	for i := 0; i <= 4; i += 2 {
		sum += i
	}
	show("ranges", sum)

	for i, q := range [3]int{7, 8, 9} {
		a[i] += q
	}
	arr := [3]int{1, 2, 3}
	for i, q := range arr {
		arr[2] = 10
		sum += i * q
	}
	for i, q := range &arr {
		arr[2] = 20
		sum += i * q
	}
	for i := range arr {
		arr[i]++
	}
	for i, q := range a[:3] {
		a[2] = 30
		sum += i * q
	}
	grow := []int{1, 2}
	for _, q := range grow {
		grow = append(grow, q)
		grow[0] = 100
	}
	show("copies", sum, arr, a, grow)

	var k, v int
	for k, v = range a {
		if v == 30 {
			break
		}
	}
	st := struct {
		k int
		v []int
	}{v: make([]int, 2)}
	for st.k, st.v[1] = range a[:2] {
		sum += st.v[1]
	}
	for st.v[0] = range a[:2] {
		sum += st.v[0]
	}
	for _, a[3] = range next {
		sum += a[3]
	}
	for slice[0], number = range a {
		sum += number
	}
	show("assigned", k, v, st, a, sum, slice[0], number)

	for i, r := range "héllo, 世界" {
		sum += i * int(r)
	}
	for i := range "añb" {
		sum += i
	}
	word := "bytes\xff!"
	for _, r := range word {
		sum += int(r)
	}
	for b := 0; b < len(word); b++ {
		sum += int(word[b])
	}
	for range word {
		sum++
	}
	show("strings", sum)

	m := map[int]int{1: 2}
	for k, v := range m {
		sum += k * v
	}
	for k := range m {
		delete(m, k)
	}
	ch := make(chan int, 3)
	ch <- a[1]
	ch <- 2
	close(ch)
	for v := range ch {
		if v == 2 {
			continue
		}
		sum += v
	}
	for range ch {
		sum++
	}
	show("maps and channels", sum, len(m))

	n := 0
	for n < 5 {
		n += a[1]%2 + 1
	}
	for {
		n++
		if n > 10 && a[0] >= 0 {
			break
		}
	}
	for i := 0; ; i++ {
		if i >= a[0] || n > 100 {
			break
		}
		n += i
	}
	for ; n < 200; n += 50 {
	}
	for i := 0; i < 3; {
		i++
		n++
	}
	show("odd loops", n)
	i, ok := search(a, 30)
	j, no := search(a, -1)
	show("nested returns", i, ok, j, no, fmt.Sprint(triangle(5)))
	show("go version", perIteration())
}

func search(a []int, v int) (int, bool) {
	for i, x := range a {
		for k := 0; k < 2; k++ {
			if x == v && k == 1 {
				return i, true
			}
		}
	}
	return -1, false
}

func triangle(n int) [][]int {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = make([]int, i+1)
		for j := range rows[i] {
			if j == 0 || j == i {
				rows[i][j] = 1
				continue
			}
			rows[i][j] = rows[i-1][j-1] + rows[i-1][j]
		}
	}
	return rows
}

func perIteration() (out []int) {
	var fs []func()
	tab := []int{1, 1, 1, 1}
	for i := 0; i < 4; i += tab[i] {
		fs = append(fs, func() { out = append(out, i); i += 10 })
		if i == 2 {
			fs = append(fs, func() { out = append(out, -i) })
			continue
		}
	}
	for _, f := range fs {
		f()
	}
	func() {
		for i := 0; i < 4; i += tab[i] {
			defer func() { out = append(out, i+100) }()
		}
	}()
	for i := 0; i < 4; i += tab[i] {
		p := &i
		if *p == 1 {
			*p++
			continue
		}
		out = append(out, *p)
	}
	return out
}
