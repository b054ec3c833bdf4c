// Tables are sorted by the buttons in their heads: numbers as numbers, texts as texts.

const sortable = table => {
	const heads = [...table.tHead.rows[0].cells];
	const span = heads.map(h => h.colSpan || 1);
	if (span.some(n => n > 1)) return;
	heads.forEach((head, column) => {
		const b = element("button", { type: "button", class: "sort" }, ...head.childNodes);
		head.append(b);
		b.addEventListener("click", () => {
			const down = head.getAttribute("aria-sort") === "ascending";
			heads.forEach(h => h.removeAttribute("aria-sort"));
			head.setAttribute("aria-sort", down ? "descending" : "ascending");
			sortRows(table, column, down);
		});
	});
};

// sortKey reads a cell: "1 234", "−2.1 %", "2.1·10⁶" and "64 KiB" are numbers.
const sortKey = cell => {
	const text = cell ? cell.textContent.trim() : "", plain = text.replace(/−/g, "-").replace(/[\u2009\u00a0]/g, " ").replace(/(\d) (?=\d{3}\b)/g, "$1")
		.replace(/·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/, (_, power) => "e" + power.replace(/./g, c => c === "⁻" ? "-" : "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)));
	const match = /^[-+]?[0-9.]+(e[-+]?\d+)?/i.exec(plain);
	if (!match) return { text, number: NaN };
	const unit = /^\s*([KMGTP])iB/.exec(plain.slice(match[0].length));
	return { text, number: parseFloat(match[0]) * (unit ? 1024 ** (1 + "KMGTP".indexOf(unit[1])) : 1) };
};

const sortRows = (table, column, down) => {
	flatten(table);
	const body = table.tBodies[0], rows = [...body.rows].map(row => ({ row, key: sortKey(row.cells[column]) }));
	rows.sort((a, b) => {
		const known = Number.isNaN(a.key.number) - Number.isNaN(b.key.number);
		const order = known || (Number.isNaN(a.key.number) ? a.key.text.localeCompare(b.key.text) : a.key.number - b.key.number);
		return known ? known : down ? -order : order;
	});
	body.append(...rows.map(r => r.row));
};

// flatten gives every row the head that it shares with the rows above, and puts all rows in one body.
const flatten = table => {
	const first = table.tBodies[0];
	for (const body of [...table.tBodies]) {
		const head = body.querySelector("th[rowspan]");
		for (const row of [...body.rows]) {
			if (head && !row.contains(head)) {
				const copy = head.cloneNode(true);
				copy.removeAttribute("rowspan");
				copy.scope = "row";
				row.prepend(copy);
			}
			for (const cell of [...row.cells]) if (cell.colSpan > 1) { // a gap of several columns
				for (let n = cell.colSpan; n > 1; n--) cell.after(element("td"));
				cell.colSpan = 1;
			}
			first.append(row);
		}
		if (head) { head.removeAttribute("rowspan"); head.scope = "row"; }
		if (body !== first) body.remove();
	}
};
