// What to buy: one budget for the decisions of a group, and what is the best and the second for it in each.

// affordable are the offers for so much money, the best first.
const affordable = (decision, money) => decision.offers.filter(o => o.price <= money);

// margin is how far one offer is behind another, as a share.
const margin = (o, best) => (100 + o.behind) / (100 + best.behind) - 1;

// changes are the sums from which on another offer is the best or the second.
const changes = decision => {
	const two = money => affordable(decision, money).slice(0, 2).map(o => decision.offers.indexOf(o)).join();
	const prices = [...new Set(decision.offers.map(o => o.price))].sort((a, b) => a - b);
	return prices.filter((p, i) => i === 0 || two(p) !== two(prices[i - 1]));
};

// doubt says whether a margin decides anything.
const doubt = (share, error) => {
	if (error === null) return "how far off the model is, nobody said";
	return share <= error ? `inside the model's error of ${amount(error, "%")}: this may be the better one` : `more than the model's error of ${amount(error, "%")}`;
};

// answer is what to buy, as terms and what they are.
const answer = (decision, money) => {
	const [best, second] = affordable(decision, money), price = o => amount(o.price, decision.unit, 4);
	if (!best) return [["best", `nothing: the cheapest is ${price(decision.offers.reduce((a, b) => b.price < a.price ? b : a))}`]];
	const interval = best.lo !== null && best.hi > best.lo ? ` (${number(best.lo)} to ${number(best.hi)})` : "";
	const list = [["best", `${best.name}, ${price(best)}`], ["E(Instr)", `${number(best.e, 4)} ns${interval}, ${number(best.time, 4)} s in all`]];
	const behind = second && margin(second, best);
	list.push(["second", second ? `${second.name}, ${price(second)}: ${behind < 5e-7 ? "as good" : `${amount(behind, "%", 2)} behind, ${doubt(behind, decision.error)}`}` : "nothing else for this money"]);
	const share = decision.error ?? 0.01;
	const enough = affordable(decision, money).filter(o => margin(o, best) <= share).reduce((a, b) => b.price < a.price ? b : a);
	if (enough.price < best.price) list.push(["cheaper", `${enough.name}, ${price(enough)}: ${amount(margin(enough, best), "%", 2)} behind`]);
	return list;
};

const budgets = group => {
	const own = figures.filter(f => group.contains(f.place) && f.chart.decision);
	if (own.length === 0) return;
	const decisions = own.map(f => f.chart.decision), unit = decisions[0].unit, most = decisions[0].money;
	const turns = [...new Set(decisions.flatMap(changes))].sort((a, b) => a - b);
	const step = 10 ** Math.floor(Math.log10((most - turns[0]) / 50 || 1));
	const least = most - Math.floor((most - turns[0]) / step) * step;
	const slider = element("input", { type: "range", min: least, max: most, step, value: most, "aria-label": "budget" });
	const entry = element("input", { type: "number", min: 0, max: most, step: "any", value: most });
	const said = element("p", { class: "hidden", "aria-live": "polite" });
	const answers = own.map(f => f.place.insertBefore(element("dl", { class: "answer" }), f.place.querySelector(".tools")));
	let money = most, timer = 0, frame = 0;
	const show = (to, from) => {
		money = Math.max(0, Math.min(most, to));
		if (from !== slider) slider.value = money;
		if (from !== entry) entry.value = money;
		slider.setAttribute("aria-valuetext", amount(money, unit, 4));
		own.forEach((f, i) => {
			const terms = answer(f.chart.decision, money);
			answers[i].replaceChildren(...terms.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]));
			answers[i].dataset.money = amount(money, unit, 4); // for paper, which has no controls
			f.view.budget = { money, two: affordable(f.chart.decision, money).slice(0, 2) };
		});
		cancelAnimationFrame(frame); // a slider may move more often than plots can be drawn
		frame = requestAnimationFrame(() => own.forEach(f => f.draw()));
		clearTimeout(timer); // a slider that moves says nothing until it rests
		timer = setTimeout(() => {
			said.textContent = `For ${amount(money, unit, 4)}: ` + own.map((f, i) => `${f.heading}: ${[...answers[i].children].map(e => e.textContent).join(" ")}`).join("; ");
		}, 400);
	};
	slider.addEventListener("input", () => show(slider.valueAsNumber, slider));
	entry.addEventListener("input", () => { if (!Number.isNaN(entry.valueAsNumber)) show(entry.valueAsNumber, entry); });
	entry.addEventListener("change", () => show(money));
	for (const f of own) f.picked = point => show(point[0]);
	const turn = (label, meaning, next) => {
		const b = button(label, null, () => { const to = next(); if (to !== undefined) show(to); });
		b.setAttribute("aria-label", meaning);
		b.title = meaning;
		return b;
	};
	const controls = element("div", { class: "choice budget", role: "group", "aria-label": "Budget" },
		element("label", {}, `budget [${unit}] `, entry),
		turn("◂ less", "less money, until that changes what to buy", () => turns.filter(t => t < money - 1e-9).at(-1)),
		turn("more ▸", "more money, until that changes what to buy", () => turns.find(t => t > money + 1e-9)), slider, said);
	group.querySelector(".figures").before(controls);
	show(most);
};
