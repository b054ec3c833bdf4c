// Words and numbers as people read them, and elements made without markup: names
// come from traces, so they are only ever set as text.

const element = (tag, attributes = {}, ...children) => {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
	e.append(...children);
	return e;
};

// byPower prints v as 2.1·10⁶.
const byPower = (v, digits) => {
	const [m, e] = v.toExponential(digits - 1).split("e");
	return String(Number(m)).replace("-", "−") + "·10" + String(Number(e)).replace(/./g, c => c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c]);
};

// number prints v with three significant digits, and from a million on and below a millionth by its power of ten.
const number = (v, digits = 3) => {
	if (v === null || v === undefined || Number.isNaN(v)) return "–";
	const a = Math.abs(v);
	if (a !== 0 && (a < 1e-6 || a >= 1e6)) return byPower(v, digits);
	return String(a >= 10 ** digits ? Math.round(v) : Number(v.toPrecision(digits))).replace("-", "−");
};

// amount prints v in a unit: bytes as KiB and so on, fractions as percent.
const amount = (v, unit, digits = 3) => {
	if (v === null || v === undefined) return "–";
	if (unit && unit.startsWith("$")) return "$" + number(v, digits) + unit.slice(1);
	if (unit === "%") return number(100 * v, digits) + " %";
	if (unit !== "B") return number(v, digits) + (unit ? " " + unit : "");
	const scale = v >= 1024 ? Math.min(5, Math.floor(Math.log2(v) / 10)) : 0;
	return number(v / 1024 ** scale, digits + 1) + " " + ["B", "KiB", "MiB", "GiB", "TiB", "PiB"][scale];
};

// tickLabel prints v beside an axis, where there is little room: large and small values by their power of ten, as 2·10⁵.
const tickLabel = (v, unit) => {
	const e = Math.floor(Math.log10(Math.abs(v)) + 1e-9);
	if (unit || v === 0 || (e > -5 && e < 5)) return amount(v, unit);
	return byPower(v, 3).replace(/^1·/, "");
};

// ticks are about five values from lo to hi where a scale is marked.
const ticks = (axis, scale, lo, hi) => {
	if (axis.ticks) return axis.ticks.map(t => t.at);
	if (axis.scale === "category") return axis.categories.map((_, i) => i).filter(i => lo <= i && i <= hi);
	if (scale === "log") return logTicks(lo, hi, axis.unit === "B" || axis.whole ? 2 : 10);
	const rough = (hi - lo) / 5 || 1, power = 10 ** Math.floor(Math.log10(rough));
	const step = power * [1, 2, 2.5, 5, 10].find(s => s * power >= rough * 0.999);
	const list = [];
	for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi * (1 + 1e-9); i++) list.push(i * step);
	return list;
};

const logTicks = (lo, hi, base) => {
	const span = Math.log(hi / lo) / Math.log(base);
	const factors = base === 2 || span > 2.2 ? [1] : span > 1.1 ? [1, 2, 5] : span > 0.5 ? [1, 1.5, 2, 3, 4, 5, 7] : [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5];
	const list = [];
	for (let e = Math.floor(Math.log(lo) / Math.log(base)); base ** e <= hi; e++)
		for (const f of factors) if (f * base ** e >= lo * 0.9999 && f * base ** e <= hi * 1.0001) list.push(f * base ** e);
	const keep = Math.ceil(list.length / (base === 2 ? 6 : 8));
	return list.filter((_, i) => i % keep === 0);
};
