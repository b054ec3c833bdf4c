package goprogram

import (
	"fmt"
	"strings"
)

// A patch replaces text in a file of Go's standard library. The text is the first after the scope, which the file has once.
type patch struct{ file, scope, old, text string }

func renamed(file, function, old string) patch {
	dot := strings.LastIndexByte(function, ' ') + 1
	name := "spoor" + strings.ToUpper(function[dot:dot+1]) + function[dot+1:]
	return patch{file, "\nfunc " + function + old, function + old, function[:dot] + name + old}
}

func after(file, scope, anchor, text string) patch  { return patch{file, scope, anchor, anchor + text} }
func before(file, scope, anchor, text string) patch { return patch{file, scope, anchor, text + anchor} }

// patches are those of all processors. The functions that they call are in overlay/runtime.go.txt and overlay/sync.go.txt. There are
// also the functions with the names of those that are renamed here.
var patches = []patch{
	before("runtime/runtime2.go", "\ntype g struct {", "\tstartpc ", "\tspoor, spoorDepth uint32\n\tspoorLast uintptr\n"),
	after("runtime/proc.go", "\nfunc newproc1(", "\tnewg.goid = pp.goidcache\n", "\tspoorForks(newg, callergp)\n"),
	after("runtime/proc.go", "\nfunc gdestroy(", ") {\n", "\tspoorExits(gp)\n"),
	after("runtime/proc.go", "\nfunc ready(", ") {\n", "\tspoorReadies(gp, getg().m.curg)\n"),
	after("runtime/proc.go", "\nfunc gopark(", ") {\n", "\tspoorParks(reason)\n"),
	after("runtime/proc.go", "\nfunc needm(", ") {\n", "\tspoorCalls()\n"),
	before("runtime/runtime2.go", "\ntype m struct {", "\tprocid ", "\tspoorTimer uintptr\n"),
	after("runtime/time.go", "\nfunc newTimer(", "\tt := new(timeTimer)\n", "\tspoorArms(&t.timer)\n"),
	after("runtime/time.go", "\nfunc resetTimer(", ") bool {\n", "\tspoorArms(&t.timer)\n"),
	before("runtime/time.go", "\nfunc (t *timer) unlockAndRun(", "\tf(arg, seq, delay)\n", "\tspoorFires(t)\n"),
	after("runtime/time.go", "\nfunc (t *timer) unlockAndRun(", "\tf(arg, seq, delay)\n", "\tspoorFires(nil)\n"),
	after("runtime/panic.go", "\nfunc gopanic(", ") {\n", "\tspoorPanics()\n"),
	after("runtime/coro.go", "\nfunc coroswitch_m(", ") {\n", "\tspoorBy := gp\n"),
	before("runtime/coro.go", "\nfunc coroswitch_m(", "\tgogo(&gnext.sched)\n", "\tspoorReadies(gnext, spoorBy)\n"),
	renamed("runtime/signal_unix.go", "sigtrampgo", "(sig uint32, info *siginfo, ctx unsafe.Pointer) {"),

	renamed("runtime/chan.go", "chansend", "(c *hchan, ep unsafe.Pointer, block bool, callerpc uintptr) bool {"),
	renamed("runtime/chan.go", "chanrecv", "(c *hchan, ep unsafe.Pointer, block bool) (selected, received bool) {"),
	renamed("runtime/chan.go", "closechan", "(c *hchan) {"),
	before("runtime/chan.go", "\nfunc makechan(", "\treturn c\n", "\tspoorMakes(c)\n"),
	after("runtime/chan.go", "\nfunc spoorChansend(", "\t\tc.qcount++\n", "\t\tspoorSends(c, getg())\n"),
	after("runtime/chan.go", "\nfunc spoorChanrecv(", "\t\tc.qcount--\n", "\t\tspoorReceives(c, getg())\n"),
	after("runtime/chan.go", "\nfunc send(", "\tgp := sg.g\n", "\tspoorSent(c, getg(), gp)\n"),
	after("runtime/chan.go", "\nfunc recv(", "\tgp := sg.g\n", "\tspoorReceived(c, gp, getg())\n"),
	after("runtime/chan.go", "\nfunc spoorClosechan(", "\tc.closed = 1\n", "\tspoorCloses(c)\n"),

	renamed("runtime/select.go", "selectgo", "(cas0 *scase, order0 *uint16, pc0 *uintptr, nsends, nrecvs int, block bool) (int, bool) {"),
	after("runtime/select.go", "\nbufrecv:\n", "\tc.qcount--\n", "\tspoorReceives(c, gp)\n"),
	after("runtime/select.go", "\nbufsend:\n", "\tc.qcount++\n", "\tspoorSends(c, gp)\n"),

	renamed("sync/mutex.go", "(m *Mutex) Lock", "() {"),
	renamed("sync/mutex.go", "(m *Mutex) TryLock", "() bool {"),
	renamed("sync/mutex.go", "(m *Mutex) Unlock", "() {"),
	renamed("sync/rwmutex.go", "(rw *RWMutex) RLock", "() {"),
	renamed("sync/rwmutex.go", "(rw *RWMutex) TryRLock", "() bool {"),
	renamed("sync/rwmutex.go", "(rw *RWMutex) RUnlock", "() {"),
	renamed("sync/rwmutex.go", "(rw *RWMutex) Lock", "() {"),
	renamed("sync/rwmutex.go", "(rw *RWMutex) TryLock", "() bool {"),
	renamed("sync/rwmutex.go", "(rw *RWMutex) Unlock", "() {"),
	renamed("sync/waitgroup.go", "(wg *WaitGroup) Add", "(delta int) {"),
	renamed("sync/waitgroup.go", "(wg *WaitGroup) Wait", "() {"),
	renamed("sync/once.go", "(o *Once) Do", "(f func()) {"),
	after("sync/once.go", "\nfunc (o *Once) doSlow(", "\t\tf()\n", "\t\to.spoorCalled()\n"),
	renamed("sync/cond.go", "(c *Cond) Wait", "() {"),
	renamed("sync/cond.go", "(c *Cond) Signal", "() {"),
	renamed("sync/cond.go", "(c *Cond) Broadcast", "() {"),
}

