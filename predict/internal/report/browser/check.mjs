// Uses pages of predict report as a reader does, in Chromium without a network:
//
//   node check.mjs CHROMIUM SCREENSHOTS PAGE.html...
//
// prints what is wrong, a line each, and fails. The first page has several machines, programs and models, the third all tables.
// The status is 1 if a page is wrong, 3 if Chromium does not start, and 4 if it stops answering.
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { chromium } from "playwright-core";

const [executablePath, screenshots, ...pages] = process.argv.slice(2);
mkdirSync(screenshots, { recursive: true });
let wrong = 0, now = "";
const check = (right, what) => { if (!right) { console.log(`${now}: ${what}`); wrong++; } };

let browser;
try {
	browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
} catch (err) {
	console.log(`cannot start: ${err.message.split("\n")[0]}`);
	process.exit(3);
}

// open opens a page in a window of its own, where nothing may complain, load or ask.
const open = async (file, options) => {
	const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, offline: true, acceptDownloads: true, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(30000);
	page.on("console", m => check(!["error", "warning"].includes(m.type()), `console: ${m.text()}`));
	page.on("pageerror", e => check(false, `error: ${e.message}`));
	page.on("dialog", d => { check(false, "a dialog"); d.dismiss(); });
	page.on("request", r => check(/^(file|data|blob):/.test(r.url()), `asks for ${r.url()}`));
	await page.goto("file://" + file);
	return page;
};

// scroll shows all of a page once, so that every figure is drawn.
const scroll = page => page.evaluate(async () => {
	for (let y = 0; y < document.body.scrollHeight; y += 500) {
		scrollTo(0, y);
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
	}
	scrollTo(0, 0);
});

// labels are the texts in a plot.
const labels = async figure => (await figure.locator(".chart svg text").allTextContents()).join("|");

const download = async (page, figure, name) => {
	const [file] = await Promise.all([page.waitForEvent("download"), figure.getByRole("button", { name, exact: true }).click()]);
	return readFileSync(await file.path());
};

const windows = { wide: {}, phone: { viewport: { width: 360, height: 740 }, colorScheme: "dark" } };

// shows holds a page in a window to what is so for all.
const shows = async (file, name) => {
	now = `${basename(file)}, ${name}`;
	const page = await open(file, windows[name]);
	await scroll(page);
	const figures = page.locator("figure:has(script)"), count = await figures.count();
	check(count > 0, "no figures");
	check(await page.locator(".chart svg").count() === count, `${await page.locator(".chart svg").count()} of ${count} figures are live`);
	check(await page.locator("figure svg[role=img]:visible").count() === 0, "a drawing shows beside its chart");
	check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "wider than the window");
	check(await page.evaluate(() => window.injected) === undefined, "a name ran as a script");
	check(!/NaN|Infinity|undefined/.test(await page.locator("main").innerText()), "shows something that is no number");
	await page.screenshot({ path: join(screenshots, `${basename(file, ".html")}-${name}.png`), fullPage: true });
	return page;
};

const withoutScript = async file => {
	now = `${basename(file)}, without script`;
	const page = await open(file, { javaScriptEnabled: false });
	check(await page.locator("figure svg[role=img]:visible").count() > 0, "no drawings");
	check(await page.getByRole("button").count() === 0, "buttons that do nothing");
	await page.context().close();
};

const scales = async (page, figure) => {
	const before = await labels(figure), log = figure.getByRole("button", { name: "log x" });
	check(/KiB/.test(before), `sizes are not in KiB: ${before}`);
	await log.click();
	check(await log.getAttribute("aria-pressed") === "false" && await labels(figure) !== before, "log x changes nothing");
	await log.click();
	check(await labels(figure) === before, "log x twice is not as before");
};

const pointer = async (page, figure) => {
	const box = await figure.locator(".chart").boundingBox();
	await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
	const tip = figure.locator(".tip");
	await tip.waitFor({ state: "visible" });
	check(/KiB[\s\S]*measured|KiB[\s\S]*processor[\s\S]*%/.test(await tip.innerText()), `at the pointer: ${await tip.innerText()}`);
	await page.mouse.move(0, 0);
};

