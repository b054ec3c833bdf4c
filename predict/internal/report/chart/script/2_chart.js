// What the library is told to draw of a chart. A view is what the reader chose:
// tags that are off, scales of x and y, and the group that is looked at.
// Colours are the page's variables, so that they follow light, dark and paper.

const ink = name => `var(--${name})`;
const font = "Liberation Sans, Arimo, Arial, Helvetica, sans-serif";

const shown = (chart, view) => chart.series.filter(s => !s.tags.some(t => view.off.has(t)));

// bend is the scale that is linear near zero and logarithmic far from it.
const bend = (axis, v) => axis.scale === "arsinh" ? Math.asinh(v / axis.bend) : v;

// extent is where an axis begins and ends: with the data of the series shown.
const extent = (axis, scale, values, group) => {
	if (axis.scale === "category") return group ? [group.first - 0.5, group.end - 0.5] : [-0.5, axis.categories.length - 0.5];
	if (axis.lo !== undefined && axis.scale === "arsinh") return [axis.lo, axis.hi];
	const usable = values.filter(v => v !== null && v !== undefined && (scale !== "log" || v > 0));
	if (usable.length === 0) return [scale === "log" ? 0.1 : 0, 1];
	let lo = Math.min(...usable), hi = Math.max(...usable);
	if (scale !== "log") return [Math.min(0, lo), hi * 1.05 || 1];
	lo = Math.max(lo, hi * 1e-6);
	const pad = Math.max((hi / lo) ** 0.04, hi < 2 * lo ? Math.sqrt(2 * lo / hi) : 1);
	return [lo / pad, axis.unit === "%" && hi <= 1 ? Math.min(hi * pad, 1) : hi * pad]; // there is no more of a whole
};

const axisOption = (axis, scale, [lo, hi], more) => {
	const at = ticks(axis, scale, lo, hi).map(v => bend(axis, v));
	const label = v => {
		if (axis.ticks) return (axis.ticks.find(t => Math.abs(bend(axis, t.at) - v) < 1e-9) || { label: "" }).label;
		return axis.scale === "category" ? axis.categories[v] : axis.whole ? number(v) : tickLabel(v, axis.unit === "B" || axis.unit === "%" ? axis.unit : "");
	};
	return {
		type: scale === "log" ? "log" : "value", logBase: axis.unit === "B" || axis.whole ? 2 : 10, min: bend(axis, lo), max: bend(axis, hi),
		axisLabel: { customValues: at, formatter: label, color: ink("muted"), fontSize: 11, fontFamily: font, hideOverlap: true, width: 110, overflow: "truncate" },
		axisTick: { show: false, customValues: at }, axisLine: { show: false, onZero: false }, minorTick: { show: false },
		splitLine: { show: axis.scale !== "category", lineStyle: { color: ink("grid") } },
		nameTextStyle: { color: ink("muted"), fontSize: 11, fontFamily: font },
		name: axis.name + (axis.unit && axis.unit !== "B" && axis.unit !== "%" ? ` [${axis.unit}]` : ""), ...more,
	};
};

// intervals draws a line with caps for each point that has an interval, and an arrow where the interval leaves the plot.
const intervals = (s, chart) => ({
	type: "custom", silent: true, data: s.points.filter(p => p.length > 3).map(p => [bend(chart.x, p[0]), p[2], p[3]]), encode: { x: 0, y: [1, 2] }, clip: true,
	renderItem: (params, api) => {
		const top = params.coordSys.y, bottom = top + params.coordSys.height;
		const [x, lo] = api.coord([api.value(0), api.value(1)]), [, hi] = api.coord([api.value(0), api.value(2)]);
		const line = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: ink(s.ink), lineWidth: 1.2 } });
		const end = (y, edge, inward) => inward * (y - edge) >= -1e-6 ? [line(x - 3, y, x + 3, y)] : [line(x - 3, edge + 4 * inward, x, edge), line(x, edge, x + 3, edge + 4 * inward)];
		return { type: "group", children: [line(x, Math.min(lo, bottom), x, Math.max(hi, top)), ...end(lo, bottom, -1), ...end(hi, top, 1)] };
	},
});

