package du2000

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"spoor/tracegen/kernel/internal/workload"
)

// Verify checks the consistency conditions 1 to 4 of the specification [TPC-C, clause 3.3.2]. It also compares the
// tables, read through their indexes, with those after a naive execution of the same transactions, rank by rank.
func (f *tpcc) Verify() error {
	serial := newTPCCSerial(f)
	for rank, inputs := range f.inputs {
		for i := range inputs {
			serial.run(rank, int64(i)+1, &inputs[i])
		}
	}
	for w := range f.tables.warehouses {
		if err := f.checkWarehouse(w, serial); err != nil {
			return fmt.Errorf("warehouse %d: %w", w, err)
		}
	}
	for d := range f.tables.districts {
		if err := f.checkDistrict(int32(d), serial); err != nil {
			return fmt.Errorf("district %d of warehouse %d: %w", d%tpccDistricts, d/tpccDistricts, err)
		}
	}
	for rank, rows := range serial.history {
		if first := rank * f.size.transactions; !slices.Equal(f.tables.history[first:first+len(rows)], rows) {
			return fmt.Errorf("the payments of rank %d differ from those of the naive run", rank)
		}
	}
	return nil
}

// checkWarehouse checks a warehouse, its stock and condition 1.
func (f *tpcc) checkWarehouse(w int, serial *tpccSerial) error {
	t := &f.tables
	var ytd int64
	for d := w * tpccDistricts; d < (w+1)*tpccDistricts; d++ {
		ytd += t.districts[d].ytd
	}
	if got := t.warehouses[w].ytd; got != ytd { // condition 1
		return fmt.Errorf("took %d in, its districts %d", got, ytd)
	}
	if t.warehouses[w] != serial.warehouses[w] {
		return fmt.Errorf("took %d in, naively %d", t.warehouses[w].ytd, serial.warehouses[w].ytd)
	}
	for i := range f.size.items {
		row, ok := t.stockIndex[w].find(t.nodes, uint64(i))
		if want := w*f.size.items + i; !ok || int(row) != want || t.stock[row] != serial.stock[want] {
			return fmt.Errorf("stock of item %d is not what it is naively", i)
		}
	}
	return nil
}

// checkDistrict checks a district, its customers and orders and conditions 2 to 4.
func (f *tpcc) checkDistrict(d int32, serial *tpccSerial) error {
	t := &f.tables
	orders, lines, undelivered := t.contents(d)
	last, next := len(orders), int(t.districts[d].nextOrder)
	if last != next-1 || last > 0 && int(orders[last-1].number) != last { // condition 2
		return fmt.Errorf("the next order is %d after %d orders", next, last)
	}
	if n := len(undelivered); n > 0 && (undelivered[n-1] != uint64(last) || undelivered[n-1]-undelivered[0]+1 != uint64(n)) { // 2, 3
		return fmt.Errorf("%d orders from %d to %d are not delivered, of %d", n, undelivered[0], undelivered[n-1], last)
	}
	sum := 0
	for _, order := range orders {
		sum += int(order.lines)
	}
	if sum != len(lines) { // condition 4
		return fmt.Errorf("orders have %d lines, of which there are %d", sum, len(lines))
	}
	s := &serial.districts[d]
	switch {
	case t.districts[d].ytd != s.row.ytd:
		return fmt.Errorf("took %d in, naively %d", t.districts[d].ytd, s.row.ytd)
	case !slices.Equal(orders, s.orders):
		return fmt.Errorf("its orders are not what they are naively")
	case !slices.Equal(lines, slices.Concat(s.lines...)):
		return fmt.Errorf("its order lines are not what they are naively")
	case !slices.Equal(undelivered, s.undelivered):
		return fmt.Errorf("its orders to be delivered are not what they are naively")
	}
	for c := range int32(f.size.customers) {
		row, ok := t.index(d, tpccCustomers).find(t.nodes, uint64(c))
		if want := int(d)*f.size.customers + int(c); !ok || int(row) != want || t.customers[row] != serial.customers[want] {
			return fmt.Errorf("customer %d is not what it is naively", c)
		}
	}
	return nil
}

