package gem5

import "spoor/traces/trace"

// gem5Kind is the meaning of a command for a reference trace.
type gem5Kind uint8

const (
	gem5Unknown  gem5Kind = iota // no command has this number
	gem5Load                     // also of a cache, for a line
	gem5Store                    //
	gem5Swap                     // a load and a store in one
	gem5Prefetch                 //
	gem5Flush                    // cache maintenance of a line
	gem5Response                 // to a request
	gem5Evict                    // a line that a cache writes back or evicts
	gem5Coherent                 // between caches, without data
	gem5Other                    // fences, errors and commands of the simulator itself
	gem5Kinds
)

// gem5KindNames are the names in notes of the omitted kinds.
var gem5KindNames = [gem5Kinds]string{gem5Unknown: "unknown command", gem5Response: "response",
	gem5Evict: "writeback", gem5Coherent: "upgrade", gem5Other: "other packet"}

// gem5Ops maps the kinds that are references to operations. A swap is two.
var gem5Ops = [gem5Kinds]trace.Op{gem5Load: trace.Load, gem5Store: trace.Store, gem5Swap: trace.Load, gem5Prefetch: trace.Prefetch, gem5Flush: trace.Flush}

type gem5Command struct {
	name  string
	kind  gem5Kind
	cache bool // a request that caches make
}

// gem5Version24 lists the commands of v24.0.0.1, src/mem/packet.hh, in its order. The
// numbers after CleanInvalidResp, of errors and the simulator's own commands, differ
// within a version.
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

// The numbers of the commands that are the same in all versions, and of the four that
// older versions lack.
const (
	gem5ReadReq   = 1
	gem5WriteReq  = 4
	gem5LockedRMW = 30
)

// gem5Versions maps the values of --set version to commands.
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
