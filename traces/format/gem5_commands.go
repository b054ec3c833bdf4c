package format

import "spoor/traces/trace"

// gem5Kind is what a command means for a trace of references.
type gem5Kind uint8

const (
	gem5Unknown  gem5Kind = iota // a number without a name
	gem5Load                     // also of caches, for a line
	gem5Store                    //
	gem5Swap                     // a load and a store at once
	gem5Prefetch                 //
	gem5Flush                    // maintenance of caches, of a line
	gem5Response                 // to a request
	gem5Evict                    // a line that a cache writes back or gives up
	gem5Coherent                 // between caches, of no bytes
	gem5Other                    // fences, errors and what only the simulator has
	gem5Kinds
)

// gem5KindNames are what notes call the kinds that are left out.
var gem5KindNames = [gem5Kinds]string{gem5Unknown: "unknown command", gem5Response: "response",
	gem5Evict: "writeback", gem5Coherent: "upgrade", gem5Other: "other packet"}

// gem5Ops are the operations of the kinds that are references; a swap is two.
var gem5Ops = [gem5Kinds]trace.Op{gem5Load: trace.Load, gem5Store: trace.Store, gem5Swap: trace.Load, gem5Prefetch: trace.Prefetch, gem5Flush: trace.Flush}

type gem5Command struct {
	name  string
	kind  gem5Kind
	cache bool // a request that caches make
}

// gem5Version24 are the commands of v24.0.0.1, src/mem/packet.hh, in its order. The
// numbers after CleanInvalidResp, of errors and the simulator's own, differ within
// a version.
var gem5Version24 = []gem5Command{
	{name: "InvalidCmd", kind: gem5Other},
	{name: "ReadReq", kind: gem5Load},
	{name: "ReadResp", kind: gem5Response},
	{name: "ReadRespWithInvalidate", kind: gem5Response},
	{name: "WriteReq", kind: gem5Store},
	{name: "WriteResp", kind: gem5Response},
	{name: "WriteCompleteResp", kind: gem5Response},
	{name: "WritebackDirty", kind: gem5Evict},
	{name: "WritebackClean", kind: gem5Evict},
	{name: "WriteClean", kind: gem5Evict},
	{name: "CleanEvict", kind: gem5Evict},
	{name: "SoftPFReq", kind: gem5Prefetch},
	{name: "SoftPFExReq", kind: gem5Prefetch},
	{name: "HardPFReq", kind: gem5Prefetch, cache: true},
	{name: "SoftPFResp", kind: gem5Response},
	{name: "HardPFResp", kind: gem5Response},
	{name: "WriteLineReq", kind: gem5Store},
	{name: "UpgradeReq", kind: gem5Coherent},
	{name: "SCUpgradeReq", kind: gem5Coherent},
	{name: "UpgradeResp", kind: gem5Response},
	{name: "SCUpgradeFailReq", kind: gem5Coherent},
	{name: "UpgradeFailResp", kind: gem5Response},
	{name: "ReadExReq", kind: gem5Load, cache: true},
	{name: "ReadExResp", kind: gem5Response},
	{name: "ReadCleanReq", kind: gem5Load, cache: true},
	{name: "ReadSharedReq", kind: gem5Load, cache: true},
	{name: "LoadLockedReq", kind: gem5Load},
	{name: "StoreCondReq", kind: gem5Store},
	{name: "StoreCondFailReq", kind: gem5Other}, // stores nothing
	{name: "StoreCondResp", kind: gem5Response},
	{name: "LockedRMWReadReq", kind: gem5Load},
	{name: "LockedRMWReadResp", kind: gem5Response},
	{name: "LockedRMWWriteReq", kind: gem5Store},
	{name: "LockedRMWWriteResp", kind: gem5Response},
	{name: "SwapReq", kind: gem5Swap},
	{name: "SwapResp", kind: gem5Response},
	{name: "MessageReq", kind: gem5Other},
	{name: "MessageResp", kind: gem5Response},
	{name: "MemFenceReq", kind: gem5Other},
	{name: "MemSyncReq", kind: gem5Other},
	{name: "MemSyncResp", kind: gem5Response},
	{name: "MemFenceResp", kind: gem5Response},
	{name: "CleanSharedReq", kind: gem5Flush},
	{name: "CleanSharedResp", kind: gem5Response},
	{name: "CleanInvalidReq", kind: gem5Flush},
	{name: "CleanInvalidResp", kind: gem5Response},
}

// The numbers of the commands that no version changes, and of the four that older
// ones do not have.
const (
	gem5ReadReq   = 1
	gem5WriteReq  = 4
	gem5LockedRMW = 30
)

// gem5Versions are the values of --set version.
var gem5Versions = map[string][]gem5Command{
	"24":     gem5Version24,
	"21":     append(append([]gem5Command{}, gem5Version24[:gem5LockedRMW]...), gem5Version24[gem5LockedRMW+4:]...),
	"stable": {gem5ReadReq: gem5Version24[gem5ReadReq], gem5WriteReq: gem5Version24[gem5WriteReq]},
}

// The flags of requests, src/mem/request.hh.
const (
	gem5InstFetch    = 0x100
	gem5PrefetchFlag = 0x01000000
)
