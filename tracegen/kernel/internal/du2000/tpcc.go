package du2000

import (
	"fmt"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

// TPCC runs transactions like those of TPC-C [TPC benchmark C, standard specification, rev. 5.11, Transaction
// Processing Performance Council, 2010; du2000, sec. 5]: New-Order, Payment, Order-Status, Delivery and
// Stock-Level, with shares of 45, 43, 4, 4 and 4 %. All ranks share the tables in memory. Rows have the columns and
// about the sizes of the specification (clause 1.3). The indexes are B+-trees. There are no barriers.
//
// Each rank is a terminal. The districts, 10 of each warehouse, are partitioned contiguously among the ranks. A
// rank enters and delivers the orders of its own districts. Its payments and queries concern customers of all
// districts of those warehouses. One item in 100 comes from another warehouse, and 15 payments in 100 are of
// customers of another. The input of the terminals is made before the run.
//
// A transaction takes all its locks before it begins, in ascending order of lock numbers, and releases them at its
// end. Each of the W warehouses has a lock for its row (w) and one for its stock (W+w). Each district has one for
// its row with its customers, its orders and their indexes (2W+10w+d). A Delivery is one transaction in each
// district. Items, and the indexes of items, stock and customers, do not change.
//
// The tables after the run do not depend on the order of transactions of different ranks, because changes of the
// same row commute (sums of integers; the stock of an item modulo 91). The contents of screens do depend on it, and
// are not part of the result.
//
// [du2000] has 625,000 instructions in each transaction, those of a complete database server. Here, a transaction
// has some 16,000 instructions. It only accesses tables and indexes, without a query language, buffer manager, log,
// disk or network.
//
// Differs: sizes are scaled down, and non-uniform random numbers with them. A Delivery visits its rank's districts
// of the warehouse; that is all of them if a rank has the whole warehouse. C_DATA of a customer with bad credit is
// the sum of the payments' data, not their text in order. An order with an unknown item is detected before anything
// is written, so rolling back writes nothing. Dates are numbers of transactions.
var TPCC = workload.Kernel{
	Name: "tpcc", Paper: "du2000",
	Doc: "TPC-C-like transactions over tables in memory with B+-tree indexes",
	Params: []workload.Param{
		{Name: "warehouses", Default: 4, Min: 1, Max: 100, Doc: "warehouses of 10 districts; procs is at most the number of districts"},
		{Name: "transactions", Default: 2000, Min: 0, Max: 100000, Doc: "transactions of each rank"},
		{Name: "items", Default: 10000, Min: 1, Max: 100000, Doc: "items, each in stock in every warehouse; 100000 in TPC-C"},
		{Name: "customers", Default: 300, Min: 1, Max: 3000, Doc: "customers of each district, of whom each has an order at first; 3000 in TPC-C"},
	},
	Small: workload.Values{"warehouses": 1, "transactions": 100, "items": 200, "customers": 30},
	Procs: func(v workload.Values, procs int) error {
		if most := v["warehouses"] * tpccDistricts; procs > most {
			return fmt.Errorf("procs=%d is out of range; at most %d, the number of districts", procs, most)
		}
		return nil
	},
	Make: newTPCC,
}

type tpcc struct {
	procs   int
	size    tpccSize
	seed    uint64
	tables  tpccTables
	inputs  [][]tpccInput // of each rank
	screens [][]tpccScreen
}

func newTPCC(v workload.Values, procs int, seed uint64) workload.Instance {
	f := &tpcc{procs: procs, seed: seed,
		size: tpccSize{v["warehouses"], v["transactions"], v["items"], v["customers"]}}
	for rank := range procs {
		f.inputs = append(f.inputs, tpccInputs(f.size, procs, rank, seed))
		f.screens = append(f.screens, make([]tpccScreen, 1))
	}
	f.tables = tpccPopulate(f.size, f.inputs, seed)
	return f
}

// tpccTerminal is a rank with the data of its transactions.
type tpccTerminal struct {
	rank   *spmd.Rank
	db     tpccTables
	w      int32    // number of warehouses
	mine   [2]int32 // districts lo..hi-1 of all
	now    int64    // number of the transaction
	held   [tpccLines + 2]int32
	locks  int
	paid   int32    // next row of the history
	seen   []uint32 // by item: the last transaction that counted it
	screen *tpccScreen
}

// Program runs the transactions of a terminal.
func (f *tpcc) Program(r *spmd.Rank) error {
	id := r.ID()
	lo, hi := r.Share(f.size.warehouses * tpccDistricts)
	term := &tpccTerminal{rank: r, db: f.tables.place(r), w: int32(f.size.warehouses),
		mine: [2]int32{int32(lo), int32(hi)}, paid: int32(id * f.size.transactions),
		seen:   spmd.Private(r, "seen", make([]uint32, f.size.items)),
		screen: &spmd.Private(r, "screen", f.screens[id])[0]}
	inputs := spmd.Private(r, "inputs", f.inputs[id])
	for i := range inputs {
		term.now++
		term.run(&inputs[i])
	}
	return nil
}

// run carries out one transaction.
func (t *tpccTerminal) run(in *tpccInput) {
	switch in.kind {
	case tpccNewOrder:
		t.newOrder(in)
	case tpccPayment:
		t.payment(in)
	case tpccOrderStatus:
		t.orderStatus(in)
	case tpccDelivery:
		t.delivery(in)
	case tpccStockLevel:
		t.stockLevel(in)
	}
}

// addLock adds a lock to those of the transaction, in ascending order.
func (t *tpccTerminal) addLock(lock int32) {
	i := t.locks
	for i > 0 && t.held[i-1] > lock {
		i--
	}
	if i > 0 && t.held[i-1] == lock {
		return
	}
	for j := t.locks; j > i; j-- {
		t.held[j] = t.held[j-1]
	}
	t.held[i] = lock
	t.locks++
}

func (t *tpccTerminal) needWarehouse(w int32) { t.addLock(w) }
func (t *tpccTerminal) needStock(w int32)     { t.addLock(t.w + w) }
func (t *tpccTerminal) needDistrict(d int32)  { t.addLock(2*t.w + d) }

// begin takes the locks of the transaction.
func (t *tpccTerminal) begin() {
	for i := range t.locks {
		t.rank.Lock(t.held[i])
	}
}

// commit releases the locks.
func (t *tpccTerminal) commit() {
	for ; t.locks > 0; t.locks-- {
		t.rank.Unlock(t.held[t.locks-1])
	}
}

// Counts predicts that there are no barriers.
func (f *tpcc) Counts() workload.Counts { return workload.Counts{} }
