package main

import "errors"

func panics() {
	a := []int{1, 2, 3}
	var none []int
	var nilNode *node
	var nilMap map[string]int
	zero := 0
	try("index", func() { a[at("i", 3)] = at("v", 1) })
	try("nil slice", func() { none[at("i", 0)] = at("v", 1) })
	try("nil pointer", func() { nilNode.v = at("v", 1) })
	try("nil pointer load", func() { _ = nilNode.v })
	try("nil field of", func() { nilNode.in.x++ })
	try("nil map", func() { nilMap["a"] = a[0] })
	try("divide", func() { a[0] = a[1] / zero })
	try("divide before index", func() { a[5] = a[1] / zero })
	try("index before divide", func() { a[0] = a[5] / zero })
	try("divide, then load", func() { a[0] = a[1]/zero + a[7] })
	try("load, then divide", func() { a[0] = a[7] + a[1]/zero })
	try("store twice", func() { a[0], a[4] = 50, 60 })
	show("first stored", a)
	try("store to nil second", func() { a[1], nilNode.v = 70, 80 })
	show("first stored", a)
	try("store then divide", func() { a[2], a[1] = 90, 1/zero })
	show("stored", a)
	try("update", func() { a[at("i", 9)] += at("v", 1) })
	try("slice bounds", func() { _ = a[at("lo", 2):at("hi", 1)] })
	try("assertion", func() { var x any = a[0]; _ = x.(string) })
	try("assertion order", func() { var x any = a[0]; a[8] = len(x.(string)) })
	try("conversion", func() { _ = [4]int(a) })
	try("shift", func() { a[0] = a[1] << (zero - 1) })
	try("shift then index", func() { a[9] = a[1] << (zero - 1) })
	try("array index", func() { var l [3]int; l[len(a)+zero] = a[0] })
	try("array load", func() { var l [3]int; a[0] = l[len(a)+zero] + a[8] })
	try("string index", func() { s := "abc"; _ = s[len(a)+zero] })
	try("string index order", func() { s := "abc"; a[0] = a[9] + int(s[len(a)+zero]) })
	try("func value nil", func() { var f func(int) int; a[0] = f(at("arg", a[1])) })
	try("method of nil", func() { var e error; _ = e.Error() })
	try("comparison", func() { x, y := any(a), any(a); a[0] = 7; _ = x == y })
	try("explicit", func() { panic(errors.New("mine")) })
	try("explicit with load", func() { panic(a[1]) })
	try("in argument", func() { at("f", a[at("bad", 4)]) })
	try("argument order", func() { two(at("one", 1), a[at("bad", 4)], at("two", 2)) })
	try("receiver", func() { nilNode.bump(at("arg", 1)) })
	try("value receiver", func() { nilNode.value(at("arg", 1)) })
	try("close of nil", func() { var c chan int; close(c) })
	try("range index", func() {
		for i := range 5 {
			a[i]++
		}
	})
	show("stored before", a)
	try("range pointer", func() {
		var p *[3]int
		for i, v := range p {
			at("never", i+v)
		}
	})
	try("range pointer length", func() {
		var p *[3]int
		for i := range p {
			at("length", i)
		}
	})
	try("condition", func() {
		for i := 0; a[i] >= 0; i++ {
			at("round", i)
		}
	})
	try("post", func() {
		for i := 0; i < 9; a[i+1], i = i, i+1 {
			at("round", i)
		}
	})
	try("deferred", func() {
		defer func() { at("deferred", 0) }()
		defer func(v int) { at("argument", v) }(a[2])
		a[10] = 1
	})
	try("deferred argument", func() {
		defer at("never", a[11])
	})
	try("nested", func() {
		defer func() {
			r := recover()
			at("recovered", 0)
			panic(r)
		}()
		a[12]++
	})
	v, err := named(a, 1)
	show("named", v, err)
	v, err = named(a, 100)
	show("named", v, err)
	show("overwritten", overwritten(a))
}

func two(x, y, z int) int { return x + y + z }

// named returns what was assigned before the panic.
func named(a []int, i int) (v int, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = errors.New("recovered")
		}
	}()
	v = 1
	v = a[i] + v
	v++
	return v * 2, nil
}

func overwritten(a []int) (v int) {
	defer func() { v += a[0] }()
	return a[1]
}