// band draws the simulated value of a case as a line, and the claimed error around it.
const band = s => ({
	type: "custom", name: s.name, data: s.points, encode: { x: 0, y: [1, 2, 3] }, clip: true,
	renderItem: (_, api) => {
		const [left, y] = api.coord([api.value(0) - 0.4, api.value(1)]), [right, lo] = api.coord([api.value(0) + 0.4, api.value(2)]);
		const hi = api.coord([api.value(0), api.value(3)])[1];
		return { type: "group", children: [
			{ type: "rect", shape: { x: left, y: hi, width: right - left, height: lo - hi }, style: { fill: ink("band") } },
			{ type: "line", shape: { x1: left, y1: y, x2: right, y2: y }, style: { stroke: ink(s.ink), lineWidth: 2 } }] };
	},
});

const broken = s => s.draw === "dashed" || s.draw === "dotted";

const symbol = s => s.shape ? "path://" + s.shape : "circle";

const lineSeries = (s, chart) => {
	const data = s.points.map(p => [bend(chart.x, p[0]), p[1]]);
	if (s.draw === "band") return [band(s)];
	const look = { name: s.name, data, symbol: symbol(s), symbolKeepAspect: true, itemStyle: { color: ink(s.ink) }, emphasis: { disabled: true }, clip: true };
	const list = s.draw === "points" ? [{ ...look, type: "scatter", symbolSize: data.length > 50 ? 6 : 10 }] : [{
		...look, type: "line", step: s.draw === "step" && "end", symbolSize: s.shape ? 8 : 0, showSymbol: Boolean(s.shape) && data.length <= 24, connectNulls: false,
		lineStyle: { color: ink(s.ink), width: broken(s) ? 1.5 : 2, type: broken(s) ? s.draw : "solid" },
	}];
	if (s.points.some(p => p.length > 3)) list.push(intervals(s, chart));
	if (s.marked) list.push({
		type: "scatter", silent: true, data: s.marked.map(p => [bend(chart.x, p[0]), p[1]]), symbol: "circle", symbolSize: 17,
		itemStyle: { color: "transparent", borderColor: ink(s.ink), borderWidth: 2 },
	});
	return list;
};

// groupMarks names groups of categories above the points and divides them.
const groupMarks = (chart, view, width) => {
	const groups = chart.groups || [];
	const upright = groups.length > 1 && !view.group && Math.max(...groups.map(g => g.name.length)) * 6.2 > width / groups.length;
	return {
		room: groups.length === 0 ? 0 : upright ? Math.min(240, 6.2 * Math.max(...groups.map(g => g.name.length))) : 16,
		series: groups.length === 0 ? [] : [{
			type: "scatter", silent: true, data: [], markArea: {
				silent: true, itemStyle: { color: "transparent", borderColor: ink("grid"), borderWidth: 1 },
				label: { position: "top", rotate: upright ? 90 : 0, align: upright ? "left" : "center", verticalAlign: "middle", distance: upright ? 6 : 10, color: ink("muted"), fontSize: 11, fontFamily: font,
					width: upright ? 240 : 400, overflow: "truncate" },
				data: groups.filter(g => !view.group || g.name === view.group).map(g => [{ name: g.name, xAxis: g.first - 0.5 }, { xAxis: g.end - 0.5 }]),
			},
		}],
	};
};

// claim shades where a bent axis is linear: the errors that the paper claims.
const claim = chart => chart.x.scale !== "arsinh" ? [] : [{
	type: "scatter", silent: true, data: [], markArea: { silent: true, itemStyle: { color: ink("band") }, data: [[{ xAxis: -Math.asinh(1) }, { xAxis: Math.asinh(1) }]] },
}];

