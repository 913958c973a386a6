"use strict";
// The page without a server: walk through what was kept and dropped, go where the map says, search.
const byId = (id) => document.getElementById(id);
const main = document.querySelector("main");
const [column, map, only, why, controls] = ["column", "map", "only", "why", "controls"].map(byId);
const total = Number(map.dataset.total) || 1;
const stops = [...column.querySelectorAll("[data-at]")]; // documents and kept pieces, in order
const kept = stops.filter((one) => one.id);
const dropped = [...column.querySelectorAll(".d[title]")];
const at = (element) => Number(element.dataset.at);
const several = kept.some((one) => one.dataset.k !== undefined); // two compressed texts

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
  const name = piece.dataset.s;
  if (name !== undefined) return [...column.querySelectorAll(several ? `[data-k~="${name}"]` : `[id="s${name}"]`)];
  const names = piece.dataset.k?.split(" ") ?? (piece.id ? [piece.id.slice(1)] : []);
  return names.flatMap((one) => [...main.querySelectorAll(`[data-s="${one}"]`)]);
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
  const [to, end] = next < stops.length ? [topOf(stops[next]), at(stops[next])] : [column.getBoundingClientRect().bottom, total];
  return start + (end - start) * Math.min(Math.max((y - from) / (to - from || 1), 0), 1);
};
const drawView = () => {
  const [from, to] = [offsetAt(ceiling()), offsetAt(innerHeight)];
  byId("view").style.left = `${(100 * from) / total}%`;
  byId("view").style.width = `${(100 * (to - from)) / total}%`;
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
  const place = start.dataset.at !== undefined ? `, at ${Math.round((100 * at(start)) / total)}% of the source` : "";
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
    byId("where").value = `${(number + 1).toLocaleString("en")} of ${kept.length.toLocaleString("en")}`;
    map.ariaValueNow = number + 1;
    map.ariaValueText = `kept piece ${number + 1} of ${kept.length}`;
    byId("pin").style.left = `${(100 * (at(source) + source.textContent.length / 2)) / total}%`;
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
  if (near < Infinity && (only.checked || near <= total / 200)) return choose(gaps[0] <= gaps[1] ? left : right);
  const stop = first(stops.length, (n) => at(stops[n]) > offset);
  if (!stop) return;
  const [from, to] = [topOf(stops[stop - 1]), stop < stops.length ? topOf(stops[stop]) : column.getBoundingClientRect().bottom];
  const [start, end] = [at(stops[stop - 1]), stop < stops.length ? at(stops[stop]) : total];
  leave();
  scrollBy(0, from + ((to - from) * (offset - start)) / (end - start || 1) - ceiling() - innerHeight / 4);
};
map.addEventListener("click", (event) => {
  const { left, width } = map.getBoundingClientRect();
  go((total * (event.clientX - left)) / width);
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
  const number = matches.length.toLocaleString("en") + (matches.length < 5000 ? "" : "+");
  byId("found").value = wanted ? (matches.length ? `${number}, ${still.toLocaleString("en")} kept` : "none") : "";
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
  byId("found").value = `${(match + 1).toLocaleString("en")} of ${matches.length.toLocaleString("en")}${matches.length < 5000 ? "" : "+"}`;
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