// assembly is where threads change between goroutines and the runtime's own stack, by processor. The system calls are as in
// overlay/mark_amd64.s.txt, with the kinds run (64), stop (65) and apart (66); they change few registers.
var assembly = map[string][]patch{
	"amd64": {
		before("runtime/asm_amd64.s", "\nTEXT runtime·gogo(SB)", "\tJMP\tgogo<>(SB)\n",
			"\tMOVQ\tBX, R12\n\tMOVQ\tDX, R13\n\tMOVL\tg_spoor(DX), SI\n\tMOVL\tg_spoorDepth(DX), R10\n\tMOVQ\t$64, DI\n\tMOVQ\t$0, DX\n"+
				"\tMOVQ\t$0x5350f000, AX\n\tSYSCALL\n\tMOVQ\tR12, BX\n\tMOVQ\tR13, DX\n"),
		after("runtime/asm_amd64.s", "\nTEXT runtime·mcall<ABIInternal>(SB)", "\tMOVQ\tAX, DX\t// DX = fn\n",
			"\tMOVQ\tDX, R12\n"+markAMD64(65, 0)+"\tMOVQ\tR12, DX\n"),
		before("runtime/asm_amd64.s", "\nTEXT runtime·systemstack(SB)", "\tMOVQ\tDI, DX\n\tMOVQ\t0(DI), DI\n\tCALL\tDI\n",
			"\tMOVQ\tDI, R12\n"+markAMD64(66, 1)+"\tMOVQ\tR12, DI\n"),
		before("runtime/asm_amd64.s", "\nTEXT runtime·systemstack(SB)", "\tRET\n\nnoswitch:\n", markAMD64(66, 2)),
		before("runtime/asm_amd64.s", "\nTEXT runtime·morestack(SB)", "\tCALL\truntime·newstack(SB)\n", markAMD64(65, 0)),
	},
	"arm64": {
		before("runtime/asm_arm64.s", "\nTEXT runtime·gogo(SB)", "\tB\tgogo<>(SB)\n",
			"\tMOVWU\tg_spoor(R6), R1\n\tMOVWU\tg_spoorDepth(R6), R3\n\tMOVD\t$64, R0\n\tMOVD\t$0, R2\n\tMOVD\t$0x5350f000, R8\n\tSVC\n"),
		after("runtime/asm_arm64.s", "\nTEXT runtime·mcall<ABIInternal>(SB)", "\tMOVD\tR0, R26\t\t\t\t// context\n", markARM64(65, 0)),
		before("runtime/asm_arm64.s", "\nTEXT runtime·systemstack(SB)", "\tMOVD\t0(R26), R3\t// code pointer\n\tBL\t(R3)\n", markARM64(66, 1)),
		before("runtime/asm_arm64.s", "\nTEXT runtime·systemstack(SB)", "\tRET\n\nnoswitch:\n", markARM64(66, 2)),
		before("runtime/asm_arm64.s", "\nTEXT runtime·morestack(SB)", "\tBL\truntime·newstack(SB)\n", markARM64(65, 0)),
	},
}

func markAMD64(kind, phase int) string {
	return fmt.Sprintf("\tMOVQ\t$%d, DI\n\tMOVQ\t$%d, DX\n\tMOVQ\t$0x5350f000, AX\n\tSYSCALL\n", kind, phase)
}

func markARM64(kind, phase int) string {
	return fmt.Sprintf("\tMOVD\t$%d, R0\n\tMOVD\t$%d, R2\n\tMOVD\t$0x5350f000, R8\n\tSVC\n", kind, phase)
}

// apply returns the text with the replacement.
func (p patch) apply(text string) (string, error) {
	at := strings.Index(text, p.scope)
	if at < 0 || strings.Contains(text[at+1:], p.scope) {
		return "", fmt.Errorf("%s has no %q", p.file, strings.TrimSpace(p.scope))
	}
	rest := text[at:]
	if !strings.Contains(rest, p.old) {
		return "", fmt.Errorf("%s has no %q after %q", p.file, strings.TrimSpace(p.old), strings.TrimSpace(p.scope))
	}
	return text[:at] + strings.Replace(rest, p.old, p.text, 1), nil
}