// bought marks how far the money goes, and what is best and second for it.
const bought = (view, end) => !view.budget ? [] : [{
	type: "scatter", silent: true, symbol: "circle", data: view.budget.two.map((o, i) => ({ value: [o.price, o.time], symbolSize: i === 0 ? 21 : 15,
		itemStyle: { color: "transparent", opacity: 1, borderColor: ink("text"), borderWidth: i === 0 ? 3 : 1.5 } })),
	markLine: { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: ink("text"), width: 1.5, type: "solid" }, data: [{ xAxis: view.budget.money }] },
	markArea: { silent: true, itemStyle: { color: ink("band"), opacity: 0.6 }, data: [[{ xAxis: view.budget.money }, { xAxis: end }]] },
}];

const linesOption = (chart, view, width) => {
	const series = shown(chart, view);
	const group = (chart.groups || []).find(g => g.name === view.group);
	const inside = p => !group || (p[0] > group.first - 0.5 && p[0] < group.end - 0.5);
	const points = series.flatMap(s => s.points.filter(inside));
	const marks = groupMarks(chart, view, width);
	const y = points.flatMap(p => [p[1], ...p.slice(2).filter(v => v > p[1] / 3 && v < p[1] * 3)]); // of wide intervals the plot shows a part
	const named = chart.y.scale === "category";
	const names = chart.x.scale === "category" && !chart.groups ? chart.x.categories : [];
	const slanted = names.reduce((sum, n) => sum + 6.5 * Math.min(n.length, 17) + 8, 0) > width - 60;
	const x = axisOption(chart.x, view.x, extent(chart.x, view.x, points.map(p => p[0]), group), { nameLocation: "middle", nameGap: 26 });
	if (slanted) {
		Object.assign(x.axisLabel, { rotate: 40, hideOverlap: false });
		x.name = "";
	}
	return {
		grid: { left: named ? 8 : 4, right: 14, top: (named ? 6 : 26) + marks.room, bottom: 22, containLabel: true },
		xAxis: x,
		yAxis: axisOption(chart.y, view.y, extent(chart.y, view.y, y), { nameLocation: "end", nameGap: 10 + marks.room, inverse: named, nameTextStyle: { align: "left", color: ink("muted"), fontSize: 11, fontFamily: font } }),
		series: [...claim(chart), ...bought(view, x.max), ...series.flatMap(s => lineSeries(s, chart)), ...marks.series],
	};
};

const stackOption = (chart, view) => {
	const series = shown(chart, view);
	const rows = []; // bars, and a line above each group for its name
	for (const g of chart.groups || [{ first: 0, end: chart.y.categories.length }]) {
		if (view.group && g.name && !g.name.endsWith(view.group)) continue;
		if (g.name) rows.push({ heading: g.name });
		for (let i = g.first; i < g.end; i++) rows.push({ bar: i, label: chart.y.categories[i] });
	}
	const value = (s, bar) => { const p = s.points.find(q => q[0] === bar); return p ? p[1] : 0; };
	const total = bar => series.reduce((sum, s) => sum + value(s, bar), 0);
	const most = Math.max(0, ...rows.filter(r => !r.heading).map(r => total(r.bar)));
	const text = { color: ink("text"), fontSize: 11, fontFamily: font };
	return {
		rows,
		grid: { left: 4, right: 60, top: 4, bottom: 22, containLabel: true },
		xAxis: axisOption(chart.x, "linear", [0, most * 1.02 || 1], { nameLocation: "middle", nameGap: 26 }),
		yAxis: { type: "category", inverse: true, data: rows.map(r => r.label || ""), axisTick: { show: false }, axisLine: { show: false },
			axisLabel: { interval: 0, width: 110, overflow: "truncate", color: ink("muted"), fontSize: 11, fontFamily: font } },
		series: [
			...series.map(s => ({ type: "bar", name: s.name, stack: "all", barWidth: 12, itemStyle: { color: ink(s.ink) }, emphasis: { disabled: true }, data: rows.map(r => r.heading ? null : value(s, r.bar)) })),
			{ type: "scatter", silent: true, symbolSize: 0, data: rows.map((r, i) => ({ value: [0, i], label: { show: Boolean(r.heading), formatter: () => r.heading || "", position: "right", distance: 0, ...text } })) },
			{ type: "scatter", silent: true, symbolSize: 0, data: rows.map((r, i) => ({ value: [r.heading ? 0 : total(r.bar), i], label: { show: !r.heading, formatter: () => r.heading ? "" : amount(total(r.bar), chart.x.unit === "%" ? "%" : ""), position: "right", distance: 4, ...text } })) },
		],
	};
};

