// A live figure: the chart in place of the static drawing, with its tools. A figure
// is drawn when it comes near the window; until then, and on paper, there is the drawing.

const figures = [];

const button = (label, pressed, act) => {
	const b = element("button", { type: "button", ...(pressed === null ? {} : { "aria-pressed": pressed }) }, label);
	b.addEventListener("click", () => {
		if (pressed !== null) b.setAttribute("aria-pressed", String(b.getAttribute("aria-pressed") !== "true"));
		act(b.getAttribute("aria-pressed") === "true");
	});
	return b;
};

class Figure {
	constructor(place) {
		this.place = place;
		this.chart = JSON.parse(place.querySelector("script[type='application/json']").textContent);
		this.drawing = place.querySelector("svg");
		this.view = { x: this.chart.x.scale, y: this.chart.kind === "matrix" ? "log" : this.chart.y.scale, off: new Set(), group: "" };
		this.cursor = null;
		this.picked = null; // what to do with a point that the reader picks
		this.tools();
		new IntersectionObserver((entries, watch) => {
			if (entries.some(e => e.isIntersecting)) { watch.disconnect(); this.start(); }
		}, { rootMargin: "300px" }).observe(place);
		figures.push(this);
	}

	get heading() { return this.place.querySelector("h3").textContent; }

	get title() { return this.drawing.querySelector("title").textContent; }

	start() {
		if (this.live) return;
		this.box = element("div", { class: "chart", tabindex: "0", role: "application", "aria-roledescription": "plot", "aria-label": this.title + ". Arrow keys read the values.",
			"aria-describedby": this.drawing.querySelector("desc").id });
		this.said = element("p", { class: "hidden", "aria-live": "polite" });
		this.drawing.after(this.box, this.said);
		this.drawing.classList.add("replaced");
		this.resize();
		this.live = echarts.init(this.box, null, { renderer: "svg" });
		this.draw();
		this.box.addEventListener("keydown", e => this.step(e));
		this.live.on("click", e => this.pick(this.chart.series.find(s => s.name === e.seriesName), e.dataIndex));
		this.box.addEventListener("blur", () => { this.cursor = null; this.live.dispatchAction({ type: "hideTip" }); });
		new ResizeObserver(() => { if (this.box.clientWidth !== this.live.getWidth()) this.draw(); }).observe(this.box);
	}

	height() {
		const c = this.chart, width = this.box.clientWidth;
		if (c.kind === "stack") return optionOf(c, this.view, width).yAxis.data.length * 15 + 50;
		if (c.kind === "timeline") return 60 + Math.max(6, Math.min(22, 300 / c.y.categories.length)) * c.y.categories.length;
		if (c.kind === "matrix") return Math.min(width, 460);
		if (c.y.scale === "category") return 60 + 42 * c.y.categories.length;
		return 270 + groupMarks(c, this.view, width).room;
	}

	resize() { this.box.style.height = this.height() + "px"; }

	draw() {
		if (!this.live) return;
		this.resize();
		this.live.resize();
		const option = optionOf(this.chart, this.view, this.box.clientWidth);
		this.rows = option.rows;
		delete option.rows;
		option.tooltip = this.tooltip();
		this.live.setOption(option, { notMerge: true });
		if (this.values && !this.values.hidden) this.fillValues();
	}

	tooltip() {
		const axis = this.chart.kind === "stack" || this.chart.kind === "lines" && this.chart.x.scale !== "category" && !this.chart.series.some(s => s.draw === "points");
		return {
			trigger: axis ? "axis" : "item", confine: true, backgroundColor: "var(--card)", borderColor: "var(--line)", textStyle: { color: "var(--text)", fontSize: 12 }, extraCssText: "white-space:normal;max-width:300px;box-shadow:0 2px 8px #0004",
			axisPointer: { type: this.chart.kind === "stack" ? "shadow" : "line", lineStyle: { color: ink("muted") }, shadowStyle: { color: "#8884" } },
			formatter: p => this.tip([].concat(p)),
		};
	}

