package kernel_test

import (
	"context"
	"fmt"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
)

// A small LU factorization on four processors, at full speed.
func Example() {
	k, err := kernel.Find(kernel.All, "lu")
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := k.Values(kernel.Values{"n": 64})
	if err != nil {
		fmt.Println(err)
		return
	}
	run, err := k.New(values, 4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := spmd.Native(context.Background(), 4, run.Program); err != nil {
		fmt.Println(err)
	}
	fmt.Println(k.Name, k.Args(values), "verified:", run.Verify() == nil)
	fmt.Println("a recording has", run.Counts().Barriers, "barriers and", run.Counts().Refs, "references")
	// Output:
	// lu [{n 64} {block 16}] verified: true
	// a recording has 8 barriers and [45208 61560 62376 95384] references
}