// contents returns the orders, order lines and undelivered orders of a district, in the order of their indexes.
func (t *tpccTables) contents(d int32) (orders []tpccOrder, lines []tpccOrderLine, undelivered []uint64) {
	t.walk(d, tpccOrders, func(_ uint64, row int32) { orders = append(orders, t.orders[row]) })
	t.walk(d, tpccOrderLines, func(_ uint64, row int32) { lines = append(lines, t.lines[row]) })
	t.walk(d, tpccUndelivered, func(key uint64, _ int32) { undelivered = append(undelivered, key) })
	return orders, lines, undelivered
}

// walk calls visit for every entry of an index in order.
func (t *tpccTables) walk(d, which int32, visit func(key uint64, row int32)) {
	for c := t.index(d, which).seek(t.nodes, 0); ; c = c.next(t.nodes) {
		key, row, ok := c.entry(t.nodes)
		if !ok {
			return
		}
		visit(key, row)
	}
}

// Digest covers the columns that transactions change, and all new rows.
func (f *tpcc) Digest() string {
	t := &f.tables
	var values []int64
	for _, w := range t.warehouses {
		values = append(values, w.ytd)
	}
	for d := range int32(len(t.districts)) {
		values = append(values, t.districts[d].ytd)
		t.walk(d, tpccByCustomer, func(_ uint64, row int32) {
			o := t.orders[row]
			values = append(values, int64(o.number), int64(o.customer), int64(o.lines), int64(o.carrier), o.entered)
		})
		t.walk(d, tpccOrderLines, func(_ uint64, row int32) {
			l := t.lines[row]
			values = append(values, int64(l.order), int64(l.item), int64(l.supplier), int64(l.quantity), l.amount, l.delivered)
		})
		t.walk(d, tpccUndelivered, func(key uint64, _ int32) { values = append(values, int64(key)) })
	}
	for _, c := range t.customers {
		values = append(values, c.balance, c.paid, int64(c.payments), int64(c.deliveries))
		for _, word := range c.data {
			values = append(values, int64(word))
		}
	}
	for _, s := range t.stock {
		values = append(values, int64(s.quantity), int64(s.sold), int64(s.orders), int64(s.remote))
	}
	for _, h := range t.history {
		values = append(values, int64(h.customer), int64(h.customerDistrict), int64(h.district), h.amount, h.date)
	}
	return workload.Digest(values)
}

// tpccSerial is the tables without indexes.
type tpccSerial struct {
	size       tpccSize
	procs      int
	warehouses []tpccWarehouse
	districts  []tpccSerialDistrict
	customers  []tpccCustomer
	items      []tpccItem
	stock      []tpccStock
	history    [][]tpccHistory // of each rank
}

type tpccSerialDistrict struct {
	row         tpccDistrict
	orders      []tpccOrder // order n at n-1
	lines       [][]tpccOrderLine
	undelivered []uint64
}

// newTPCCSerial returns the tables before the run.
func newTPCCSerial(f *tpcc) *tpccSerial {
	t := tpccPopulate(f.size, f.inputs, f.seed)
	s := &tpccSerial{f.size, f.procs, t.warehouses, nil, t.customers, t.items, t.stock, make([][]tpccHistory, f.procs)}
	for _, row := range t.districts {
		d := tpccSerialDistrict{row: row, orders: slices.Clone(t.orders[int(row.orderRow)-f.size.customers : row.orderRow])}
		end := row.lineRow
		for _, order := range slices.Backward(d.orders) {
			d.lines = append(d.lines, t.lines[end-order.lines:end])
			end -= order.lines
			if order.carrier == 0 {
				d.undelivered = append(d.undelivered, uint64(order.number))
			}
		}
		slices.Reverse(d.lines)
		slices.Reverse(d.undelivered)
		s.districts = append(s.districts, d)
	}
	return s
}

