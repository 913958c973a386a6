"use strict";
// Draws the page from its data. What the data says becomes text and values of attributes, never markup.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
// What a terminal would obey is shown as its picture; tabs and line ends stay.
const picture = (one) => (one === "\x7f" ? "\u2421" : String.fromCharCode(0x2400 + one.charCodeAt()));
const text = (given) => String(given).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g, picture);
const fill = (made, attributes, inside) => {
  for (const [name, value] of Object.entries(attributes))
    if (value || value === 0) made.setAttribute(name, text(value));
  made.append(...inside.flat().filter(Boolean).map((one) => (one instanceof Node ? one : text(one))));
  return made;
};
const make = (tag, attributes = {}, ...inside) => fill(document.createElement(tag), attributes, inside);
const draw = (tag, attributes, ...inside) => fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, inside);
const count = (number) => number.toLocaleString("en");
const OWN = { dir: "auto", lang: "" }; // a text has its own direction, and an unknown language

// A run is a text, or [text, classes, tip, anchor] where it is marked; class "x": the page says it.
const marked = (runs) =>
  runs.map((run) =>
    typeof run === "string" ? run : make(run[1].startsWith("x") ? "span" : "mark", { class: run[1], title: run[2], id: run[3] }, run[0]));

// What is above the source: figures, the query, notes, tables.
const header = () => [
  make("p", { class: "brand" }, "tersely"),
  make("h1", {}, make("bdi", {}, data.title)),
  make("dl", { class: "numbers" }, data.figures.map(([number, what]) => make("div", {}, make("dt", {}, marked(what)), make("dd", {}, number)))),
  data.query && make("p", { class: "query" }, make("span", { class: "label" }, "Query"), make("q", OWN, marked(data.query[0])),
    data.query[1].length && make("span", { class: "missing" }, "Not in the text: ",
      data.query[1].flatMap((word, number) => [number ? ", " : "", make("bdi", { lang: "" }, word)]))),
  data.notes.length && make("ul", { class: "notes" }, data.notes.map((note) => make("li", {}, note))),
];
const linked = ({ text, tip, anchor }) => {
  const name = make("bdi", { title: tip, lang: "" }, text);
  return anchor ? make("a", { href: `#${anchor}` }, name) : name;
};
const bar = ({ bar, text, look = "used" }) =>
  draw("svg", { class: "bar", role: "img", "aria-label": text },
    draw("rect", { class: "all", width: "100%", height: "100%" }),
    draw("rect", { class: look, width: `${(100 * bar).toFixed(2)}%`, height: "100%" }));
const NUMBER = /^[-–]?[\d.,]+%?$|^–$/;
const row = (cells) =>
  make("tr", {}, cells.map((cell, number) =>
    make(number ? "td" : "th", { scope: !number && "row", class: NUMBER.test(cell) && "number" },
      typeof cell !== "object" ? String(cell) : cell.bar === undefined ? linked(cell) : bar(cell))));
const table = ({ title, head, rows, more, lists = [] }, number) => {
  const id = `table${number}`;
  const numeric = (column) => rows.length && NUMBER.test(rows[0][column]);
  return make("section", { "aria-labelledby": id },
    make("h2", { id }, title),
    make("div", { class: "scroll", tabindex: 0, role: "region", "aria-labelledby": id },
      make("table", {},
        make("thead", {}, make("tr", {}, head.map(([name, tip, look], column) =>
          make("th", { scope: "col", class: numeric(column) ? "number" : look }, tip ? make("abbr", { title: tip }, name) : name)))),
        make("tbody", {}, rows.map(row)))),
    more && make("p", { class: "more" }, more),
    lists.map(({ title, items }) =>
      make("details", {}, make("summary", {}, title), make("ul", { class: "facts" }, items.map((item) => make("li", {}, linked(item)))))));
};
const legend = ([look, sample, words]) =>
  make("li", {}, make(/^[kd] /.test(look) ? "span" : "mark", { class: look }, sample), " ", make("span", {}, words));

