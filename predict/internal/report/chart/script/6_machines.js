// Two machines side by side: what each program takes on either, by one model or the simulation.

const machines = section => {
	const rows = JSON.parse(section.querySelector("script[type='application/json']").textContent);
	const names = key => [...new Set(rows.map(r => r[key]))];
	const pick = { other: names("machine")[0], machine: names("machine")[1] || names("machine")[0], by: names("by").includes("simulation") ? "simulation" : names("by")[0] };
	const result = section.querySelector(".result");
	const show = () => {
		const of = machine => rows.filter(r => r.machine === machine && r.by === pick.by);
		const programs = [...new Set([...of(pick.machine), ...of(pick.other)].map(r => r.program))];
		const best = (machine, program) => of(machine).filter(r => r.program === program).sort((a, b) => b.processors - a.processors)[0];
		const cell = r => r ? `${number(r.e, 4)} ns on ${r.processors}` : "–";
		const table = element("table", {}, element("thead", {}, element("tr", {}, ...["program", pick.machine, pick.other, "ratio (faster > 1)"].map(h => element("th", { scope: "col" }, h)))),
			element("tbody", {}, ...programs.map(p => {
				const [a, b] = [best(pick.machine, p), best(pick.other, p)];
				return element("tr", {}, element("th", { scope: "row" }, p), element("td", { class: "n" }, cell(a)), element("td", { class: "n" }, cell(b)), element("td", { class: "n" }, a && b ? number(b.e / a.e) : "–"));
			})));
		result.replaceChildren(table);
		sortable(table);
	};
	const choices = [["machine", "machine"], ["other", "machine"], ["by", "by"]].map(([what, key]) => {
		const c = chooser({ machine: "new machine", other: "compared with", by: "by" }[what], names(key), name => { pick[what] = name; show(); });
		c.list.value = pick[what];
		return c;
	});
	section.querySelector(".choice").append(...choices);
	section.hidden = false;
	show();
};
