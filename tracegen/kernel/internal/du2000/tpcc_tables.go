package du2000

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
	"spoor/tracegen/spmd"
)

const (
	tpccDistricts = 10 // of a warehouse
	tpccLines     = 15 // of an order at most
)

type tpccSize struct{ warehouses, transactions, items, customers int }

// Tables [TPC-C, clause 1.3]. Money is in cents, rates in units of 1/10000. Warehouses, items and stock have
// numbers from 0. District d of warehouse w has number 10w+d. A customer has number c from 0 within the district.
// Orders and their lines have numbers from 1.
type (
	tpccAddress   [71]byte // two streets, city, state, zip
	tpccWarehouse struct {
		name    [10]byte
		address tpccAddress
		tax     int32
		ytd     int64
	}
	tpccDistrict struct {
		name      [10]byte
		address   tpccAddress
		tax       int32
		ytd       int64
		nextOrder int32
		orderRow  int32 // row of the next order and its lines
		lineRow   int32
	}
	tpccCustomer struct {
		first, last    [16]byte
		address        tpccAddress
		phone          [16]byte
		badCredit      bool
		discount       int32
		creditLimit    int64
		balance        int64
		paid           int64
		payments       int32
		deliveries     int32
		data           [62]uint64
		number, family int32 // c, and the number of the last name
	}
	tpccItem struct {
		name  [24]byte
		price int32
		data  [50]byte
	}
	tpccStock struct {
		quantity, sold, orders, remote int32
		info                           [tpccDistricts][24]byte
		data                           [50]byte
	}
	tpccOrder struct {
		number, customer, lines, carrier int32
		entered                          int64
		local                            bool
	}
	tpccOrderLine struct {
		order, line, item, supplier, quantity int32
		amount, delivered                     int64
		info                                  [24]byte
	}
	tpccHistory struct {
		customer, customerDistrict, district int32
		amount, date                         int64
	}
)

// notDelivered replaces the date of delivery.
const notDelivered = -1

// Indexes: one of all items, one of the stock of each warehouse, and in every district these, in this order.
const (
	tpccCustomers   = iota // by number
	tpccFamilies           // by family<<32 | position in the order of first names
	tpccOrders             // by number
	tpccByCustomer         // orders by customer<<32 | 2^32-1 - number: the latest one first
	tpccUndelivered        // New-Order rows, which have only a key: the order's number
	tpccOrderLines         // by order<<4 | line
	tpccIndexes
)

// tpccTables are all tables and indexes.
type tpccTables struct {
	warehouses []tpccWarehouse
	districts  []tpccDistrict
	customers  []tpccCustomer // of each district in turn
	items      []tpccItem
	stock      []tpccStock // of each warehouse in turn
	orders     []tpccOrder // room for those of each district
	lines      []tpccOrderLine
	history    []tpccHistory // room for those of each rank
	itemIndex  []btree
	stockIndex []btree
	indexes    []btree // of each district in turn
	nodes      []btreeNode
}

// place places the tables in the memory of all ranks.
func (t *tpccTables) place(r *spmd.Rank) tpccTables {
	return tpccTables{
		warehouses: spmd.Shared(r, "warehouses", t.warehouses),
		districts:  spmd.Shared(r, "districts", t.districts),
		customers:  spmd.Shared(r, "customers", t.customers),
		items:      spmd.Shared(r, "items", t.items),
		stock:      spmd.Shared(r, "stock", t.stock),
		orders:     spmd.Shared(r, "orders", t.orders),
		lines:      spmd.Shared(r, "order lines", t.lines),
		history:    spmd.Shared(r, "history", t.history),
		itemIndex:  spmd.Shared(r, "item index", t.itemIndex),
		stockIndex: spmd.Shared(r, "stock indexes", t.stockIndex),
		indexes:    spmd.Shared(r, "district indexes", t.indexes),
		nodes:      spmd.Shared(r, "index nodes", t.nodes),
	}
}