// run executes one transaction. It skips those that change nothing.
func (s *tpccSerial) run(rank int, now int64, in *tpccInput) {
	switch in.kind {
	case tpccNewOrder:
		if in.line[in.lines-1].item < int32(s.size.items) {
			s.enter(now, in)
		}
	case tpccPayment:
		s.pay(rank, now, in)
	case tpccDelivery:
		for d := range s.districts {
			mine := (len(s.districts)*rank/s.procs <= d) && d < len(s.districts)*(rank+1)/s.procs
			if mine && d/tpccDistricts == int(in.district)/tpccDistricts {
				s.deliver(&s.districts[d], d*s.size.customers, now, in.carrier)
			}
		}
	}
}

func (s *tpccSerial) enter(now int64, in *tpccInput) {
	d, home := &s.districts[in.district], in.district/tpccDistricts
	number := int32(len(d.orders)) + 1
	order := tpccOrder{number, in.customer, in.lines, 0, now, true}
	var lines []tpccOrderLine
	for i, l := range in.line[:in.lines] {
		stock := &s.stock[int(l.supplier)*s.size.items+int(l.item)]
		stock.quantity = 10 + (stock.quantity-10-l.quantity+91)%91
		stock.sold += l.quantity
		stock.orders++
		if l.supplier != home {
			stock.remote++
			order.local = false
		}
		lines = append(lines, tpccOrderLine{number, int32(i) + 1, l.item, l.supplier, l.quantity,
			int64(l.quantity) * int64(s.items[l.item].price), notDelivered, stock.info[in.district%tpccDistricts]})
	}
	d.orders, d.lines, d.undelivered = append(d.orders, order), append(d.lines, lines), append(d.undelivered, uint64(number))
}

func (s *tpccSerial) pay(rank int, now int64, in *tpccInput) {
	amount, home := int64(in.amount), in.district/tpccDistricts
	s.warehouses[home].ytd += amount
	s.districts[in.district].row.ytd += amount
	c := s.customer(in)
	c.balance -= amount
	c.paid += amount
	c.payments++
	if c.badCredit {
		for i := range c.data {
			c.data[i] += [6]uint64{uint64(c.number), uint64(in.customerDistrict % tpccDistricts), uint64(in.customerDistrict / tpccDistricts),
				uint64(in.district % tpccDistricts), uint64(home), uint64(amount)}[i%6]
		}
	}
	s.history[rank] = append(s.history[rank], tpccHistory{c.number, in.customerDistrict, in.district, amount, now})
}

// customer returns the customer in the input.
func (s *tpccSerial) customer(in *tpccInput) *tpccCustomer {
	all := s.customers[int(in.customerDistrict)*s.size.customers:][:s.size.customers]
	if in.customer != byFamily {
		return &all[in.customer]
	}
	var named []*tpccCustomer
	for i := range all {
		if all[i].family == in.family {
			named = append(named, &all[i])
		}
	}
	slices.SortFunc(named, func(a, b *tpccCustomer) int {
		return cmp.Or(bytes.Compare(a.first[:], b.first[:]), cmp.Compare(a.number, b.number))
	})
	return named[(len(named)+1)/2-1]
}

func (s *tpccSerial) deliver(d *tpccSerialDistrict, firstCustomer int, now int64, carrier int32) {
	if len(d.undelivered) == 0 {
		return
	}
	order := &d.orders[d.undelivered[0]-1]
	d.undelivered = d.undelivered[1:]
	order.carrier = carrier
	customer := &s.customers[firstCustomer+int(order.customer)]
	customer.deliveries++
	for i := range d.lines[order.number-1] {
		line := &d.lines[order.number-1][i]
		line.delivered = now
		customer.balance += line.amount
	}
}
