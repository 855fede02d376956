"use strict";

// plotly.js offers by default to upload a chart to its maker's servers: not from this page.
const config = { responsive: true, displaylogo: false, showSendToCloud: false, plotlyServerURL: "" };

for (const panel of document.querySelectorAll(".panel")) {
  const figures = JSON.parse(panel.querySelector("script").textContent);
  const select = panel.querySelector("select");
  const plot = panel.querySelector(".plot");
  const draw = () => {
    const figure = figures[select.value];
    Plotly.react(plot, figure.data, figure.layout, config);
  };
  select.addEventListener("change", draw);
  draw();
}

const key = (row, column) => {
  const text = row.cells[column].textContent;
  const number = parseFloat(text.replace(/^[^\d–-]*/, "").replace(/,/g, ""));
  return Number.isNaN(number) ? text : number;
};

const compare = (a, b) => {
  if (typeof a === typeof b) return typeof a === "number" ? a - b : a.localeCompare(b, undefined, { numeric: true });
  return typeof a === "number" ? -1 : 1;
};

for (const heading of document.querySelectorAll("th")) {
  heading.addEventListener("click", () => {
    const order = heading.dataset.order === "1" ? -1 : 1;
    for (const other of heading.parentNode.cells) delete other.dataset.order;
    heading.dataset.order = order;
    const body = heading.closest("table").tBodies[0];
    const rows = [...body.rows];
    rows.sort((a, b) => order * compare(key(a, heading.cellIndex), key(b, heading.cellIndex)));
    body.append(...rows);
  });
}
