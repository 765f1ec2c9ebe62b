import { PLANE, UNIT, change, dot, draggable, fixed, follow, furnish, part, parts, place, point, set, share, slide, write } from "./core.mjs";

const NAMES = ["query", "key", "added", "chosen"];
const REACHES = [0.2, 0.5, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12, 16];

/** @param {number[]} vector */
function length(vector) {
  return Math.sqrt(vector[0] * vector[0] + vector[1] * vector[1]);
}

/** @param {number[]} vector */
function shown(vector) {
  return vector.map((x) => fixed(x, 2)).join(", ");
}

/** @param {number[]} list */
function sum(list) {
  return list.reduce((total, x) => total + x, 0);
}

/** @param {number[]} list */
function largest(list) {
  return list.indexOf(Math.max(...list));
}

/** The path of an arrow; a short one has a small head, and one of no length none.
 * @param {number[]} from @param {number[]} to */
function arrow([x0, y0], [x1, y1]) {
  const long = length([x1 - x0, y1 - y0]);
  if (long === 0) return "";
  const head = Math.min(10, long), side = 0.4 * head;
  const x = (x1 - x0) / long, y = (y1 - y0) / long;
  const a = x1 - head * x, b = y1 - head * y;
  return `M${place(x0)} ${place(y0)}L${place(a)} ${place(b)}M${place(x1)} ${place(y1)}` +
    `L${place(a - side * y)} ${place(b + side * x)}L${place(a + side * y)} ${place(b - side * x)}Z`;
}

/** To which side of an arrow's tip its name goes: away from others, or to the middle.
 * @param {number} x @param {number} y */
function side(x, y) {
  return (x >= 0) === (Math.abs(y) > Math.abs(x) && Math.abs(x) < 0.5) ? "start" : "end";
}

/** The two ends, at the picture's edge, of the line through the origin along a vector.
 * @param {number[]} vector @param {number} [edge] */
function ends([x, y], edge = 1) {
  const most = Math.max(Math.abs(x), Math.abs(y));
  const far = most > 0 ? (edge * PLANE) / 2 / most : 0;
  const [x1, y1, x2, y2] = [-far * x, far * y, far * x, -far * y].map((at) => place(PLANE / 2 + at));
  return { x1, y1, x2, y2 };
}

/** What the state comes to: scores, where the sum has got to, directions and pulls.
 * @param {any} model */
function results(model) {
  const query = model.get("query"), keys = /** @type {number[][]} */ (model.get("key"));
  const scores = keys.map((key) => dot(query, key));
  const corners = [[0, 0]];
  keys.forEach(([a, b], i) => {
    const [x, y] = corners[i];
    corners.push([x + scores[i] * a, y + scores[i] * b]);
  });
  const cosines = keys.map((key, i) => {
    const product = length(query) * length(key);
    return product > 0 ? scores[i] / product : null;
  });
  const pulls = scores.map((s) => (length(query) > 0 ? (s * s) / length(query) : 0));
  return { scores, corners, cosines, pulls };
}

/** @param {any} model @param {HTMLElement} el */
function showKeys(model, el) {
  const query = model.get("query"), keys = /** @type {number[][]} */ (model.get("key"));
  const [right, down] = point(query[0], query[1]);
  set(part(el, "query"), {
    transform: `translate(${right} ${down})`,
    "aria-valuenow": String(query[0]),
    "aria-valuetext": shown(query),
  });
  set(part(el, "ray"), { x2: right, y2: down });
  set(part(el, "zero"), ends([-query[1], query[0]]));
  const [arrows, names, tips] = ["arrow", "name", "tip"].map((name) => parts(el, name));
  keys.forEach(([x, y], i) => {
    const to = [PLANE / 2 + UNIT * x, PLANE / 2 - UNIT * y];
    set(arrows[i], { d: arrow([PLANE / 2, PLANE / 2], to) });
    set(names[i], {
      x: place(to[0]),
      y: place(to[1] + (y >= 0 ? -9 : 20)),
      class: side(x, y),
    });
    set(tips[i], {
      transform: `translate(${place(to[0])} ${place(to[1])})`,
      "aria-valuenow": String(x),
      "aria-valuetext": shown([x, y]),
    });
  });
}

