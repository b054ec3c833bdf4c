package main

import (
	"errors"
	"fmt"
	"io"
)

func switches() {
	a := []int{3, 1, 2}
	for i := range 6 {
		show("classify", classify(a, i), chained(a, i), fall(a, i))
	}
	s := 0
	switch x := a[1]; {
	case x > a[0]:
		s += a[0]
		fallthrough
	case x < 0:
		s++
	default:
		s--
	}
	switch a[0] {
	case a[1], a[2]:
		s = 100
	case at("three", 3):
		s = 300
	case at("never", 4):
	}
	switch at("tag", a[1]) {
	default:
		s++
	case 7, 8:
		s = 0
	}
	switch {
	}
	switch x := at("only", 1); x {
	}
	switch a[0]++; {
	case a[0] == 4:
		s += 1000
	}
	show("switch", s, a)

loop:
	for i := 0; ; i++ {
		switch {
		case a[i%3] == 4 && at("and", true) || at("or", false):
			s++
			if i > 5 {
				break loop
			}
			break
		case i > 10:
			break loop
		default:
			continue loop
		}
		s += 10
	}
	show("switch in loop", s)

out:
	switch a[0] {
	case 4:
		for {
			s++
			if s%5 == 0 {
				break out
			}
		}
		s = -1
	}
	show("labelled switch", s)

	for _, x := range []any{1, "two", 3.0, nil, []int{4}, point{5, 6}, &point{7, 8}, errors.New("nine"), truth(true)} {
		show("kind", kind(x), kindOnly(x))
	}
	var tab = []any{a, "x", nil}
	for i := range tab {
		switch t := tab[i].(type) {
		case []int:
			s += t[0]
		case string:
			s += len(t)
		case nil:
			s++
		}
	}
	switch tab[at("dynamic", 1)].(type) {
	case string, error:
		s++
	}
	show("type switch", s)

	if v := a[0]; v > a[1] && v < 100 {
		s++
	} else if w := a[1]; w > v {
		s += w
	} else if a[2] == 2 || a[1] == at("not reached", 1) {
		s += 7
	} else {
		s += 9
	}
	if x, err := fmt.Sprint(a[0]), error(nil); err == nil && x != "" {
		s += len(x)
	}
	if a[0]++; a[0] > 3 {
		s++
	}
	if p, ok := any(a).([]int); ok {
		s += p[1]
	}
	if _, err := io.ReadFull(nil, nil); err != nil {
		s++
	}
	if !(a[0] > 1 && a[1] > 1) || s == 0 {
		s += 2
	}
	show("if", s, a, conditions(a, 0), conditions(a, 1), conditions(a, 2))
}

func classify(a []int, i int) string {
	switch {
	case i < len(a) && a[i] == 3:
		return "three"
	case i < len(a):
		return fmt.Sprint("in ", a[i])
	case i == 3:
		return "end"
	}
	return "out"
}

func chained(a []int, i int) (s int) {
	switch i {
	case a[0]:
		s = 1
	case a[1], a[2]:
		s = 2
		if i == 1 {
			break
		}
		s = 3
	default:
		s = 4
	}
	return s
}

func fall(a []int, i int) (s int) {
	switch x := i % 4; x {
	case a[1]:
		s += 1
		fallthrough
	default:
		s += 10
		fallthrough
	case a[2] + 100:
		s += 100
	case a[0]:
		s += 1000
	}
	return s
}

func kind(x any) string {
	switch y := x.(type) {
	case nil:
		return "nil"
	case int, float64:
		return fmt.Sprintf("number %v", y)
	case string:
		return y + "!"
	case []int:
		return fmt.Sprint(y[0])
	case point:
		return fmt.Sprint(y.x)
	case *point:
		y.x++
		return fmt.Sprint(y.x)
	case error:
		return y.Error()
	default:
		return fmt.Sprintf("%T", y)
	}
}

func kindOnly(x any) int {
	switch x.(type) {
	case int:
		return 1
	case interface{ Error() string }:
		return 2
	}
	return 0
}

func conditions(a []int, i int) (s int) {
	if a[i] > 1 && (a[(i+1)%3] > 1 || a[(i+2)%3] > 3) {
		s |= 1
	}
	if ok := i < 2 && a[i+1] >= 2 || i == 2 && at("c", a[0]) > 0; ok {
		s |= 2
	}
	v := i != 0 && 6/i == a[1]*6/i
	var t truth = truth(v) || a[i] == 1 && a[0] > 1
	if t {
		s |= 4
	}
	return s | b2i(a[i] == 2 && v)<<3
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
