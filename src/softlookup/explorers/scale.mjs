import { change, fixed, follow, furnish, part, parts, place, set, share, slide, softmax, write } from "./core.mjs";

const NAMES = ["size", "root", "draw"];
const POWERS = 8;

/** The style of a bar that goes so far to the left or right, from -1 to 1.
 * @param {number} far */
function signed(far) {
  return `--from: ${place(0.5 + Math.min(0, far) / 2, 4)}; --long: ${place(Math.abs(far) / 2, 4)};`;
}

/** A slope, with two digits that say something even if it is small.
 * @param {number} slope */
function small(slope) {
  if (slope < 10 ** -POWERS) return `< ${fixed(10 ** -POWERS, POWERS)}`;
  return fixed(slope, slope >= 0.001 ? 4 : 1 - Math.floor(Math.log10(slope)));
}

/** How much of its bar a slope fills: one part of `POWERS` per power of ten.
 * @param {number} slope */
function filled(slope) {
  const power = slope > 0 ? Math.log10(slope) : -POWERS;
  return Math.max(0, 1 + power / POWERS);
}

/** @param {any} model @param {HTMLElement} el */
function show(model, el) {
  const size = model.get("size"), root = model.get("root"), draw = model.get("draw");
  const all = /** @type {number[][][]} */ (model.get("scores"));
  const at = model.get("sizes").indexOf(size), factor = root ? Math.sqrt(size) : 1;
  const scaled = all[draw].map((key) => key[at] / factor);
  const weights = softmax(scaled);
  const slope = Math.max(...weights.map((w) => w * (1 - w)));
  const longest = Math.max(...all.flat(2).map(Math.abs)) || 1;

  write(part(el, "kind"), root ? `q ⋅ k / √${size}` : "q ⋅ k");
  const [scores, sides, bars, shares] =
    ["score", "signed", "bar", "weight"].map((name) => parts(el, name));
  weights.forEach((weight, i) => {
    write(scores[i], fixed(scaled[i], 2));
    set(sides[i], { style: signed(scaled[i] / longest) });
    set(bars[i], { style: share(weight) });
    write(shares[i], fixed(weight, 2));
  });
  write(part(el, "slope"), small(slope));
  set(part(el, "gauge"), { style: share(filled(slope)) });

  slide(el, "size", at, String(size));
  const box = part(el, "root");
  box.toggleAttribute("checked", root);
  box.checked = root;
  write(part(el, "draw"), `draw others (${draw + 1} of ${all.length})`);

  const columns = size === 1 ? "1 column" : `${size} columns`;
  write(part(el, "sentence"), `${columns}, ${root ? "with" : "without"} the root: scores from ` +
    `${fixed(Math.min(...scaled), 1)} to ${fixed(Math.max(...scaled), 1)}, ` +
    `largest weight ${fixed(Math.max(...weights), 2)} ` +
    `(fair share ${fixed(1 / weights.length, 2)}), steepest slope ${small(slope)}.`);
}

export default {
  /** @param {{ model: any, el: HTMLElement }} host */
  render({ model, el }) {
    furnish(model, el);
    const knob = part(el, "size"), box = part(el, "root");
    knob.addEventListener("input", () =>
      change(model, { size: model.get("sizes")[Number(knob.value)] }));
    box.addEventListener("change", () => change(model, { root: box.checked }));
    part(el, "draw").addEventListener("click", () =>
      change(model, { draw: (model.get("draw") + 1) % model.get("scores").length }));
    return follow(model, el, NAMES, () => show(model, el));
  },
};
