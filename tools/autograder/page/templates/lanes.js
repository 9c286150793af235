// The slider below a map of lanes: draws another access, as lanes.py draws the first one.
"use strict";
(() => {
  const CELL = 20, LEFT = 76, TOP = 22, BANKS = 32, SECTOR = 8, MOST_ROWS = 64;
  const make = (name, attributes, text) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    if (text !== undefined) one.textContent = text;
    return one;
  };
  const draw = (svg, step) => {
    const lanesOf = new Map();
    step.at.forEach((at, lane) => {
      if (at === null) return;
      for (let word = Math.floor(at / 4); word <= Math.floor((at + step.bytes - 1) / 4); ++word)
        lanesOf.set(word, [...(lanesOf.get(word) || []), lane]);
    });
    const up = (a, b) => a - b;
    const lines = [...new Set([...lanesOf.keys()].map((word) => Math.floor(word / BANKS)))].sort(up).slice(0, MOST_ROWS);
    const rowOf = new Map(lines.map((line, row) => [line, row]));
    const words = [...lanesOf.keys()].filter((word) => rowOf.has(Math.floor(word / BANKS))).sort(up);
    const column = (word) => ((word % BANKS) + BANKS) % BANKS;
    const inBank = new Array(BANKS).fill(0);
    words.forEach((word) => ++inBank[column(word)]);
    const height = TOP + Math.max(1, lines.length) * CELL + 4;
    const title = svg.querySelector("title");
    svg.replaceChildren(title);
    svg.setAttribute("viewBox", `0 0 ${LEFT + BANKS * CELL + 4} ${height}`);
    svg.setAttribute("height", height);
    const text = (x, y, kind, anchor, said) =>
      svg.append(make("text", anchor ? { x, y, "text-anchor": anchor, class: kind } : { x, y, class: kind }, said));
    const box = (x, y, width, kind) => svg.append(make("rect", { x, y, width, height: CELL - 2, class: kind }));
    for (let at = 0; at < BANKS; at += step.shared ? 4 : SECTOR)
      text(LEFT + at * CELL + 2, TOP - 7, "faint", "", step.shared ? (at ? `${at}` : "bank 0") : `sector ${at / SECTOR}`);
    text(LEFT - 8, TOP - 7, "faint", "end", "byte");
    lines.forEach((line, row) => {
      text(LEFT - 8, TOP + row * CELL + 14, "faint", "end", (line * 128).toLocaleString("en-US"));
      box(LEFT, TOP + row * CELL, BANKS * CELL, "row");
    });
    const cells = words.map((word) => [rowOf.get(Math.floor(word / BANKS)), column(word), lanesOf.get(word)]);
    if (!step.shared)
      for (const sector of new Set(cells.map(([row, at]) => row * 4 + Math.floor(at / SECTOR))))
        box(LEFT + (sector % 4) * SECTOR * CELL, TOP + Math.floor(sector / 4) * CELL, SECTOR * CELL - 2, "sector");
    for (const [row, at, lanes] of cells) {
      const x = LEFT + at * CELL, y = TOP + row * CELL, group = Math.floor(lanes[0] / 8);
      const conflict = step.shared && step.conflict && inBank[at] > 1 ? " conflict" : "";
      box(x, y, CELL - 2, `lane g${group}${conflict}`);
      text(x + (CELL - 2) / 2, y + 13, `on g${group}`, "middle", lanes.length === 1 ? `${lanes[0]}` : `×${lanes.length}`);
    }
  };
  for (const figure of document.querySelectorAll("figure[data-steps]")) {
    const steps = JSON.parse(figure.dataset.steps), slider = figure.querySelector("input");
    const svg = figure.querySelector("svg"), said = figure.querySelector(".said");
    const count = figure.querySelector("output");
    slider.addEventListener("input", () => {
      const at = Number(slider.value) - 1;
      draw(svg, steps[at]);
      said.textContent = steps[at].text;
      count.textContent = `${at + 1} of ${steps.length}`;
    });
    figure.querySelector(".slider").hidden = steps.length < 2;
  }
})();
