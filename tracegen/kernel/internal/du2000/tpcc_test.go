package du2000

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"spoor/tracegen/kernel/internal/kerneltest"
	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

var tpccSizes = []workload.Values{
	{"warehouses": 2, "transactions": 0, "items": 1, "customers": 1},
	{"warehouses": 2, "transactions": 60, "items": 1, "customers": 1},
	{"warehouses": 2, "transactions": 120, "items": 150, "customers": 30},
	{"warehouses": 3, "transactions": 80, "items": 40, "customers": 9},
}

func spoilTPCC(inst workload.Instance) {
	f := inst.(*tpcc)
	f.tables.stock[17].sold++
}

// TestTPCCVerifyFindsInconsistency breaks each of the four conditions, an index
// and a row of each table.
func TestTPCCVerifyFindsInconsistency(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*tpccTables)
		want  string
	}{
		"condition 1": {func(t *tpccTables) { t.districts[3].ytd += 5 }, "its districts"},
		"condition 2": {func(t *tpccTables) { t.districts[3].nextOrder++ }, "the next order is"},
		"condition 3": {func(t *tpccTables) {
			n, _, _ := t.index(3, tpccUndelivered).seek(t.nodes, 0).entry(t.nodes)
			t.index(3, tpccUndelivered).remove(t.nodes, n+1)
		}, "are not delivered"},
		"condition 4": {func(t *tpccTables) { t.index(3, tpccOrderLines).remove(t.nodes, orderLine(2, 4)) }, "lines, of which"},
		"stock":       {func(t *tpccTables) { t.stock[1].info[2][3]++ }, "stock of item 1"},
		"customer":    {func(t *tpccTables) { t.customers[33].balance-- }, "customer 3"},
		"order":       {func(t *tpccTables) { t.orders[40].carrier++ }, "its orders"},
		"line":        {func(t *tpccTables) { t.lines[9].amount++ }, "its order lines"},
		"history":     {func(t *tpccTables) { t.history[0].amount-- }, "the payments of rank 0"},
	} {
		t.Run(name, func(t *testing.T) {
			f := kerneltest.Instance(t, TPCC, tpccSizes[2], 4).(*tpcc)
			if err := spmd.Native(context.Background(), 4, f.Program); err != nil {
				t.Fatal(err)
			}
			if err := f.Verify(); err != nil {
				t.Fatal(err)
			}
			c.spoil(&f.tables)
			if err := f.Verify(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestTPCCNonUniformIsTheSpecifications, value by value, at its own sizes: A of clause
// 2.1.6, and numbers of the customers' and the items' range.
func TestTPCCNonUniformIsTheSpecifications(t *testing.T) {
	for _, c := range []struct{ a, full int }{{255, 1000}, {1023, 3000}, {8191, 100000}} {
		t.Run(fmt.Sprint(c.a), func(t *testing.T) {
			one, two := rand.New(rand.NewPCG(1, 1)), rand.New(rand.NewPCG(1, 1))
			for range 1000 {
				want := (one.Int32N(int32(c.a)+1) | one.Int32N(int32(c.full)) + 0) // Go's | and + bind alike: see below
				want = (want + tpccC) % int32(c.full)
				if got := tpccNonUniform(two, c.a, c.full, int32(c.full)); got != want {
					t.Fatalf("A=%d: %d, want %d", c.a, got, want)
				}
			}
		})
	}
}

func TestTPCCMixIsTheSpecifications(t *testing.T) {
	count := map[uint8]int{}
	for number := range 100 {
		count[tpccKind(number)]++
	}
	for kind, want := range map[uint8]int{tpccNewOrder: 45, tpccPayment: 43, tpccOrderStatus: 4, tpccDelivery: 4, tpccStockLevel: 4} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			if count[kind] != want {
				t.Errorf("%d in 100 transactions of kind %d, want %d", count[kind], kind, want)
			}
		})
	}
}

func TestTPCCLastNameIsTheSpecifications(t *testing.T) {
	if got := tpccLastName(371); got != "PRICALLYOUGHT" { // [TPC-C, clause 4.3.2.3]
		t.Errorf("number 371 is %s", got)
	}
}