const matrixOption = (chart, view) => {
	const s = chart.series[0], values = s.points.map(p => p[2]).filter(v => v > 0);
	const lo = Math.min(...values), hi = Math.max(...values);
	const strength = v => v <= 0 ? 0 : view.y === "log" && hi > lo ? 0.12 + 0.88 * Math.log(v / lo) / Math.log(hi / lo) : 0.04 + 0.96 * v / hi;
	const cells = axis => ({ nameLocation: "middle", nameGap: 26, nameTextStyle: { color: ink("muted"), fontSize: 11, fontFamily: font }, name: axis.name, type: "category", data: axis.categories, axisTick: { show: false }, axisLine: { lineStyle: { color: ink("grid") } }, axisLabel: { color: ink("muted"), fontSize: 11, fontFamily: font } });
	const rows = { ...cells(chart.y), inverse: true, nameGap: 18 + 6.4 * Math.max(...chart.y.categories.map(c => c.length)) };
	rows.axisLabel.interval = Math.ceil(chart.y.categories.length / 20) - 1; // they do not touch
	return {
		grid: { left: 24, right: 14, top: 8, bottom: 24, containLabel: true },
		xAxis: cells(chart.x), yAxis: rows,
		series: [{ type: "custom", name: s.name, data: s.points, encode: { x: 0, y: 1 }, renderItem: (_, api) => {
			const [x, y] = api.coord([api.value(0), api.value(1)]), [w, h] = api.size([1, 1]);
			return { type: "rect", shape: { x: x - w / 2 + 0.5, y: y - h / 2 + 0.5, width: Math.max(1, w - 1), height: Math.max(1, h - 1) }, style: { fill: ink(s.ink), fillOpacity: strength(api.value(2)) } };
		} }],
	};
};

const timelineOption = (chart, view) => {
	const series = shown(chart, view), end = Math.max(0, ...chart.series.flatMap(s => s.points.map(p => p[2])));
	return {
		grid: { left: 24, right: 14, top: 8, bottom: 24, containLabel: true },
		xAxis: axisOption(chart.x, "linear", [0, end || 1], { nameLocation: "middle", nameGap: 26 }),
		yAxis: { type: "category", inverse: true, name: chart.y.name, nameLocation: "middle", nameGap: 26, nameTextStyle: { color: ink("muted"), fontSize: 11, fontFamily: font }, data: chart.y.categories,
			axisTick: { show: false }, axisLine: { show: false }, axisLabel: { color: ink("muted"), fontSize: 11, fontFamily: font } },
		series: series.map(s => ({ type: "custom", name: s.name, data: s.points, encode: { x: [1, 2], y: 0 }, clip: true, renderItem: (_, api) => {
			const [x, y] = api.coord([api.value(1), api.value(0)]), [end] = api.coord([api.value(2), api.value(0)]), h = api.size([0, 1])[1] * 0.8;
			const sliced = s.points[0].length > 4, lo = sliced ? api.value(3) : 0, hi = sliced ? api.value(4) : 1;
			return { type: "rect", shape: { x, y: y + h * (0.5 - hi), width: Math.max(0.2, end - x + (sliced ? 0.4 : 0)), height: h * (hi - lo) }, style: { fill: ink(s.ink) } };
		} })),
	};
};

const optionOf = (chart, view, width) => ({
	animation: false, textStyle: { fontFamily: font },
	...({ lines: linesOption, stack: stackOption, matrix: matrixOption, timeline: timelineOption }[chart.kind](chart, view, width)),
});
