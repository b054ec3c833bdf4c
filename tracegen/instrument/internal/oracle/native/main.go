// Native runs a kernel on one processor at its small size, so that another tool can count its instructions. With
// the argument prepare it only prepares the run.
//
//	native KERNEL [prepare]
package main

import (
	"context"
	"fmt"
	"os"

	"spoor/tracegen/kernel"
	"spoor/tracegen/spmd"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "native:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no kernel is named")
	}
	k, err := kernel.Find(kernel.All, args[0])
	if err != nil {
		return err
	}
	values, err := k.Values(k.Small)
	if err != nil {
		return err
	}
	inst, err := k.New(values, 1, 1)
	if err != nil || len(args) > 1 {
		return err
	}
	return spmd.Native(context.Background(), 1, inst.Program)
}
