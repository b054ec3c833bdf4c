package du2000

// tpccOriginal marks items and stock whose data contains it.
const tpccOriginal = "ORIGINAL"

// tpccScreen is the screen of a terminal.
type tpccScreen struct {
	first, last                   [16]byte
	warehouse, district, customer tpccAddress
	balance, total                int64
	order, carrier, lines, low    int32
	line                          [tpccLines]tpccScreenLine
}

// tpccScreenLine is one line of an order on the screen.
type tpccScreenLine struct {
	name        [24]byte
	amount      int64
	item, stock int32
	original    bool
}

// newOrder enters an order [TPC-C, clause 2.4].
func (t *tpccTerminal) newOrder(in *tpccInput) {
	t.needDistrict(in.district)
	for l := range in.lines {
		t.needStock(in.line[l].supplier)
	}
	t.begin()
	var items [tpccLines]int32
	if t.findItems(in, &items) {
		t.enterOrder(in, &items)
	}
	t.commit()
}

// findItems finds the rows of the items of an order; it reports whether all exist.
func (t *tpccTerminal) findItems(in *tpccInput, items *[tpccLines]int32) bool {
	for l := range in.lines {
		row, ok := t.db.itemIndex[0].find(t.db.nodes, uint64(in.line[l].item))
		if !ok {
			return false
		}
		items[l] = row
	}
	return true
}

func (t *tpccTerminal) enterOrder(in *tpccInput, items *[tpccLines]int32) {
	db, nodes, d := &t.db, t.db.nodes, in.district
	district := &db.districts[d]
	number, row := district.nextOrder, district.orderRow
	district.nextOrder++
	district.orderRow++
	order := tpccOrder{number: number, customer: in.customer, lines: in.lines, entered: t.now, local: true}
	var total int64
	for l := range in.lines {
		total += t.enterLine(in, l, items[l], number)
		order.local = order.local && in.line[l].supplier == d/tpccDistricts
	}
	db.orders[row] = order
	db.index(d, tpccOrders).insert(nodes, uint64(number), row)
	db.index(d, tpccByCustomer).insert(nodes, orderByCustomer(in.customer, number), row)
	db.index(d, tpccUndelivered).insert(nodes, uint64(number), row)

	c, _ := db.index(d, tpccCustomers).find(nodes, uint64(in.customer))
	customer := &db.customers[c]
	tax := db.warehouses[d/tpccDistricts].tax + district.tax
	t.screen.total = total * int64(10000-customer.discount) / 10000 * int64(10000+tax) / 10000
	t.screen.last, t.screen.order, t.screen.lines = customer.last, number, in.lines
}

// enterLine enters one line, takes its items from stock and returns their price.
func (t *tpccTerminal) enterLine(in *tpccInput, l, itemRow, number int32) int64 {
	db, d, typed := &t.db, in.district, &in.line[l]
	item := &db.items[itemRow]
	s, _ := db.stockIndex[typed.supplier].find(db.nodes, uint64(typed.item))
	stock := &db.stock[s]
	stock.quantity -= typed.quantity
	if stock.quantity < 10 {
		stock.quantity += 91
	}
	stock.sold += typed.quantity
	stock.orders++
	if typed.supplier != d/tpccDistricts {
		stock.remote++
	}
	amount := int64(typed.quantity) * int64(item.price)
	district := &db.districts[d]
	row := district.lineRow
	district.lineRow++
	db.lines[row] = tpccOrderLine{order: number, line: l + 1, item: typed.item, supplier: typed.supplier,
		quantity: typed.quantity, amount: amount, delivered: notDelivered, info: stock.info[d%tpccDistricts]}
	db.index(d, tpccOrderLines).insert(db.nodes, orderLine(number, l+1), row)

	shown := &t.screen.line[l]
	shown.name, shown.amount, shown.item, shown.stock = item.name, amount, typed.item, stock.quantity
	shown.original = isOriginal(&item.data) && isOriginal(&stock.data)
	return amount
}

// isOriginal reports whether a text contains tpccOriginal.
func isOriginal(data *[50]byte) bool {
	pattern := [len(tpccOriginal)]byte{'O', 'R', 'I', 'G', 'I', 'N', 'A', 'L'}
	for i := 0; i <= len(data)-len(pattern); i++ {
		j := 0
		for j < len(pattern) && data[i+j] == pattern[j] {
			j++
		}
		if j == len(pattern) {
			return true
		}
	}
	return false
}

// customer returns the row of the customer in the input. For a last name, it is the middle one, rounded up, of all
// customers with this name, in the order of first names.
func (t *tpccTerminal) customer(in *tpccInput) int32 {
	db, d := &t.db, in.customerDistrict
	if in.customer != byFamily {
		row, _ := db.index(d, tpccCustomers).find(db.nodes, uint64(in.customer))
		return row
	}
	first := db.index(d, tpccFamilies).seek(db.nodes, uint64(in.family)<<32)
	count := 0
	for c := first; ; c = c.next(db.nodes) {
		key, _, ok := c.entry(db.nodes)
		if !ok || key>>32 != uint64(in.family) {
			break
		}
		count++
	}
	for range (count+1)/2 - 1 {
		first = first.next(db.nodes)
	}
	_, row, _ := first.entry(db.nodes)
	return row
}