// The map: a row of columns for each result, as high as they are full.
const COLUMNS = 720, STEPS = 8;
const TALL = 4 * STEPS, FOOT = 7; // units of the drawing, and those below it, where ticks are
const FEW = 400; // places that are drawn one by one
const CLOSEST = 4; // columns between two edges of documents, so that many leave the map readable
const size = Math.max(data.sizes?.reduce((sum, one) => sum + one, 0) ?? 0, 1);
const levels = (places) => {
  const covered = new Float64Array(COLUMNS);
  for (const [start, end] of places) {
    const [from, to] = [(COLUMNS * start) / size, (COLUMNS * Math.min(end, size)) / size];
    for (let column = Math.min(Math.floor(from), COLUMNS - 1); column < Math.min(to, COLUMNS); column++)
      covered[column] += Math.max(Math.min(to, column + 1) - Math.max(from, column), 1e-9);
  }
  return Array.from(covered, (share) => (share ? Math.max(1, Math.min(STEPS, Math.round(STEPS * share))) : 0));
};
const rect = (look, x, width, y = 0, height = TALL) =>
  draw("rect", { class: look, x: x.toFixed(2), y, width: width.toFixed(2), height });
const stretches = (heights, drawOne) => {
  const found = [];
  for (let end = 1, start = 0; end <= heights.length; end++)
    if (heights[end] !== heights[start]) {
      if (heights[start]) found.push(drawOne(start, end - start, heights[start]));
      start = end;
    }
  return found;
};
const edges = () => {
  const found = [];
  let at = 0, last = 0;
  for (const one of data.sizes.slice(0, -1)) {
    at += one;
    if ((COLUMNS * at) / size - last < CLOSEST) continue;
    last = (COLUMNS * at) / size;
    found.push(rect("edge", last, 1));
  }
  return found;
};
const mapOf = ({ places, ticks }) => {
  const some = ticks.filter(([, where]) => where.length);
  const kept = places.length > FEW
    ? stretches(levels(places), (x, width, level) => rect("in", x, width, TALL - 4 * level, 4 * level))
    : places.map(([start, end]) => rect("in", (COLUMNS * start) / size, Math.max((COLUMNS * (end - start)) / size, 1)));
  const below = some.map(([tick, where]) =>
    stretches(levels(where).map((level) => Math.min(level, 1)), (x, width) => rect(tick, x, width, TALL + 2, FOOT - 2)));
  return draw("svg", { viewBox: `0 0 ${COLUMNS} ${TALL + (some.length ? FOOT : 0)}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    rect("all", 0, COLUMNS), kept, edges(), below.flat());
};

// The source and the compressed texts.
const piece = ({ fate, look, tip, text, number, at }, index, all) => {
  const inside = marked(text);
  if (fate === "k") return make("span", { class: `k ${look}`, id: `s${number}`, "data-at": at, "data-k": number, title: tip }, inside);
  if (fate === "d")
    return make("span", { class: `d ${look}`, title: tip }, make("span", {}, inside));
  const around = [all[index - 1], all[index + 1]].filter(Boolean);
  return around.length && around.every((one) => one.fate === "d") ? make("span", { class: "g" }, inside) : inside;
};
const article = ({ title: [name, whole], anchor, at, mono, nothing, pieces }) =>
  make("article", { class: nothing && "nothing", "data-at": at },
    data.sizes.length > 1 && make("h3", { id: anchor }, make("bdi", { title: whole }, name)),
    make("div", { class: mono ? "text mono" : "text", ...OWN },
      pieces.length ? pieces.flatMap(piece) : make("span", { class: "x note" }, "There is nothing in it.")));
const panel = ({ mono, text }) => [
  make("h2", { id: "compressed" }, "Compressed"),
  make("div", { class: mono ? "text result mono" : "text result", tabindex: 0, role: "region", "aria-labelledby": "compressed", ...OWN },
    text.flatMap((one) => (one.number === undefined ? marked([one]) : make("span", { class: one.look, "data-s": one.number }, marked(one.text))))),
];

byId("header").append(...header().filter(Boolean));
byId("tables").append(...data.tables.map(table));
byId("legend").append(...data.legend.map(legend));
byId("map").prepend(mapOf(data.map));
byId("map").ariaValueMax = data.places;
byId("map").ariaValueText = `${count(data.places)} places with kept text`;
byId("where").value = `${count(data.places)} place${data.places === 1 ? "" : "s"}`; // neighbours are one
byId("only").checked = data.only;
byId("column").append(...data.documents.map(article), data.more && make("p", { class: "more" }, data.more));
byId("beside").append(...panel(data.panel));

// Without a server: walk through what was kept and dropped, go where the map says, search.
const main = document.querySelector("main");
const [column, map, only, why, controls] = ["column", "map", "only", "why", "controls"].map(byId);
const stops = [...column.querySelectorAll("[data-at]")]; // documents and kept pieces, in order
const kept = stops.filter((one) => one.id);
const dropped = [...column.querySelectorAll(".d[title]")];
const at = (element) => Number(element.dataset.at);

// The first of so many for which `after` holds; it holds for all from there on.
const first = (number, after) => {
  let low = 0, high = number;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (after(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};

// The same text in the other column.
const twins = (piece) => {
  const { s, k } = piece.dataset;
  return s === undefined ? [...main.querySelectorAll(`[data-s="${k}"]`)] : [...column.querySelectorAll(`[data-k="${s}"]`)];
};

// Where things are.
const topOf = (element) => element.getBoundingClientRect().top;
const ceiling = () => controls.getBoundingClientRect().bottom;
const floor = () => (why.hidden ? innerHeight : topOf(why));
const inView = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= ceiling() && bottom <= floor();
};
const show = (element) => {
  const panel = element.closest(".result");
  if (panel && panel.scrollHeight > panel.clientHeight)
    panel.scrollTop += topOf(element) - topOf(panel) - panel.clientHeight / 3;
  else if (!inView(element)) scrollBy(0, topOf(element) - ceiling() - (floor() - ceiling()) / 3);
};
const offsetAt = (y) => {
  const next = first(stops.length, (n) => topOf(stops[n]) > y);
  if (!next) return 0;
  const [from, start] = [topOf(stops[next - 1]), at(stops[next - 1])];
  const [to, end] = next < stops.length ? [topOf(stops[next]), at(stops[next])] : [column.getBoundingClientRect().bottom, size];
  return start + (end - start) * Math.min(Math.max((y - from) / (to - from || 1), 0), 1);
};
const drawView = () => {
  const [from, to] = [offsetAt(ceiling()), offsetAt(innerHeight)];
  byId("view").style.left = `${(100 * from) / size}%`;
  byId("view").style.width = `${(100 * (to - from)) / size}%`;
};
let waiting = false;
const soon = () => {
  if (!waiting) requestAnimationFrame(() => { waiting = false; drawView(); });
  waiting = true;
};
const measure = () => {
  document.documentElement.style.setProperty("--bar", `${controls.offsetHeight}px`);
  soon();
};

// One piece is chosen: it and its twins are lit, and the page says why it is there.
let chosen = null;
let lit = [];
const light = (pieces) => {
  for (const one of lit) one.classList.remove("lit");
  lit = pieces;
  for (const one of lit) one.classList.add("lit");
};
const say = (piece, mark) => {
  const start = piece.dataset.s !== undefined ? twins(piece)[0] ?? piece : piece;
  const place = start.dataset.at !== undefined ? `, at ${Math.round((100 * at(start)) / size)}% of the source` : "";
  const title = start.closest("article")?.querySelector("h3")?.textContent;
  byId("said").textContent = [mark?.title, start.title && start.title + place + (title ? `, in ${title}` : "")].filter(Boolean).join("\n");
  byId("other").hidden = !twins(piece).length;
  why.hidden = false;
};
const choose = (piece, scroll = true, mark = null) => {
  chosen?.classList.remove("here");
  chosen = piece;
  const others = twins(piece);
  light([piece, ...others]);
  piece.classList.add("here");
  piece.tabIndex = -1;
  say(piece, mark);
  if (scroll) {
    show(piece);
    piece.focus({ preventScroll: true });
  }
  for (const one of others.slice(0, 2)) if (one.closest(".result, .column") !== piece.closest(".result, .column")) {
    const panel = one.closest(".result");
    if (panel ? panel.scrollHeight > panel.clientHeight : scroll) show(one);
  }
  const source = piece.dataset.s === undefined ? piece : others[0];
  const number = kept.indexOf(source);
  if (number >= 0) {
    byId("where").value = `${count(number + 1)} of ${count(kept.length)}`;
    map.ariaValueNow = number + 1;
    map.ariaValueText = `kept piece ${number + 1} of ${kept.length}`;
    byId("pin").style.left = `${(100 * (at(source) + source.textContent.length / 2)) / size}%`;
    byId("pin").classList.add("on");
  }
};
const leave = () => {
  chosen?.classList.remove("here");
  chosen = null;
  light([]);
  why.hidden = true;
};

// From the chosen piece to the next or previous one of a list; without one, from what is in view.
const before = (one, other) => Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
const walk = (pieces, step) => {
  if (!pieces.length) return;
  const start = chosen?.dataset.s === undefined ? chosen : twins(chosen)[0];
  const number = start
    ? first(pieces.length, (n) => before(start, pieces[n])) - (step < 0 ? 1 : 0) - (step < 0 && pieces.includes(start) ? 1 : 0)
    : first(pieces.length, (n) => topOf(pieces[n]) >= ceiling()) - (step < 0 ? 1 : 0);
  choose(pieces[(number + pieces.length) % pieces.length]);
};
const toOther = () => {
  const [twin] = chosen ? twins(chosen) : [];
  if (twin) {
    choose(twin);
    twin.closest(".result")?.scrollIntoView({ block: "nearest" });
  } else chosen?.classList.toggle("open");
};

// The map: near kept text it goes there, elsewhere to that place of the source.
const go = (offset) => {
  const next = first(kept.length, (n) => at(kept[n]) > offset);
  const [left, right] = [kept[next - 1], kept[next]];
  const gaps = [left ? Math.max(offset - at(left) - left.textContent.length, 0) : Infinity, right ? at(right) - offset : Infinity];
  const near = Math.min(...gaps);
  if (near < Infinity && (only.checked || near <= size / 200)) return choose(gaps[0] <= gaps[1] ? left : right);
  const stop = first(stops.length, (n) => at(stops[n]) > offset);
  if (!stop) return;
  const [from, to] = [topOf(stops[stop - 1]), stop < stops.length ? topOf(stops[stop]) : column.getBoundingClientRect().bottom];
  const [start, end] = [at(stops[stop - 1]), stop < stops.length ? at(stops[stop]) : size];
  leave();
  scrollBy(0, from + ((to - from) * (offset - start)) / (end - start || 1) - ceiling() - innerHeight / 4);
};
map.addEventListener("click", (event) => {
  const { left, width } = map.getBoundingClientRect();
  go((size * (event.clientX - left)) / width);
});
map.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  const end = { Home: kept[0], End: kept.at(-1) }[event.key];
  if (step === undefined && !end) return;
  event.preventDefault();
  if (end) choose(end);
  else walk(kept, step);
  map.focus({ preventScroll: true });
});

// Search: what is found is painted without touching the text.
const fold = (text) => {
  const low = text.toLowerCase();
  return low.length === text.length ? low : text.replace(/[^]/g, (one) => (one.toLowerCase().length === 1 ? one.toLowerCase() : one));
};
const read = (root) => {
  const nodes = [], starts = [];
  let text = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (!node.parentElement.closest(".text") || node.parentElement.closest(".x")) continue;
    nodes.push(node);
    starts.push(text.length);
    text += node.data;
  }
  return { nodes, starts, text: fold(text) };
};
const rangesOf = ({ nodes, starts, text }, wanted) => {
  const ranges = [];
  for (let place = text.indexOf(wanted); place >= 0 && ranges.length < 5000; place = text.indexOf(wanted, place + wanted.length)) {
    const range = document.createRange();
    const [from, to] = [place, place + wanted.length - 1].map((one) => first(starts.length, (n) => starts[n] > one) - 1);
    range.setStart(nodes[from], place - starts[from]);
    range.setEnd(nodes[to], place + wanted.length - starts[to]);
    ranges.push(range);
  }
  return ranges;
};
const box = byId("find");
const painter = globalThis.CSS?.highlights && globalThis.Highlight;
let texts = null, matches = [], match = -1;
const paint = (name, ranges) => painter && (ranges.length ? CSS.highlights.set(name, new Highlight(...ranges)) : CSS.highlights.delete(name));
const search = () => {
  texts ??= [column, main.querySelector(".beside")].map(read);
  const wanted = fold(box.value);
  matches = wanted ? rangesOf(texts[0], wanted) : [];
  match = -1;
  paint("found", wanted ? [...matches, ...rangesOf(texts[1], wanted)] : []);
  paint("match", []);
  const still = matches.filter((range) => range.startContainer.parentElement.closest(".k")).length;
  const number = count(matches.length) + (matches.length < 5000 ? "" : "+");
  byId("found").value = wanted ? (matches.length ? `${number}, ${count(still)} kept` : "none") : "";
};
const toMatch = (step) => {
  if (!matches.length) return;
  match = (match + step + matches.length + (match < 0 && step < 0 ? 1 : 0)) % matches.length;
  const range = matches[match];
  const piece = range.startContainer.parentElement.closest(".k[id], .d[title]");
  if (only.checked && piece?.matches(".d")) piece.classList.add("open");
  range.startContainer.parentElement.closest("article.nothing")?.classList.add("open");
  paint("match", [range]);
  scrollBy(0, topOf(range) - ceiling() - (innerHeight - ceiling()) / 3);
  if (piece) {
    choose(piece, false);
    box.focus({ preventScroll: true });
  }
  byId("found").value = `${count(match + 1)} of ${count(matches.length)}${matches.length < 5000 ? "" : "+"}`;
};
box.addEventListener("input", search);
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter") toMatch(event.shiftKey ? -1 : 1);
});

// Pointing lights up both columns; a tap or click also says why.
const pieceAt = (event) => event.target.closest?.(".k[id], [data-s], .d[title]");
main.addEventListener("mouseover", (event) => {
  const piece = pieceAt(event);
  if (piece && !piece.matches(".d")) light([piece, ...twins(piece)]);
});
main.addEventListener("mouseout", () => light(chosen ? [chosen, ...twins(chosen)] : []));
main.addEventListener("click", (event) => {
  const piece = pieceAt(event);
  if (!piece || !getSelection().isCollapsed || event.target.closest("a")) return;
  if (only.checked && piece.matches(".d")) piece.classList.toggle("open");
  choose(piece, false, event.target.closest("mark[title]"));
});

const doors = {
  next: () => walk(kept, 1), back: () => walk(kept, -1), other: toOther, close: leave,
  "find-next": () => toMatch(1), "find-back": () => toMatch(-1),
};
for (const [id, open] of Object.entries(doors)) byId(id).addEventListener("click", open);
const keys = {
  n: doors.next, p: doors.back, d: () => walk(dropped, 1), u: () => walk(dropped, -1),
  "/": () => { box.focus(); box.select(); }, o: () => only.click(), Escape: leave,
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target === box) {
    if (event.key === "Escape") box.blur();
    return;
  }
  if (event.key === "Enter" && event.target === chosen) toOther();
  else if (Object.hasOwn(keys, event.key)) {
    event.preventDefault();
    keys[event.key]();
  }
});
only.addEventListener("change", () => {
  main.classList.toggle("only", only.checked);
  if (chosen) show(chosen);
  soon();
});
main.classList.toggle("only", only.checked); // a browser may remember the box
addEventListener("scroll", soon, { passive: true });
addEventListener("resize", measure);
measure();
