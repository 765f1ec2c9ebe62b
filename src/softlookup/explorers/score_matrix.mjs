import { change, choose, chosen, dot, fixed, follow, furnish, part, parts, place, set, share, softmax, write } from "./core.mjs";

const NAMES = ["row", "mask", "query", "length"];
const OPENING = /** @type {Record<string, string>} */ ({
  none: "Without a mask",
  causal: "With the causal mask",
  padding: "With the padding masked",
  both: "With both masks",
  nothing: "With everything hidden",
});

/** Whether a row may attend to a column under the present mask.
 * @param {any} model @param {number} i @param {number} j @returns {boolean} */
function may(model, i, j) {
  const mask = model.get("mask");
  if (mask === "nothing") return i !== model.get("row");
  if ((mask === "causal" || mask === "both") && j > i) return false;
  return !((mask === "padding" || mask === "both") && j >= model.get("length"));
}

/** @param {any} model @param {HTMLElement} el */
function show(model, el) {
  const keys = /** @type {number[][]} */ (model.get("key"));
  const queries = /** @type {number[][]} */ (model.get("query"));
  const values = /** @type {number[]} */ (model.get("value"));
  const row = model.get("row"), who = model.get("asking")[row];
  const scores = queries.map((query) => keys.map((key) => dot(query, key)));
  const seen = scores.map((line, i) => line.map((_, j) => may(model, i, j)));
  const cells = parts(el, "score");
  const low = Math.min(...scores.flat()), high = Math.max(...scores.flat());
  scores.flat().forEach((score, at) => {
    const is = seen.flat()[at];
    write(cells[at], is ? fixed(score, 2) : "\u00d7");
    const heat = high > low ? (score - low) / (high - low) : 0;
    set(cells[at], { style: `--heat: ${place(heat, 3)};`, class: is ? "seen" : "hidden" });
  });
  const root = Math.sqrt(keys[0].length);
  const weights = softmax(scores[row], root, seen[row]);
  const [own, scaled, shares, towers, products] =
    ["own", "scaled", "weight", "tower", "product"].map((name) => parts(el, name));
  weights.forEach((weight, j) => {
    write(own[j], fixed(scores[row][j], 2));
    set(own[j], { class: seen[row][j] ? "seen" : "hidden" });
    write(scaled[j], seen[row][j] ? fixed(scores[row][j] / root, 2) : "\u2212\u221e");
    write(shares[j], fixed(weight, 2));
    set(towers[j], { style: share(weight) });
    write(products[j], fixed(weight * values[j], 2));
  });
  const sum = weights.reduce((total, weight, j) => total + weight * values[j], 0);
  const output = `${fixed(sum, 2)} ${model.get("unit")}`.trim();
  write(part(el, "output"), output);
  write(part(el, "followed"), who);
  choose(el, "row", row);
  choose(el, "mask", model.get("mask"));
  const best = weights.indexOf(Math.max(...weights));
  const opening = `${OPENING[model.get("mask")]}, ${who}`;
  write(part(el, "sentence"), seen[row].includes(true)
    ? `${opening} gives ${model.get("names")[best]} the largest weight, ` +
      `${fixed(weights[best], 2)}. Output: ${output}.`
    : `${opening} may attend to nothing: all weights are 0, and so is the output.`);
}

export default {
  /** @param {{ model: any, el: HTMLElement }} host */
  render({ model, el }) {
    furnish(model, el);
    chosen(el, "row", (row) => change(model, { row: Number(row) }));
    chosen(el, "mask", (mask) => change(model, { mask }));
    return follow(model, el, NAMES, () => show(model, el));
  },
};
