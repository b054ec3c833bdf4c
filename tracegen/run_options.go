package main

import (
	"strings"

	"spoor/tracegen/recorder"
)

// runOptions are the flags of run.
type runOptions struct {
	prefix   string
	refs     bool
	fetches  bool
	from     string
	to       string
	children bool
	archive  bool
	locks    string
	symbols  bool
	stacks   bool
	sample   recorder.Sample
	golang   goOptions
	mpiOptions
}

// goOptions are the flags of run for Go programs.
type goOptions struct {
	program string
	test    string
	procs   int
}

// mpiOptions are the flags of run for programs with MPI.
type mpiOptions struct {
	fast      bool
	printShim bool
}

// argumentText is the program's arguments as a shell would take them.
func argumentText(args []string) string {
	var b strings.Builder
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n'\"\\$&|;<>()*?[]{}~#`") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		b.WriteString(" " + a)
	}
	return b.String()
}
