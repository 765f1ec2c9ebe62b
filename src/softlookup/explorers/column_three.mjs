import { change, fixed, follow, furnish, part, parts, set, share, slide, write } from "./core.mjs";

const NAMES = ["epoch", "seed"];

/** Where the largest number is, or -1 if two are. @param {number[]} row */
function largest(row) {
  const top = Math.max(...row);
  return row.filter((x) => x === top).length === 1 ? row.indexOf(top) : -1;
}

/** @param {number} epoch */
function when(epoch) {
  return epoch ? `after ${epoch} epoch${epoch > 1 ? "s" : ""}` : "before training";
}

/** A number as it is written below the line. @param {number} column */
function below(column) {
  return [...String(column)].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join("");
}

/** @param {string[]} names */
function listed(names) {
  return names.length > 1 ? `${names.slice(0, -1).join(", ")} and ${names.at(-1)}` : names[0];
}

/** @param {any} model @param {HTMLElement} el */
function show(model, el) {
  const [epoch, seed, seeds, column, names, scales] =
    ["epoch", "seed", "seeds", "column", "names", "scales"].map((name) => model.get(name));
  const run = seeds.indexOf(seed);
  const rows = model.get("pictures").map((/** @type {number[][][]} */ runs) => runs[run][epoch]);
  const cells = parts(el, "cell");
  /** @type {string[]} */
  const there = [], /** @type {string[]} */ other = [];
  rows.forEach((/** @type {number[]} */ row, /** @type {number} */ j) => {
    const at = largest(row);
    (at === column ? there : other).push(names[j]);
    row.forEach((x, i) => {
      const cell = cells[j * row.length + i];
      set(cell, {
        class: `${i === column ? "label" : "noise"} ${i === at ? "largest" : "other"}`,
        style: share(x / scales[j]),
      });
      write(cell, fixed(x, 2));
    });
  });
  parts(el, "seed").forEach((button, i) =>
    set(button, { "aria-pressed": seeds[i] === seed ? "true" : "false" }));
  slide(el, "epoch", epoch, String(epoch));
  const [loss, accuracy, pull] =
    ["loss", "accuracy", "pull"].map((name) => fixed(model.get(name)[run][epoch], 2));
  const where = !other.length ? "largest in every picture"
    : !there.length ? "largest in no picture"
    : `largest in ${listed(there)}, not in ${listed(other)}`;
  write(part(el, "sentence"), `Seed ${seed} ${when(epoch)}: loss ${loss}, accuracy ${accuracy}, ` +
    `u${below(column)}\u00a0=\u00a0${pull}. Column ${column} is ${where}.`);
}

export default {
  /** @param {{ model: any, el: HTMLElement }} host */
  render({ model, el }) {
    furnish(model, el);
    const knob = part(el, "epoch");
    knob.addEventListener("input", () => change(model, { epoch: Number(knob.value) }));
    parts(el, "seed").forEach((button, i) =>
      button.addEventListener("click", () => change(model, { seed: model.get("seeds")[i] })));
    return follow(model, el, NAMES, () => show(model, el));
  },
};
