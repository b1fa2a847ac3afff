"use strict";
(() => {
  const root = document.documentElement;
  const theme = document.getElementById("theme");
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : systemDark.matches);
  const nameTheme = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
  });
  systemDark.addEventListener("change", nameTheme);
  theme.hidden = false;
  nameTheme();

  // Numbers sort as numbers, cells without a number come last, everything else sorts as text.
  const keyOf = (cell) => {
    if (cell.dataset.value === undefined) return cell.textContent.trim().toLowerCase();
    return cell.dataset.value === "" ? NaN : Number(cell.dataset.value);
  };
  const compare = (a, b, sign) => {
    if (typeof a === "number" && typeof b === "number") {
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return sign * (a - b);
    }
    return sign * String(a).localeCompare(String(b));
  };
  const sortBy = (table, header) => {
    const column = Array.from(header.parentElement.children).indexOf(header);
    const descending = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.querySelectorAll("th")) other.removeAttribute("aria-sort");
    header.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    rows.sort((a, b) => compare(keyOf(a.cells[column]), keyOf(b.cells[column]), descending ? -1 : 1));
    body.append(...rows);
  };
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const header of table.tHead.querySelectorAll("th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...header.childNodes);
      header.append(button);
      button.addEventListener("click", () => sortBy(table, header));
    }
  }

  const prepareChart = (figure) => {
    const data = JSON.parse(figure.querySelector("script").textContent);
    const svg = figure.querySelector("svg");
    const cursor = svg.querySelector(".cursor");
    const readings = figure.querySelector(".readings");
    const hidden = new Set();
    let index = -1;
    const show = () => {
      readings.textContent = "";
      cursor.setAttribute("visibility", index < 0 ? "hidden" : "visible");
      if (index < 0) return;
      cursor.setAttribute("x1", data.places[index]);
      cursor.setAttribute("x2", data.places[index]);
      const add = (name, text) => {
        const item = document.createElement("span");
        const label = document.createElement("b");
        label.textContent = name + " ";
        item.append(label, text);
        readings.append(item);
      };
      add("at", data.x[index]);
      data.series.forEach((series, number) => {
        if (!hidden.has(number)) add(series.name, series.texts[index]);
      });
    };
    const nearest = (event) => {
      const box = svg.getBoundingClientRect();
      const place = ((event.clientX - box.left) / box.width) * 720;
      let best = 0;
      data.places.forEach((each, number) => {
        if (Math.abs(each - place) < Math.abs(data.places[best] - place)) best = number;
      });
      return best;
    };
    svg.addEventListener("pointermove", (event) => { index = nearest(event); show(); });
    svg.addEventListener("pointerleave", () => { index = -1; show(); });
    svg.addEventListener("keydown", (event) => {
      const steps = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 };
      if (event.key === "Escape") index = -1;
      else if (event.key === "Home") index = 0;
      else if (event.key === "End") index = data.places.length - 1;
      else if (event.key in steps) {
        index = Math.min(Math.max(index + steps[event.key], 0), data.places.length - 1);
      } else return;
      event.preventDefault();
      show();
    });
    for (const button of figure.querySelectorAll(".legend button")) {
      button.addEventListener("click", () => {
        const number = Number(button.dataset.series);
        const shown = hidden.delete(number);
        if (!shown) hidden.add(number);
        button.setAttribute("aria-pressed", String(shown));
        const group = svg.querySelector(`g[data-series="${number}"]`);
        group.style.display = shown ? "" : "none";
        show();
      });
    }
  };
  document.querySelectorAll("figure.chart").forEach(prepareChart);

  // What is folded on the screen is printed in full. Browsers repeat heads of tables on every sheet
  // unless they hold buttons.
  let opened = [];
  let buttons = [];
  window.addEventListener("beforeprint", () => {
    opened = Array.from(document.querySelectorAll("details:not([open])"));
    for (const each of opened) each.open = true;
    buttons = Array.from(document.querySelectorAll("thead button"), (button) => {
      const text = document.createElement("span");
      text.textContent = button.textContent;
      button.replaceWith(text);
      return [button, text];
    });
  });
  window.addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
    for (const [button, text] of buttons) text.replaceWith(button);
  });
})();
