import { change, dot, draggable, fixed, follow, furnish, part, parts, place, point, set, share, slide, softmax, write } from "./core.mjs";

const NAMES = ["query", "temperature"];

/** @param {number} temperature */
function rounded(temperature) {
  return Number(temperature.toPrecision(3));
}

/** The weights, their products with the values, and the blend.
 * @param {any} model */
function answer(model) {
  const keys = /** @type {number[][]} */ (model.get("key"));
  const scores = keys.map((key) => dot(model.get("query"), key));
  const weights = softmax(scores, model.get("temperature"));
  const products = weights.map((weight, i) => weight * model.get("value")[i]);
  return { weights, products, blend: products.reduce((sum, x) => sum + x, 0) };
}

/** @param {any} model @param {HTMLElement} el */
function show(model, el) {
  const { weights, products, blend } = answer(model);
  const query = model.get("query"), temperature = model.get("temperature");
  const [x, y] = query, [right, down] = point(x, y);
  set(part(el, "query"), {
    transform: `translate(${right} ${down})`,
    "aria-valuenow": String(x),
    "aria-valuetext": `${fixed(x, 2)}, ${fixed(y, 2)}`,
  });
  query.forEach((/** @type {number} */ at, /** @type {number} */ i) =>
    slide(el, `query-${i}`, at, fixed(at, 2)));
  const power = Math.round(Math.log10(temperature) * 100) / 100;
  slide(el, "temperature", power, String(rounded(temperature)));
  const [dots, names, bars, shares, cells] =
    ["dot", "name", "bar", "weight", "product"].map((name) => parts(el, name));
  weights.forEach((weight, i) => {
    const r = place(Math.sqrt(16 + 340 * weight));
    set(dots[i], { r });
    set(names[i], { y: place(Number(dots[i].getAttribute("cy")) + Number(r) + 14) });
    set(bars[i], { style: share(weight) });
    write(shares[i], fixed(weight, 2));
    write(cells[i], fixed(products[i], 2));
  });
  write(part(el, "answer"), fixed(blend, 2));
  const best = weights.indexOf(Math.max(...weights));
  const shown = `${fixed(blend, 2)} ${model.get("unit")}`.trim();
  write(part(el, "sentence"), `At T = ${rounded(temperature)} the blend is ${shown}. ` +
    `Best match: ${model.get("names")[best]}, weight ${fixed(weights[best], 2)}.`);
}

export default {
  /** @param {{ model: any, el: HTMLElement }} host */
  render({ model, el }) {
    furnish(model, el);
    draggable(part(el, "query"), () => model.get("query"), (query) => change(model, { query }));
    for (const i of [0, 1]) {
      const knob = part(el, `query-${i}`);
      knob.addEventListener("input", () => {
        const query = [...model.get("query")];
        query[i] = Number(knob.value);
        change(model, { query });
      });
    }
    const knob = part(el, "temperature");
    knob.addEventListener("input", () =>
      change(model, { temperature: rounded(10 ** Number(knob.value)) }));
    return follow(model, el, NAMES, () => show(model, el));
  },
};
