// The legend of a section has a button for each tag, which hides what has the tag in
// all figures of the section; with one list of machines for those that have groups.

const legends = section => {
	const own = figures.filter(f => section.contains(f.place));
	if (own.length === 0) return;
	for (const item of section.querySelectorAll(".legend [data-tag]")) {
		const tag = item.dataset.tag;
		if (!own.some(f => f.chart.series.some(s => s.tags.includes(tag)))) continue;
		const b = button("", "true", on => {
			for (const f of own) {
				f.view.off[on ? "delete" : "add"](tag);
				f.draw();
			}
		});
		b.append(...item.childNodes);
		item.append(b);
	}
	const groups = [...new Set(own.flatMap(f => (f.chart.groups || []).map(g => g.name.replace(/^\d+ processors?, /, ""))))];
	if (groups.length < 2) return;
	const choice = chooser("machine", ["all machines", ...groups], name => {
		for (const f of own) {
			f.view.group = groups.includes(name) ? name : "";
			f.draw();
		}
	});
	section.querySelector(".legend").before(element("p", { class: "choice" }, choice));
};

// chooser is a labelled list to choose one of.
const chooser = (label, names, chosen) => {
	const list = element("select", {}, ...names.map(n => element("option", {}, n)));
	list.addEventListener("change", () => chosen(names[list.selectedIndex]));
	const whole = element("label", {}, label + " ", list);
	whole.list = list;
	return whole;
};