const keyboard = async figure => {
	const chart = figure.locator(".chart"), said = figure.locator("[aria-live]");
	await chart.focus();
	await chart.press("ArrowRight");
	const first = await said.textContent();
	await chart.press("ArrowRight");
	const second = await said.textContent();
	await chart.press("ArrowDown");
	check(/\d.*%/.test(first) && first !== second && await said.textContent() !== second, `keys say: ${first}; ${second}; ${await said.textContent()}`);
};

const hiding = async (page, figure) => {
	const button = page.locator("#curves .legend").getByRole("button", { name: "power law", exact: true });
	const drawn = () => figure.locator(".chart path[stroke-dasharray]").count();
	const before = await drawn();
	await button.press("Enter");
	check(await button.getAttribute("aria-pressed") === "false" && await drawn() < before, "hiding a series leaves it there");
	await button.press("Enter");
	check(await drawn() === before, "a hidden series does not come back");
};

const sorting = async (page, figure) => {
	await figure.getByRole("button", { name: "values" }).click();
	check(await figure.locator(".values tbody tr").count() > 10, "no values");
	const column = page.locator("#rows thead th").filter({ hasText: "simulated" }), values = async () => (await page.locator("#rows tbody td:nth-child(4)").allTextContents()).map(Number);
	for (const [order, sign] of [["ascending", 1], ["descending", -1]]) {
		await column.getByRole("button").click();
		const v = await values();
		check(await column.getAttribute("aria-sort") === order && v.length > 10 && v.every((x, i) => i === 0 || sign * (x - v[i - 1]) >= 0), `not ${order}: ${v}`);
	}
	check(await page.locator("#rows tbody tr").evaluateAll(rows => rows.every(r => r.cells[0].tagName === "TH")), "a sorted row lost its program");
};

const choosing = async page => {
	const figure = page.locator("#models figure").first(), texts = async () => (await labels(figure)).split("|");
	const before = await texts(), list = page.locator("#models").getByLabel("machine");
	await list.selectOption({ index: 1 });
	check((await texts()).length < before.length, "choosing a machine leaves all in the plot");
	const ratio = () => page.locator("#machines tbody td:last-child").first().textContent();
	const other = page.getByLabel("compared with"), was = await ratio();
	await other.selectOption({ index: 1 });
	check(was !== "1" && await ratio() === "1", `a machine is ${await ratio()} times itself, and another ${was}`);
};

// buying sets the budget of the sample, of $9000: $6000 buys 1 s, $3500 2.5 s and $3000 2 s.
const buying = async page => {
	const group = page.locator("#budget .group").first(), figure = group.locator("figure"), said = group.locator("[aria-live]").first();
	await figure.scrollIntoViewIfNeeded();
	const entry = group.getByLabel("budget [$]"), slider = group.getByLabel("budget", { exact: true }), answer = async () => (await figure.locator(".answer").innerText()).replace(/\s+/g, " ");
	const says = async (what, ...words) => { const a = await answer(); check(words.every(w => a.includes(w)), `${what}: ${a}, without one of ${words.join(", ")}`); };
	const drawn = () => page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
	const rings = () => drawn().then(() => figure.locator(".chart path[stroke='var(--text)'][fill='none'][d^='M1 0A']").count());
	await says("all the money", "$6000", "10 ns", "9 to 12", "100 % behind");
	const all = await rings();
	await entry.fill("5999");
	await says("less money", "$3000", "20 ns", "$3500", "25 % behind");
	await entry.fill("3100");
	await says("money for one", "$3000", "nothing else");
	check(await rings() === all - 1, `${await rings()} machines are marked, of two were ${all}`);
	await entry.fill("100");
	await says("too little", "nothing: the cheapest is $3000");
	await group.getByRole("button", { name: "more money, until that changes what to buy" }).click();
	check(await entry.inputValue() === "3000", `the first change is at ${await entry.inputValue()}`);
	await slider.focus();
	await slider.press("End");
	await says("the slider at its end", "$6000");
	await slider.press("ArrowLeft");
	check(Number(await entry.inputValue()) < 9000 && await slider.getAttribute("aria-valuetext") === "$" + await entry.inputValue(), `keys move the slider to ${await entry.inputValue()}`);
	await page.waitForFunction(e => /For \$8\d+: .*10 ns/.test(e.textContent), await said.elementHandle(), { timeout: 5000 }).catch(async () => check(false, `said: ${await said.textContent()}`));
	const chart = figure.locator(".chart");
	await chart.focus();
	await chart.press("ArrowRight"); // to the first point of the front
	await chart.press("Enter");
	check(await entry.inputValue() === "3000", `a picked machine sets the budget to ${await entry.inputValue()}`);
	await figure.locator("summary").click();
	check(await figure.locator(".detail tbody tr").count() === 3, "the table of all budgets has not three rows");
	check((await download(page, figure, "SVG")).toString().includes("path"), "the SVG is none");
};

