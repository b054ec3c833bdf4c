package du2000

import (
	"math/bits"
	"math/rand/v2"

	"spoor/tracegen/spmd"
)

// The kinds of transactions.
const (
	tpccNewOrder uint8 = 1 + iota
	tpccPayment
	tpccOrderStatus
	tpccDelivery
	tpccStockLevel
)

// tpccMix has the percentage of each kind of transaction: for the last four, the minimum of the specification
// [TPC-C, clause 5.2.3].
var tpccMix = []struct {
	kind uint8
	of   int
}{{tpccNewOrder, 45}, {tpccPayment, 43}, {tpccOrderStatus, 4}, {tpccDelivery, 4}, {tpccStockLevel, 4}}

// tpccInput is the terminal input of one transaction [TPC-C, clause 2].
type tpccInput struct {
	kind             uint8
	district         int32 // 10w+d
	customerDistrict int32
	customer         int32 // number, or byFamily
	family           int32
	amount           int32 // of a payment, in cents
	carrier          int32
	threshold        int32
	lines            int32
	line             [tpccLines]tpccInputLine
}

// tpccInputLine is one line of a new order.
type tpccInputLine struct{ item, supplier, quantity int32 }

// byFamily replaces a customer's number if the last name is given.
const byFamily = -1

// Ranges A of non-uniform random numbers in the specification [clause 2.1.6].
const (
	tpccFamilyA   = 255  // of 1000 last names
	tpccCustomerA = 1023 // of 3000 customers
	tpccItemA     = 8191 // of 100000 items
)

// tpccC is the constant C of non-uniform random numbers.
const tpccC = 123

// tpccNonUniform returns NURand(A, 0, n-1) [clause 2.1.6]. A is that for full numbers, scaled to n and rounded to
// the nearest power of 2, minus 1.
func tpccNonUniform(rng *rand.Rand, a, full int, n int32) int32 {
	part := (a + 1) * int(n) * 3 / 2 / full // floor(log2 3x/2) is approximately log2 x, rounded
	scaled := int32(1)<<max(bits.Len(uint(part))-1, 0) - 1
	return ((rng.Int32N(scaled+1) | rng.Int32N(n)) + tpccC) % n
}

// tpccFamilyCount returns the number of last names of the customers of a district, a third of the number of
// customers.
func tpccFamilyCount(customers int) int32 { return int32(customers+2) / 3 }

// tpccLastName returns three syllables for the digits of number [clause 4.3.2.3].
func tpccLastName(number int32) string {
	syllables := [10]string{"BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"}
	return syllables[number/100%10] + syllables[number/10%10] + syllables[number%10]
}

// tpccInputs returns the input of one terminal.
func tpccInputs(size tpccSize, procs, rank int, seed uint64) []tpccInput {
	rng := rand.New(rand.NewPCG(seed, 1+uint64(rank))) // the tables use stream 0
	lo, hi := spmd.Share(size.warehouses*tpccDistricts, procs, rank)
	inputs := make([]tpccInput, size.transactions)
	for i := range inputs {
		in := &inputs[i]
		in.kind = tpccKind(rng.IntN(100))
		in.district = int32(lo + rng.IntN(hi-lo))
		in.customerDistrict = in.district
		switch in.kind {
		case tpccNewOrder:
			in.customer = tpccNonUniform(rng, tpccCustomerA, 3000, int32(size.customers))
			typeLines(rng, size, in)
		case tpccPayment:
			in.amount = 100 + rng.Int32N(500000-99)
			home := in.district / tpccDistricts
			in.district = home*tpccDistricts + rng.Int32N(tpccDistricts)
			in.customerDistrict = in.district
			if other := otherWarehouse(rng, size, home, 15); other != home {
				in.customerDistrict = other*tpccDistricts + rng.Int32N(tpccDistricts)
			}
			typeCustomer(rng, size, in)
		case tpccOrderStatus:
			in.district -= in.district%tpccDistricts - rng.Int32N(tpccDistricts)
			in.customerDistrict = in.district
			typeCustomer(rng, size, in)
		case tpccDelivery:
			in.carrier = 1 + rng.Int32N(10)
		case tpccStockLevel:
			in.threshold = 10 + rng.Int32N(11)
		}
	}
	return inputs
}

// tpccKind returns the kind of transaction for a number from 0 to 99.
func tpccKind(number int) uint8 {
	for _, m := range tpccMix {
		if number < m.of {
			return m.kind
		}
		number -= m.of
	}
	return 0
}

// otherWarehouse returns home or, inHundred times in a hundred, another warehouse if there is one.
func otherWarehouse(rng *rand.Rand, size tpccSize, home int32, inHundred int) int32 {
	if rng.IntN(100) >= inHundred || size.warehouses == 1 {
		return home
	}
	return (home + 1 + rng.Int32N(int32(size.warehouses)-1)) % int32(size.warehouses)
}

// typeCustomer chooses a customer, 60 times in a hundred by last name.
func typeCustomer(rng *rand.Rand, size tpccSize, in *tpccInput) {
	in.customer = byFamily
	if rng.IntN(100) < 60 {
		in.family = tpccNonUniform(rng, tpccFamilyA, 1000, tpccFamilyCount(size.customers))
	} else {
		in.customer = tpccNonUniform(rng, tpccCustomerA, 3000, int32(size.customers))
	}
}

// typeLines chooses the items of an order. In one order of a hundred, the last item does not exist.
func typeLines(rng *rand.Rand, size tpccSize, in *tpccInput) {
	in.lines = 5 + rng.Int32N(tpccLines-4)
	for l := range in.lines {
		in.line[l] = tpccInputLine{item: tpccNonUniform(rng, tpccItemA, 100000, int32(size.items)),
			supplier: otherWarehouse(rng, size, in.district/tpccDistricts, 1), quantity: 1 + rng.Int32N(10)}
	}
	if rng.IntN(100) == 0 {
		in.line[in.lines-1].item = int32(size.items)
	}
}
