// Command torture computes with every construct of Go that the rewriter must leave
// alone, and prints what it computes and in which order.
package main

import (
	"fmt"
	"runtime"
	"strings"
)

var log []string

// at notes that the program came here.
func at[T any](name string, v T) T {
	log = append(log, name)
	return v
}

func show(name string, values ...any) {
	fmt.Println(name, fmt.Sprintf("%v", values), log)
	log = nil
}

// try runs f and shows how it panics, and where.
func try(name string, f func()) {
	defer func() {
		if e := recover(); e != nil {
			pcs := make([]uintptr, 32)
			frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
			where := ""
			for {
				fr, more := frames.Next()
				if strings.HasPrefix(fr.Function, "main.") && where == "" && !strings.HasPrefix(fr.Function, "main.try") {
					where = fmt.Sprint(fr.Function[:min(len(fr.Function), 12)], ":", fr.Line)
				}
				if !more {
					break
				}
			}
			fmt.Println(name, "panics:", e, "at", where, log)
			log = nil
		}
	}()
	f()
	fmt.Println(name, "returns", log)
	log = nil
}

func main() {
	assignments()
	tuples()
	panics()
	loops()
	switches()
	functions()
	methods()
	memory()
	channels()
	generics()
	names()
	literals()
	order()
	jumps()
	iterators()
	atomics()
	constants()
	fmt.Println(initialised, initLog)
}

var initialised = func(a []int) int { a[0]++; return a[0] + a[1] }([]int{1, 2})

var initLog []string

func init() { initLog = append(initLog, "first") }

func init() {
	for i := range initLog {
		initLog[i] += "!"
	}
	initLog = append(initLog, "second")
}