// payment takes a payment in [TPC-C, clause 2.5].
func (t *tpccTerminal) payment(in *tpccInput) {
	db, w := &t.db, in.district/tpccDistricts
	t.needWarehouse(w)
	t.needDistrict(in.district)
	t.needDistrict(in.customerDistrict)
	t.begin()
	warehouse, district := &db.warehouses[w], &db.districts[in.district]
	customer := &db.customers[t.customer(in)]
	amount := int64(in.amount)
	warehouse.ytd += amount
	district.ytd += amount
	customer.balance -= amount
	customer.paid += amount
	customer.payments++
	if customer.badCredit {
		payment := [6]uint64{uint64(customer.number), uint64(in.customerDistrict % tpccDistricts),
			uint64(in.customerDistrict / tpccDistricts), uint64(in.district % tpccDistricts), uint64(w), uint64(amount)}
		for i := range customer.data {
			customer.data[i] += payment[i%len(payment)]
		}
	}
	db.history[t.paid] = tpccHistory{customer.number, in.customerDistrict, in.district, amount, t.now}
	t.paid++
	t.screen.first, t.screen.last, t.screen.balance = customer.first, customer.last, customer.balance
	t.screen.warehouse, t.screen.district, t.screen.customer = warehouse.address, district.address, customer.address
	t.commit()
}

// orderStatus shows the last order of a customer [TPC-C, clause 2.6].
func (t *tpccTerminal) orderStatus(in *tpccInput) {
	db, nodes, d := &t.db, t.db.nodes, in.district
	t.needDistrict(d)
	t.begin()
	customer := &db.customers[t.customer(in)]
	t.screen.first, t.screen.last, t.screen.balance = customer.first, customer.last, customer.balance
	_, row, _ := db.index(d, tpccByCustomer).seek(nodes, uint64(customer.number)<<32).entry(nodes)
	order := &db.orders[row]
	t.screen.order, t.screen.carrier, t.screen.lines = order.number, order.carrier, order.lines
	c := db.index(d, tpccOrderLines).seek(nodes, orderLine(order.number, 0))
	for l := range order.lines {
		_, row, _ := c.entry(nodes)
		line := &db.lines[row]
		t.screen.line[l].item, t.screen.line[l].amount = line.item, line.amount
		c = c.next(nodes)
	}
	t.commit()
}

// delivery delivers the oldest undelivered order of each of the rank's districts of one warehouse, district by
// district [TPC-C, clause 2.7].
func (t *tpccTerminal) delivery(in *tpccInput) {
	w := in.district / tpccDistricts
	for d := max(t.mine[0], w*tpccDistricts); d < min(t.mine[1], (w+1)*tpccDistricts); d++ {
		t.needDistrict(d)
		t.begin()
		t.deliver(d, in.carrier)
		t.commit()
	}
}

func (t *tpccTerminal) deliver(d, carrier int32) {
	db, nodes := &t.db, t.db.nodes
	undelivered := db.index(d, tpccUndelivered)
	number, _, ok := undelivered.seek(nodes, 0).entry(nodes)
	if !ok {
		return
	}
	undelivered.remove(nodes, number)
	row, _ := db.index(d, tpccOrders).find(nodes, number)
	order := &db.orders[row]
	order.carrier = carrier
	var sum int64
	c := db.index(d, tpccOrderLines).seek(nodes, orderLine(order.number, 0))
	for range order.lines {
		_, row, _ := c.entry(nodes)
		line := &db.lines[row]
		line.delivered = t.now
		sum += line.amount
		c = c.next(nodes)
	}
	row, _ = db.index(d, tpccCustomers).find(nodes, uint64(order.customer))
	customer := &db.customers[row]
	customer.balance += sum
	customer.deliveries++
}

// stockLevel counts the different items of the last 20 orders of a district whose stock is below the threshold
// [TPC-C, clause 2.8].
func (t *tpccTerminal) stockLevel(in *tpccInput) {
	db, nodes, d := &t.db, t.db.nodes, in.district
	w := d / tpccDistricts
	t.needStock(w)
	t.needDistrict(d)
	t.begin()
	low := int32(0)
	c := db.index(d, tpccOrderLines).seek(nodes, orderLine(max(db.districts[d].nextOrder-20, 0), 0))
	for ; ; c = c.next(nodes) {
		_, row, ok := c.entry(nodes)
		if !ok {
			break
		}
		item := db.lines[row].item
		if t.seen[item] == uint32(t.now) {
			continue
		}
		t.seen[item] = uint32(t.now)
		s, _ := db.stockIndex[w].find(nodes, uint64(item))
		if db.stock[s].quantity < in.threshold {
			low++
		}
	}
	t.screen.low = low
	t.commit()
}