// index returns an index of a district.
func (t *tpccTables) index(district int32, which int32) *btree {
	return &t.indexes[district*tpccIndexes+which]
}

func orderByCustomer(customer, order int32) uint64 {
	return uint64(customer)<<32 | (1<<32 - 1 - uint64(order))
}
func orderLine(order, line int32) uint64 { return uint64(order)<<4 | uint64(line) }

// tpccPopulate fills the tables [TPC-C, clause 4.3.3], with room for the rows that the terminals will enter.
func tpccPopulate(size tpccSize, inputs [][]tpccInput, seed uint64) tpccTables {
	p := &tpccPopulation{size: size, rng: workload.Generator(seed)}
	t := &p.t
	t.history = make([]tpccHistory, len(inputs)*size.transactions)
	t.itemIndex = append(t.itemIndex, p.newIndex(size.items))
	for i := range size.items {
		p.addItem(int32(i))
	}
	orders, lines := tpccEntered(size, inputs)
	for w := range size.warehouses {
		t.warehouses = append(t.warehouses, tpccWarehouse{tax: p.rng.Int32N(2001), ytd: tpccDistricts * 3000000})
		p.letters(t.warehouses[w].name[:], t.warehouses[w].address[:])
		t.stockIndex = append(t.stockIndex, p.newIndex(size.items))
		for i := range size.items {
			p.addStock(int32(w), int32(i))
		}
		for d := w * tpccDistricts; d < (w+1)*tpccDistricts; d++ {
			p.addDistrict(int32(d), orders[d], lines[d])
		}
	}
	return p.t
}

// tpccEntered returns the number of orders and order lines that the terminals enter in each district.
func tpccEntered(size tpccSize, inputs [][]tpccInput) (orders, lines []int) {
	orders, lines = make([]int, size.warehouses*tpccDistricts), make([]int, size.warehouses*tpccDistricts)
	for _, terminal := range inputs {
		for _, in := range terminal {
			if in.kind == tpccNewOrder {
				orders[in.district]++
				lines[in.district] += int(in.lines)
			}
		}
	}
	return orders, lines
}

// tpccPopulation is the tables while they are filled.
type tpccPopulation struct {
	t    tpccTables
	size tpccSize
	rng  *rand.Rand
}

// letters fills texts with random letters.
func (p *tpccPopulation) letters(texts ...[]byte) {
	for _, text := range texts {
		for i := range text {
			text[i] = 'a' + byte(p.rng.Uint32()%26)
		}
	}
}

// markOriginal writes ORIGINAL into one text of ten.
func (p *tpccPopulation) markOriginal(data []byte) {
	if p.rng.IntN(10) == 0 {
		copy(data[p.rng.IntN(len(data)-len(tpccOriginal)):], tpccOriginal)
	}
}

// newIndex returns an empty index with room for the given number of keys.
func (p *tpccPopulation) newIndex(keys int) btree {
	first := len(p.t.nodes)
	p.t.nodes = append(p.t.nodes, make([]btreeNode, btreeNodes(keys))...)
	return newBTree(p.t.nodes, first, len(p.t.nodes))
}

func (p *tpccPopulation) addItem(i int32) {
	item := tpccItem{price: 100 + p.rng.Int32N(9901)}
	p.letters(item.name[:], item.data[:])
	p.markOriginal(item.data[:])
	p.t.items = append(p.t.items, item)
	p.t.itemIndex[0].insert(p.t.nodes, uint64(i), i)
}

func (p *tpccPopulation) addStock(w, i int32) {
	s := tpccStock{quantity: 10 + p.rng.Int32N(91)}
	for d := range s.info {
		p.letters(s.info[d][:])
	}
	p.letters(s.data[:])
	p.markOriginal(s.data[:])
	p.t.stockIndex[w].insert(p.t.nodes, uint64(i), int32(len(p.t.stock)))
	p.t.stock = append(p.t.stock, s)
}

