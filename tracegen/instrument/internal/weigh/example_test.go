package weigh_test

import (
	"fmt"
	"strings"

	"spoor/tracegen/instrument/internal/weigh"
)

func ExampleSplitStatements() {
	src := []byte(`package p

func sum(a []int) (s int) {
	for i := 0; i < len(a) && a[i] >= 0; i++ { s += a[i] }
	return s
}
`)
	exploded, err := weigh.SplitStatements("sum.go", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(strings.ReplaceAll(string(exploded), " \n", "\n"))
	fmt.Println("line 7 was line", weigh.NewLineMap(src, exploded).Original(7))
	// Output:
	// package p
	//
	// func sum(a []int) (s int) {
	// 	for i := 0;
	// i < len(a) &&
	// a[i] >= 0;
	// i++ {
	// s += a[i]
	// }
	// 	return s
	// }
	// line 7 was line 4
}