const exporting = async (page, figure) => {
	const svg = (await download(page, figure, "SVG")).toString(), png = await download(page, figure, "PNG");
	check(svg.startsWith("<svg") && !svg.includes("var(") && svg.includes("</svg>"), "the SVG is none");
	check(png.subarray(1, 4).toString() === "PNG" && png.length > 5000, "the PNG is none");
	check((await page.pdf()).length > 20000, "printing gives no PDF");
	// Since version 156 Chromium really prints here, and page.pdf fails meanwhile. The sheet is what is tested.
	await page.evaluate(() => { globalThis.print = () => {}; });
	await figure.getByRole("button", { name: "PDF", exact: true }).click();
	const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1"), box = /MediaBox \[([^\]]*)\]/.exec(pdf);
	check(pdf.match(/\/Type\s*\/Page\b/g).length === 1 && box[1].startsWith("0 0 570 "), `the PDF of a plot is not the plot alone: ${box}`);
	await page.evaluate(() => dispatchEvent(new Event("afterprint")));
	check(await page.locator(".sheet").count() === 0 && !/\.pdf$/.test(await page.title()), "what was printed stays");
	await page.emulateMedia({ media: "print" });
	check(await page.locator(".tools:visible").count() === 0, "buttons on paper");
	await page.emulateMedia({ media: "screen" });
};

const themes = async (page, figure) => {
	const colour = () => figure.locator(".chart svg path[stroke^='var']").first().evaluate(e => getComputedStyle(e).stroke);
	const light = await colour();
	await page.emulateMedia({ colorScheme: "dark" });
	check(await colour() !== light, "plots do not follow into the dark");
	await page.emulateMedia({ colorScheme: "light" });
};

// within gives a part of the work 60 s. If the browser stops answering, the program names the part and ends.
const within = async (name, part) => {
	const timer = setTimeout(() => {
		console.log(`${now}: ${name}: no answer from the browser for 60 s`);
		process.exit(4);
	}, 60000);
	const result = await part();
	clearTimeout(timer);
	return result;
};
const close = page => within("close", () => page.context().close());

for (const [i, file] of pages.entries()) {
	const name = i === 1 ? "wide" : "phone";
	await close(await within("show", () => shows(file, name)));
}
await within("without script", () => withoutScript(pages[0]));
const page = await within("show", () => shows(pages[0], "wide"));
now = basename(pages[0]);
const figure = page.locator("#curves figure").first();
await figure.scrollIntoViewIfNeeded();
for (const use of [scales, pointer, hiding, themes, exporting]) await within(use.name, () => use(page, figure));
await within("keyboard", () => keyboard(figure));
await within("sorting", () => sorting(page, figure));
await within("choosing", () => choosing(page));
await close(page);
const tables = await within("show", () => shows(pages[2], "wide"));
await within("buying", () => buying(tables));
await within("screenshot", () => tables.screenshot({ path: join(screenshots, "budget.png") }));
await within("close", () => browser.close());
process.exit(wrong > 0 ? 1 : 0);