// addDistrict makes a district with its customers, and one order of each customer.
func (p *tpccPopulation) addDistrict(d int32, orders, lines int) {
	t, customers := &p.t, p.size.customers
	for _, keys := range [tpccIndexes]int{tpccCustomers: customers, tpccFamilies: customers,
		tpccOrders: customers + orders, tpccByCustomer: customers + orders,
		tpccUndelivered: customers + orders, tpccOrderLines: customers*tpccLines + lines} {
		t.indexes = append(t.indexes, p.newIndex(keys))
	}
	row := tpccDistrict{tax: p.rng.Int32N(2001), ytd: 3000000, nextOrder: int32(customers) + 1,
		orderRow: int32(len(t.orders)), lineRow: int32(len(t.lines))}
	p.letters(row.name[:], row.address[:])
	p.addCustomers(d)
	for i, c := range p.rng.Perm(customers) {
		p.addOrder(d, &row, int32(i)+1, int32(c))
	}
	t.orders = append(t.orders, make([]tpccOrder, orders)...)
	t.lines = append(t.lines, make([]tpccOrderLine, lines)...)
	t.districts = append(t.districts, row)
}

func (p *tpccPopulation) addCustomers(d int32) {
	t, first := &p.t, len(p.t.customers)
	families := tpccFamilyCount(p.size.customers)
	for c := range int32(p.size.customers) {
		row := tpccCustomer{number: c, family: c, badCredit: p.rng.IntN(10) == 0, discount: p.rng.Int32N(5001),
			creditLimit: 5000000, balance: -1000, paid: 1000, payments: 1}
		if c >= families {
			row.family = tpccNonUniform(p.rng, tpccFamilyA, 1000, families)
		}
		copy(row.last[:], tpccLastName(row.family))
		p.letters(row.first[:], row.address[:], row.phone[:])
		for i := range row.data {
			row.data[i] = p.rng.Uint64()
		}
		t.index(d, tpccCustomers).insert(t.nodes, uint64(c), int32(len(t.customers)))
		t.customers = append(t.customers, row)
	}
	names := make([]int32, p.size.customers)
	for i := range names {
		names[i] = int32(first + i)
	}
	slices.SortFunc(names, func(a, b int32) int {
		return cmp.Or(slices.Compare(t.customers[a].first[:], t.customers[b].first[:]), cmp.Compare(a, b))
	})
	for place, row := range names {
		t.index(d, tpccFamilies).insert(t.nodes, uint64(t.customers[row].family)<<32|uint64(place), row)
	}
}

// addOrder makes an order that was entered before the run. The first seven tenths of orders have been delivered.
func (p *tpccPopulation) addOrder(d int32, district *tpccDistrict, number, customer int32) {
	t := &p.t
	delivered := int(number) <= p.size.customers*7/10
	order := tpccOrder{number: number, customer: customer, lines: 5 + p.rng.Int32N(tpccLines-4), local: true}
	if delivered {
		order.carrier = 1 + p.rng.Int32N(10)
	} else {
		t.index(d, tpccUndelivered).insert(t.nodes, uint64(number), 0)
	}
	t.index(d, tpccOrders).insert(t.nodes, uint64(number), int32(len(t.orders)))
	t.index(d, tpccByCustomer).insert(t.nodes, orderByCustomer(customer, number), int32(len(t.orders)))
	t.orders = append(t.orders, order)
	for l := int32(1); l <= order.lines; l++ {
		line := tpccOrderLine{order: number, line: l, item: p.rng.Int32N(int32(p.size.items)), supplier: d / tpccDistricts, quantity: 5}
		p.letters(line.info[:])
		if !delivered {
			line.delivered = notDelivered
			line.amount = 1 + p.rng.Int64N(999999)
		}
		t.index(d, tpccOrderLines).insert(t.nodes, orderLine(number, l), int32(len(t.lines)))
		t.lines = append(t.lines, line)
	}
	district.orderRow, district.lineRow = int32(len(t.orders)), int32(len(t.lines))
}