/** @param {any} model @param {HTMLElement} el @param {number[]} scores @param {number[][]} corners */
function showSum(model, el, scores, corners) {
  const added = model.get("added");
  const most = Math.max(...corners.flat().map(Math.abs));
  const reach = REACHES.find((x) => x >= most) ?? REACHES[REACHES.length - 1];
  const unit = UNIT / reach;
  const at = corners.map(([x, y]) => [PLANE / 2 + unit * x, PLANE / 2 - unit * y]);
  const [steps, numbers] = ["step", "number"].map((name) => parts(el, name));
  scores.forEach((score, i) => {
    const [x0, y0] = at[i], [x1, y1] = at[i + 1];
    const seen = i < added, x = x1 - x0, y = y1 - y0, long = length([x, y]);
    set(steps[i], {
      d: seen ? arrow(at[i], at[i + 1]) : "",
      class: score < 0 ? "arrow turned" : "arrow",
    });
    const named = seen && long >= 12;
    const [across, below] = named ? [(10 * y) / long, (-10 * x) / long] : [0, 0];
    set(numbers[i], { x: place((x0 + x1) / 2 + across), y: place((y0 + y1) / 2 + below) });
    write(numbers[i], named ? String(i + 1) : "");
  });
  set(part(el, "sum"), { d: arrow(at[0], at[added]) });
  set(part(el, "sum-name"), {
    x: place(at[added][0]),
    y: place(at[added][1] + (corners[added][1] >= 0 ? -9 : 20)),
    class: side(corners[added][0], corners[added][1]),
  });
  const { x2, y2 } = ends(model.get("query"));
  set(part(el, "way"), { x2, y2 });
  const near = ends(model.get("query"), 0.92), name = part(el, "way-name");
  set(name, { x: near.x2, y: near.y2 });
  write(name, model.get("query").some((/** @type {number} */ x) => x !== 0) ? "q" : "");
  for (const tick of parts(el, "tick-low")) write(tick, `\u2212${reach}`);
  for (const tick of parts(el, "tick-high")) write(tick, `${reach}`);
}

/** @param {any} model @param {HTMLElement} el */
function show(model, el) {
  const { scores, corners, cosines, pulls } = results(model);
  const names = model.get("names"), added = model.get("added"), chosen = model.get("chosen");
  const keys = /** @type {number[][]} */ (model.get("key"));
  showKeys(model, el);
  showSum(model, el, scores, corners);
  const cells = ["length", "cosine", "score", "bar", "pull"].map((name) => parts(el, name));
  const all = sum(pulls);
  scores.forEach((score, i) => {
    const cosine = cosines[i];
    write(cells[0][i], fixed(length(keys[i]), 2));
    write(cells[1][i], cosine === null ? "–" : fixed(cosine, 2));
    write(cells[2][i], fixed(score, 2));
    set(cells[3][i], { style: share(all > 0 ? pulls[i] / all : 0) });
    write(cells[4][i], fixed(pulls[i], 2));
  });
  write(part(el, "sum-of"), `sum of ${added}`);
  write(part(el, "total"), shown(corners[added]));
  write(part(el, "pulled"), fixed(sum(pulls.slice(0, added)), 2));

  slide(el, "added", added, `${added} of ${names.length}`);
  const at = [model.get("query"), ...keys][chosen];
  [0, 1].forEach((i) => slide(el, `at-${i}`, at[i], fixed(at[i], 2)));
  parts(el, "option").forEach((option, i) => option.toggleAttribute("selected", i === chosen));
  part(el, "chosen").value = String(chosen);

  const total = `Sum of ${added}: ${shown(corners[added])}.`;
  const best = largest(scores), hardest = largest(pulls);
  const straight = largest(cosines.map((x) => x ?? -2));
  write(part(el, "sentence"), pulls[hardest] === 0
    ? `No key has a score: the query has no length, or no key lies its way. ${total}`
    : `Best match: ${names[best]}, score ${fixed(scores[best], 2)}. ` +
      `Best direction: ${names[straight]}. ` +
      `Hardest pull: ${names[hardest]}, score ${fixed(scores[hardest], 2)}. ${total}`);
}

/** Take the query (0) or a key to another place, and let the sliders follow it.
 * @param {any} model @param {number} which @param {number[]} to */
function move(model, which, to) {
  const keys = model.get("key").map((/** @type {number[]} */ key, /** @type {number} */ i) =>
    i + 1 === which ? to : key);
  change(model, which === 0 ? { query: to, chosen: 0 } : { key: keys, chosen: which });
}

export default {
  /** @param {{ model: any, el: HTMLElement }} host */
  render({ model, el }) {
    furnish(model, el);
    [part(el, "query"), ...parts(el, "tip")].forEach((handle, which) => draggable(
      handle,
      () => [model.get("query"), ...model.get("key")][which],
      (to) => move(model, which, to),
    ));
    [0, 1].forEach((i) => {
      const knob = part(el, `at-${i}`);
      knob.addEventListener("input", () => {
        const which = model.get("chosen");
        const to = [...[model.get("query"), ...model.get("key")][which]];
        to[i] = Number(knob.value);
        move(model, which, to);
      });
    });
    const choice = part(el, "chosen"), steps = part(el, "added");
    choice.addEventListener("change", () => change(model, { chosen: Number(choice.value) }));
    steps.addEventListener("input", () => change(model, { added: Number(steps.value) }));
    return follow(model, el, NAMES, () => show(model, el));
  },
};