	// tip says what is at the pointer: text in elements, never markup.
	tip(hits) {
		const c = this.chart, box = element("div", { class: "tip" });
		const named = hits.filter(h => h.seriesName && c.series.some(s => s.name === h.seriesName));
		if (named.length === 0) return "";
		const { head, lines } = c.kind === "stack" ? this.barWords(named) : { head: "", lines: [] };
		if (c.kind === "stack") box.append(element("strong", {}, head));
		let at = null;
		for (const h of named) {
			const s = c.series.find(s => s.name === h.seriesName), p = s.points[h.dataIndex];
			if (c.kind === "stack") continue;
			const words = this.pointWords(s, h.dataIndex);
			if (words.at !== at) box.append(element("strong", {}, at = words.at));
			if (p[1] !== null) lines.push([s.ink, s.name, words.value]);
		}
		for (const [colour, name, value] of lines) {
			const dot = element("span", { class: "dot" });
			dot.style.background = `var(--${colour})`;
			box.append(element("div", {}, dot, name + ": ", element("b", {}, value)));
		}
		return box;
	}

	barWords(hits) {
		const row = this.rows[hits[0].dataIndex], c = this.chart;
		const group = (c.groups || []).find(g => g.first <= row.bar && row.bar < g.end);
		const lines = hits.map(h => { const s = c.series.find(s => s.name === h.seriesName); return [s.ink, s.name, amount(h.value, c.x.unit)]; });
		return { head: row.heading || [group && group.name, row.label].filter(Boolean).join(", "), lines: row.heading ? [] : lines };
	}

	// pointWords says where point i of s is, and what it is.
	pointWords(s, i) {
		const c = this.chart, p = s.points[i], note = s.notes && s.notes[i] ? `, ${s.notes[i]}` : "";
		if (c.kind === "matrix") return { at: `${c.x.name} ${c.x.categories[p[0]]}, ${c.y.name} ${c.y.categories[p[1]]}`, value: amount(p[2], c.value.unit) + note };
		if (c.kind === "timeline") return { at: `${c.y.name} ${c.y.categories[p[0]]}, ${amount(p[1], c.x.unit, 4)} to ${amount(p[2], c.x.unit, 4)}`, value: p.length > 4 ? amount(p[4] - p[3], "%") : amount(p[2] - p[1], c.x.unit) };
		if (c.kind === "stack") return { at: c.y.categories[p[0]], value: amount(p[1], c.x.unit) };
		if (c.y.scale === "category") return { at: s.notes ? s.notes[i] : "", value: amount(p[0], c.x.unit) };
		const group = (c.groups || []).find(g => g.first <= Math.round(p[0]) && Math.round(p[0]) < g.end);
		const x = c.x.scale === "category" ? c.x.categories[Math.round(p[0])] + (group ? `, ${group.name}` : "") : amount(p[0], c.x.unit);
		const ends = p.length > 3 ? ` (${amount(p[2], c.y.unit)} to ${amount(p[3], c.y.unit)})` : "";
		return { at: `${c.x.name.split(",")[0]}: ${x}`, value: amount(p[1], c.y.unit) + ends + note };
	}

	pick(series, i) { if (this.picked && series) this.picked(series.points[i]); }

