"use strict";
(() => {
  const filter = document.getElementById("filter");
  const count = document.getElementById("count");
  const parts = [...document.querySelectorAll("[data-filter]")].map((element) => [element, element.textContent.toLowerCase()]);
  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [element, text] of parts) {
      element.hidden = !words.every((word) => text.includes(word));
      shown += element.hidden ? 0 : 1;
    }
    count.textContent = words.length ? `${shown} of ${parts.length} shown` : "";
  };
  filter.addEventListener("input", show);

  const theme = document.getElementById("theme");
  const dark = () => (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const tell = () => { theme.setAttribute("aria-pressed", String(dark())); };
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = dark() ? "light" : "dark"; tell(); });
  tell();

  const svg = document.querySelector("#graph svg");
  const nodes = [...document.querySelectorAll(".node")];
  const lines = [...svg.querySelectorAll("line")];
  const details = [...document.querySelectorAll(".node-details")];
  const nothing = document.getElementById("nothing");
  const choose = (at) => {
    const near = new Set();
    for (const line of lines) {
      const ends = [line.dataset.first, line.dataset.second];
      const mine = at !== null && ends.includes(at);
      line.classList.toggle("near", mine);
      if (mine) ends.forEach((end) => near.add(end));
    }
    for (const node of nodes) {
      const chosen = node.dataset.node === at;
      node.classList.toggle("chosen", chosen);
      node.classList.toggle("near", near.has(node.dataset.node));
      node.setAttribute("aria-pressed", String(chosen));
    }
    for (const detail of details) detail.hidden = detail.id !== `node-${at}`;
    nothing.hidden = at !== null;
    svg.classList.toggle("has-choice", at !== null);
  };
  const toggle = (node) => choose(node.classList.contains("chosen") ? null : node.dataset.node);
  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  nodes.forEach((node, at) => {
    node.addEventListener("click", () => toggle(node));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") toggle(node);
      else if (event.key === "Escape") choose(null);
      else if (event.key in steps) nodes[(at + steps[event.key] + nodes.length) % nodes.length].focus();
      else return;
      event.preventDefault();
    });
  });
})();
