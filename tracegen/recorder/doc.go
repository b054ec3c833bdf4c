// Package recorder records a Linux program that runs under QEMU's user mode. A plugin of QEMU, plugin.c, sends what the
// program does through a pipe. This package compiles the plugin, starts the program, and writes its trace.
package recorder

import "spoor/traces/trace"

// A Sink receives a recording. It must not keep its arguments. Batches of one processor arrive in program order.
type Sink interface {
	Refs(*trace.Refs) error
	Events(*trace.Events) error
}
