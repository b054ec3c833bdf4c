package drmemtrace

import (
	"strconv"

	"spoor/traces/trace"
)

// The record types of trace_entry.h that have their own handling.
const (
	drRead       = 0
	drWrite      = 1
	drPrefetch   = 2
	drInstr      = 10
	drInstrFlush = 18
	drDataFlush  = 20
	DrThread     = 22
	drThreadExit = 23
	drPid        = 24
	DrHeader     = 25
	DrFooter     = 26
	drHWPrefetch = 27
	drMarker     = 28
	drNoFetch    = 29
	drMaybeFetch = 30
	drEncoding   = 47
	drTypes      = 50 // number of known types; INVALID is the first unknown one
	drNewest     = 7  // newest known version of the format
)

// The marker kinds that have their own handling.
const (
	drMarkTimestamp   = 2
	drMarkCPU         = 3
	drMarkFiletype    = 9
	drMarkInstrCount  = 11
	drMarkVersion     = 12
	drMarkWindow      = 14
	drMarkChunkInstrs = 20
	drMarkChunkFooter = 21
	drMarkOrdinal     = 22
	drMarkFilterEnd   = 23
	drMarks           = 47 // number of known kinds
)

// drTypeNames are the names of record types that the format's own tools print, without
// the prefix TRACE_TYPE_.
var drTypeNames = [drTypes]string{"read", "write", "prefetch", "prefetch_read_l1", "prefetch_read_l2",
	"prefetch_read_l3", "prefetchnta", "prefetch_read", "prefetch_write", "prefetch_instr", "instr",
	"direct_jump", "indirect_jump", "cond_jump", "direct_call", "indirect_call", "return", "instr_bundle",
	"instr_flush", "instr_flush_end", "data_flush", "data_flush_end", "thread", "thread_exit", "pid", "header",
	"footer", "hardware_prefetch", "marker", "instr_no_fetch", "instr_maybe_fetch", "sysenter",
	"prefetch_read_l1_nt", "prefetch_read_l2_nt", "prefetch_read_l3_nt", "prefetch_instr_l1",
	"prefetch_instr_l1_nt", "prefetch_instr_l2", "prefetch_instr_l2_nt", "prefetch_instr_l3",
	"prefetch_instr_l3_nt", "prefetch_write_l1", "prefetch_write_l1_nt", "prefetch_write_l2",
	"prefetch_write_l2_nt", "prefetch_write_l3", "prefetch_write_l3_nt", "encoding", "taken_jump", "untaken_jump"}

// drMarkerNames are the names of marker kinds, without the prefix TRACE_MARKER_TYPE_.
var drMarkerNames = [drMarks]string{"kernel_event", "kernel_xfer", "timestamp", "cpu_id", "func_id",
	"func_retaddr", "func_arg", "func_retval", "split_value", "filetype", "cache_line_size",
	"instruction_count", "version", "rseq_abort", "window_id", "physical_address",
	"physical_address_not_available", "virtual_address", "page_size", "syscall_idx", "chunk_instr_count",
	"chunk_footer", "record_ordinal", "filter_endpoint", "rseq_entry", "syscall", "maybe_blocking_syscall",
	"syscall_trace_start", "syscall_trace_end", "branch_target", "syscall_failed", "direct_thread_switch",
	"core_wait", "core_idle", "context_switch_start", "context_switch_end", "vector_length",
	"syscall_unschedule", "syscall_schedule", "syscall_arg_timeout", "signal_number",
	"uncompleted_instruction", "midblock_end_pc", "hardware_event", "hardware_context_return",
	"kernel_event_raw", "skipped_memref"}

// drTypeName returns text such as "instr (10)".
func drTypeName(kind uint16) string {
	if int(kind) < len(drTypeNames) {
		return drTypeNames[kind] + " (" + strconv.Itoa(int(kind)) + ")"
	}
	return strconv.Itoa(int(kind))
}

// drClass says how the fast path handles a record.
type drClass uint8

const (
	drSlow    drClass = iota // not handled
	drFetch                  // an instruction
	drAccess                 // a reference with an operation in drOps
	drNothing                // ignored
)

// drClasses and drOps are indexed by record type.
var drClasses, drOps = func() (class [64]drClass, op [64]trace.Op) {
	access := func(o trace.Op, first, last int) {
		for t := first; t <= last; t++ {
			class[t], op[t] = drAccess, o
		}
	}
	access(trace.Load, drRead, drRead)
	access(trace.Store, drWrite, drWrite)
	access(trace.Prefetch, drPrefetch, 9)
	access(trace.Prefetch, drHWPrefetch, drHWPrefetch)
	access(trace.Prefetch, 32, 46)
	for _, t := range []int{drInstr, 11, 12, 13, 14, 15, 16, 31, 48, 49} {
		class[t] = drFetch
	}
	class[drEncoding] = drNothing
	return class, op
}()

// The bits of a file type that the import uses.
const (
	drFiltered    = 0x1 | 0x80 | 0x100 | 0x2000
	drInstrOnly   = 0x4
	drIs32        = 0x10 | 0x20
	drIs64        = 0x8 | 0x40
	drCoreSharded = 0x10000
	drRegDeps     = 0x20000
)

// drFileTypes names the bits of a file type.
var drFileTypes = []string{"filtered", "instrumented without optimisation", "instructions only", "AArch64",
	"ARM", "x86-32", "x86-64", "instructions filtered", "data filtered", "encodings", "system call numbers",
	"blocking system calls", "kernel system calls", "warmup is filtered", "templates of system calls",
	"kernel instructions only", "sharded by core", "registers are dependencies only", "whole system"}