	// step moves a cursor along the points with left and right, between series with up and down.
	step(e) {
		const series = shown(this.chart, this.view);
		if (e.key === "Enter" && this.cursor) this.pick(series[this.cursor[0]], this.cursor[1]);
		const move = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0], Home: [0, -Infinity], End: [0, Infinity] }[e.key];
		if (!move || series.length === 0) return;
		e.preventDefault();
		const clamp = (v, n) => Math.max(0, Math.min(n - 1, v));
		const s = this.cursor ? clamp(this.cursor[0] + move[0], series.length) : 0;
		const i = this.cursor ? clamp(this.cursor[1] + move[1], series[s].points.length) : 0;
		this.cursor = [s, i];
		const words = this.pointWords(series[s], i);
		this.said.textContent = `${series[s].name}, ${words.at}: ${words.value}`;
		const drawn = this.live.getOption().series.findIndex(d => d.name === series[s].name);
		const at = this.chart.kind === "stack" ? this.rows.findIndex(r => r.bar === series[s].points[i][0]) : i;
		this.live.dispatchAction({ type: "showTip", seriesIndex: drawn, dataIndex: at });
	}

	tools() {
		const c = this.chart, bar = element("div", { class: "tools", role: "toolbar", "aria-label": "Tools of this plot" });
		const scale = (axis, label) => {
			if (c.kind === "lines" && c[axis].scale === "log" || c.kind === "matrix" && axis === "y")
				bar.append(button(label, "true", on => { this.view[axis] = on ? "log" : "linear"; this.start(); this.draw(); }));
		};
		scale("x", "log x");
		scale("y", c.kind === "matrix" ? "log" : "log y");
		bar.append(
			button("values", "false", on => this.showValues(on)),
			button("SVG", null, () => save(this.svg(), "image/svg+xml", this.file("svg"))),
			button("PNG", null, () => png(this.svg(), blob => save(blob, "image/png", this.file("png")))),
			button("PDF", null, () => print(this.svg(), this.file("pdf"))));
		this.place.insertBefore(bar, this.place.querySelector(".detail"));
	}

	showValues(on) {
		if (!this.values) {
			this.values = element("div", { class: "scroll values", tabindex: "0", role: "region", "aria-label": "Values of " + this.title });
			this.place.append(this.values);
		}
		this.values.hidden = !on;
		if (on) this.fillValues();
	}

	fillValues() {
		const rows = shown(this.chart, this.view).flatMap(s => s.points.map((p, i) => {
			const words = this.pointWords(s, i);
			const group = this.chart.kind === "stack" && (this.chart.groups || []).find(g => g.first <= p[0] && p[0] < g.end);
			return [s.name, (group ? group.name + ", " : "") + words.at, words.value];
		}));
		const table = element("table", {}, element("thead", {}, element("tr", {}, ...["series", "at", "value"].map(h => element("th", { scope: "col" }, h)))),
			element("tbody", {}, ...rows.map(r => element("tr", {}, ...r.map(text => element("td", {}, text))))));
		this.values.replaceChildren(table);
		sortable(table);
	}

	file(kind) { return this.title.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 80) + "." + kind; }

	// svg is the chart as a file of its own: with title and legend, and without variables.
	svg() {
		const width = 760, height = this.chart.kind === "stack" ? 90 + 15 * optionOf(this.chart, this.view, 760).yAxis.data.length : 480;
		const paper = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
		const option = optionOf(this.chart, this.view, width), series = shown(this.chart, this.view);
		delete option.rows;
		option.grid.top += 58;
		option.title = { text: this.title, left: 8, top: 6, textStyle: { color: ink("text"), fontSize: 14, fontFamily: font } };
		option.legend = { data: series.map(s => ({ name: s.name, icon: symbol(s), itemStyle: { color: ink(s.ink) } })), left: 8, top: 30, type: "plain", textStyle: { color: ink("text"), fontSize: 11, fontFamily: font } };
		option.backgroundColor = "var(--card)";
		paper.setOption(option);
		const style = getComputedStyle(document.documentElement);
		const text = paper.renderToSVGString().replace(/var\((--[a-z]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
		paper.dispose();
		return text;
	}
}

const save = (data, type, name) => {
	const a = element("a", { href: URL.createObjectURL(new Blob([data], { type })), download: name });
	a.click();
	setTimeout(() => URL.revokeObjectURL(a.href), 10000);
};

const png = (svg, use) => {
	const image = new Image();
	image.onload = () => {
		const canvas = element("canvas", { width: 2 * image.width, height: 2 * image.height });
		const pen = canvas.getContext("2d");
		pen.scale(2, 2);
		pen.drawImage(image, 0, 0);
		canvas.toBlob(use, "image/png");
	};
	image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
};

// print gives the browser a sheet of paper with nothing but the plot, for its dialog to print or save as PDF under a name.
const print = (svg, name) => {
	document.querySelectorAll(".sheet").forEach(s => s.remove());
	const drawing = document.adoptNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);
	const size = `${drawing.getAttribute("width")}px ${drawing.getAttribute("height")}px`;
	const sheet = element("div", { class: "sheet" }, element("style", {}, `@media print{@page{size:${size};margin:0}body{margin:0;padding:0;max-width:none}body>:not(.sheet){display:none}}`), drawing);
	const title = document.title;
	document.title = name;
	document.body.append(sheet);
	addEventListener("afterprint", () => { sheet.remove(); document.title = title; }, { once: true });
	window.print();
};
