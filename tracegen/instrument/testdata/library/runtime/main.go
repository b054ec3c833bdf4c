// Runtime calls functions of the runtime, and of packages that are not instrumented, so that their calls can be measured.
package main

import (
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"spoor/tracegen/spmd"
)

type point struct {
	X, Y float64
	Name string
}

type key [2]int

type shape interface{ area() int }

func (k key) area() int { return k[0] * k[1] }

type failure struct{ code int }

func (failure) Error() string { return "failure" }

var (
	sink   int
	texts  = []string{"alpha", "b", "gamma delta", "äöü€"}
	values = []any{1, "two", 3.0, key{1, 2}, point{1, 2, "p"}, failure{3}}
	errs   = []error{io.EOF, failure{1}, errors.Join(io.EOF, failure{2})}
)

const times = 200

func main() {
	spmd.Main(func(r *spmd.Rank) error {
		if len(os.Args) > 1 {
			return nil // a run to compare with
		}
		for i := range times {
			joinTexts(i)
			convertTexts(i)
			compareValues(i)
			useMaps(i)
			useChannels(i)
			deferAndPanic(i)
			handleErrors(i)
			lockAndTime(i)
			reflectValues(i)
		}
		return nil
	})
}

//go:noinline
func joinTexts(i int) {
	a, b, c := texts[i%4], texts[(i+1)%4], texts[(i+2)%4]
	sink += len(a+b) + len(a+b+c) + len(a+b+c+a) + len(a+b+c+a+b) + len(a+b+c+a+b+c)
}

//go:noinline
func convertTexts(i int) {
	s := texts[i%4]
	r, b := []rune(s), []byte(s)
	sink += len(string(r)) + len(string(b)) + len(string(rune(i)))
	for _, c := range s {
		sink += int(c)
	}
}

//go:noinline
func compareValues(i int) {
	a, b := values[i%6], values[(i+6)%6]
	if a == b {
		sink++
	}
	p, q := &point{1, float64(i), texts[i%4]}, &point{1, float64(i), texts[(i+1)%4]}
	if *p == *q {
		sink++
	}
	var s shape = key{i, i}
	if v, ok := a.(shape); ok && v == s {
		sink++
	}
	switch v := a.(type) {
	case shape:
		sink += v.area()
	case error:
		sink += len(v.Error())
	}
	z := complex(float64(i), 1) / complex(2, float64(i))
	sink += int(real(z))
}

//go:noinline
func useMaps(i int) {
	byKey, byText, byNumber, byInterface := map[key]point{}, map[string]point{}, map[int32]int{}, map[any]int{}
	for j := range 10 {
		byKey[key{j, i}] = point{Name: texts[j%4]}
		byText[texts[j%4]] = point{X: float64(j)}
		byNumber[int32(j)] += i
		byInterface[j] = i
		if _, ok := byKey[key{j, j}]; ok {
			sink++
		}
		if _, ok := byText[texts[i%4]]; ok {
			sink++
		}
		if _, ok := byNumber[int32(i)]; ok {
			sink++
		}
		sink += len(byKey[key{i, j}].Name) + byInterface[j]
	}
	for k := range byKey {
		delete(byKey, k)
	}
	delete(byText, texts[0])
	delete(byNumber, 3)
	delete(byInterface, 4)
	clear(byText)
}

//go:noinline
func useChannels(i int) {
	c, d := make(chan int, 4), make(chan string, 1)
	c <- i
	c <- i
	sink += <-c
	v, ok := <-c
	if ok {
		sink += v
	}
	select {
	case c <- 1:
	default:
	}
	select {
	case x := <-c:
		sink += x
	default:
	}
	select {
	case c <- i:
	case s := <-d:
		sink += len(s)
	}
	close(d)
}

//go:noinline
func deferAndPanic(i int) {
	func() {
		for j := range 3 {
			defer func() { sink += j }()
		}
	}()
	defer func() {
		if r := recover(); r != nil {
			sink++
		}
	}()
	panic(i)
}

//go:noinline
func handleErrors(i int) {
	err := errs[i%3]
	var f failure
	if errors.Is(err, io.EOF) {
		sink++
	}
	if errors.As(err, &f) {
		sink += f.code
	}
	if errors.Unwrap(err) != nil || errors.New("new") == err {
		sink++
	}
	sink += len(errors.Join(err, io.EOF).Error())
}

var (
	mutex  sync.Mutex
	shared sync.RWMutex
	once   sync.Once
	table  sync.Map
	number atomic.Int64
)

//go:noinline
func lockAndTime(i int) {
	mutex.Lock()
	mutex.Unlock()
	shared.RLock()
	shared.RUnlock()
	table.Store(i%8, i)
	if v, ok := table.Load(i % 8); ok {
		sink += v.(int)
	}
	number.Add(1)
	t := time.Date(2020, 1, i%28, 3, 4, 5, 0, time.UTC).Add(time.Hour)
	sink += t.Day() + len(t.Format(time.RFC3339)) + int(time.Since(t).Hours())
	if u, err := time.Parse(time.RFC3339, "2020-01-02T03:04:05Z"); err == nil && u.Before(t) {
		sink++
	}
	if d, err := time.ParseDuration("1h2m"); err == nil {
		sink += len(d.String())
	}
}

//go:noinline
func reflectValues(i int) {
	p := point{1, float64(i), texts[i%4]}
	v := reflect.ValueOf(&p).Elem()
	for j := range v.NumField() {
		f := v.Field(j)
		sink += len(v.Type().Field(j).Name) + int(f.Kind())
	}
	v.Field(0).SetFloat(float64(i))
	if reflect.DeepEqual(p, point{}) || reflect.TypeOf(p) == reflect.TypeOf(i) || v.Field(2).String() == "x" {
		sink++
	}
	sink += len(strings.Fields(v.Type().String())) + int(v.Field(1).Float())
}
