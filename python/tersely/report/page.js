"use strict";
// Pointing at kept text lights it up in both columns; a click brings its other half into view.
const twin = (element) =>
  element.dataset.s === undefined
    ? document.querySelector('[data-s="' + element.id.slice(1) + '"]')
    : document.getElementById("s" + element.dataset.s);
const pieceAt = (event) => event.target.closest(".k[id], [data-s]");
const light = (event, on) => {
  const piece = pieceAt(event);
  for (const one of piece ? [piece, twin(piece)] : []) one?.classList.toggle("lit", on);
};
const main = document.querySelector("main");
main.addEventListener("mouseover", (event) => light(event, true));
main.addEventListener("mouseout", (event) => light(event, false));
main.addEventListener("click", (event) => {
  const piece = pieceAt(event);
  if (piece && getSelection().isCollapsed && !event.target.closest("a"))
    twin(piece)?.scrollIntoView({ block: "center" });
});
