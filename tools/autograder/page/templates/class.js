// The table of people: sorts by a heading, and shows those who match search and filters. No server, nothing is stored.
"use strict";
(() => {
  const table = document.querySelector("table.people");
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows], form = document.querySelector(".filters");
  const part = (name) => form.querySelector(`[data-filter=${name}]`);
  const shown = form.querySelector("output");
  form.hidden = false;
  const number = (text, other) => (text.trim() === "" || Number.isNaN(Number(text)) ? other : Number(text));
  const plain = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const filter = () => {
    const words = plain(part("search").value).split(/\s+/).filter(Boolean);
    const verdict = part("verdict").value, section = part("section") ? part("section").value : "";
    const least = number(part("least").value, -Infinity), most = number(part("most").value, Infinity);
    const bounded = part("least").value !== "" || part("most").value !== "";
    let count = 0;
    for (const row of rows) {
      const points = number(row.dataset.points, NaN);
      const fits = words.every((word) => plain(row.dataset.search).includes(word))
        && (!verdict || row.dataset.verdicts.split(" ").includes(verdict))
        && (!section || row.dataset.section === section)
        && (!bounded || (points >= least && points <= most));
      row.hidden = !fits;
      count += fits;
    }
    shown.textContent = `${count} of ${rows.length}`;
  };
  const compare = (key) => (a, b) => {
    const one = a.dataset[key] ?? "", other = b.dataset[key] ?? "";
    if (key === "points" || key === "took") return number(one, -1) - number(other, -1);
    return plain(one).localeCompare(plain(other));
  };
  let by = "", falling = false;
  const sort = (key, heading) => {
    falling = by === key ? !falling : key === "points" || key === "took";
    by = key;
    const sorted = [...rows].sort(compare(key));
    body.replaceChildren(...(falling ? sorted.reverse() : sorted));
    for (const one of table.querySelectorAll("th[aria-sort]")) one.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
  };
  for (const button of table.querySelectorAll("th button"))
    button.addEventListener("click", () => sort(button.dataset.sort, button.closest("th")));
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
