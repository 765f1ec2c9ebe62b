// What all explorers use. Each function has a twin in html.py that writes the same first frame.
// A widget gets this file and the explorer's own in one piece: keep declarations at the start of
// their lines, and import nothing here.

/** A number with so many decimals, a true minus sign, and no negative zero.
 * @param {number} number @param {number} digits @returns {string} */
export function fixed(number, digits) {
  const text = number.toFixed(digits);
  return (/[1-9]/.test(text) ? text : text.replace("-", "")).replace("-", "\u2212");
}

/** A length or a coordinate, as it stands in an attribute.
 * @param {number} number @param {number} [digits] @returns {string} */
export function place(number, digits = 1) {
  return fixed(number, digits).replace("\u2212", "-");
}

/** The style of a bar that is so long, from 0 to 1.
 * @param {number} length @returns {string} */
export function share(length) {
  return `--share: ${place(length, 4)};`;
}

/** The plane's picture is this wide and high, and a 1 of the data this long. */
export const PLANE = 300, UNIT = 120;

/** Where in the plane's picture a point of the data lies.
 * @param {number} x @param {number} y @returns {[string, string]} */
export function point(x, y) {
  return [place(PLANE / 2 + UNIT * x), place(PLANE / 2 - UNIT * y)];
}

/** @param {number[]} a @param {number[]} b @returns {number} */
export function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/** Weights that add up to 1; where `mask` is given, a false gets weight 0, and a row of them only 0.
 * @param {number[]} scores @param {number} [temperature] @param {boolean[]} [mask]
 * @returns {number[]} */
export function softmax(scores, temperature = 1, mask) {
  const may = mask ?? scores.map(() => true);
  const largest = Math.max(...scores.filter((_, i) => may[i]));
  const powers = scores.map((s, i) => (may[i] ? Math.exp((s - largest) / temperature) : 0));
  const total = powers.reduce((sum, x) => sum + x, 0);
  return powers.map((x) => (total > 0 ? x / total : 0));
}

/** The elements of a frame that a module changes, in the order of the page.
 * @param {Element} el @param {string} name @returns {any[]} */
export function parts(el, name) {
  return [...el.querySelectorAll(`[data-part="${name}"]`)];
}

/** The one element of that name. @param {Element} el @param {string} name @returns {any} */
export function part(el, name) {
  const found = parts(el, name);
  if (found.length !== 1) throw new Error(`needed one part ${name}, found ${found.length}`);
  return found[0];
}

/** Set attributes, and nothing that stands already: a screen reader hears only what changed.
 * @param {Element} element @param {Record<string, string>} attributes */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }
}

/** @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Move a slider to a value, and write out what it stands for.
 * @param {Element} el @param {string} name @param {number} value @param {string} shown */
export function slide(el, name, value, shown) {
  const knob = part(el, name);
  if (Number(knob.value) !== value || knob.getAttribute("value") !== String(value)) {
    knob.setAttribute("value", String(value));
    knob.value = String(value);
  }
  set(knob, { "aria-valuetext": shown });
  write(part(el, `${name}-shown`), shown);
}

/** Tell the model what the reader changed. @param {any} model @param {Record<string, any>} state */
export function change(model, state) {
  for (const [name, value] of Object.entries(state)) model.set(name, value);
  model.save_changes();
}

/** Bring a frame to life: draw it where there is none yet, wake its controls, and show the model's
 * state now and whenever one of `names` changes. Returns what ends all of it.
 * @param {any} model @param {HTMLElement} el @param {string[]} names @param {() => void} show
 * @returns {() => void} */
export function follow(model, el, names, show) {
  const all = () => show();
  for (const name of names) model.on(`change:${name}`, all);
  show();
  for (const fields of el.querySelectorAll("fieldset")) fields.disabled = false;
  el.dataset.awake = "";
  return () => names.forEach((name) => model.off(`change:${name}`, all));
}

/** Put the first frame into an element that has none.
 * @param {any} model @param {HTMLElement} el */
export function furnish(model, el) {
  if (el.dataset.explorer) return;
  el.classList.add("softlookup-explorer");
  el.dataset.explorer = "widget";
  // JupyterLab's own arrow keys move between cells, wherever the focus is.
  el.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) event.stopPropagation();
  });
  el.innerHTML = model.get("first_frame");
}

/** Let a handle in a plane be dragged, by finger or mouse, and moved with the arrow keys.
 * `at` says where it is, and `move` takes it elsewhere; both in the units of the data.
 * @param {any} handle @param {() => number[]} at @param {(to: number[]) => void} move
 * @param {number} [limit] the largest coordinate */
export function draggable(handle, at, move, limit = 1) {
  const inside = (/** @type {number} */ x) =>
    Math.round(Math.min(limit, Math.max(-limit, x)) * 100) / 100;
  const svg = handle.ownerSVGElement;
  /** Where a pointer is. @param {PointerEvent} event @returns {[number, number]} */
  const under = (event) => {
    const box = svg.getBoundingClientRect();
    const scale = PLANE / box.width;
    return [
      ((event.clientX - box.left) * scale - PLANE / 2) / UNIT,
      (PLANE / 2 - (event.clientY - box.top) * scale) / UNIT,
    ];
  };
  // A finger moves the handle and not the page. (`touch-action` does nothing within an SVG.)
  handle.addEventListener("touchstart", (/** @type {TouchEvent} */ event) => event.preventDefault(), {
    passive: false,
  });
  let held = [0, 0]; // how far from the handle's middle it was taken
  /** @param {PointerEvent} event */
  const drag = (event) => move(under(event).map((x, i) => inside(x - held[i])));
  handle.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
    held = under(event).map((x, i) => x - at()[i]);
    handle.addEventListener("pointermove", drag);
  });
  const drop = (/** @type {PointerEvent} */ event) => {
    handle.removeEventListener("pointermove", drag);
    if (event.type === "pointerup" && handle.hasPointerCapture(event.pointerId)) drag(event);
  };
  for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, drop);
  handle.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = event.shiftKey ? 0.01 : 0.05;
    const [x, y] = at();
    const to = {
      ArrowLeft: [x - step, y], ArrowRight: [x + step, y],
      ArrowUp: [x, y + step], ArrowDown: [x, y - step],
    }[event.key];
    if (!to) return;
    event.preventDefault();
    move(to.map(inside));
  });
  handle.setAttribute("tabindex", "0");
}

/** Choose one of several radio buttons, by its value.
 * @param {Element} el @param {string} name @param {string | number} value */
export function choose(el, name, value) {
  for (const knob of parts(el, name)) {
    const is = knob.value === String(value);
    if (knob.hasAttribute("checked") !== is) knob.toggleAttribute("checked", is);
    if (knob.checked !== is) knob.checked = is;
  }
}

/** Hear which of several radio buttons the reader chooses. They stand in a form, so that those of
 * two figures on one page do not exclude one another; it is never sent.
 * @param {Element} el @param {string} name @param {(value: string) => void} hear */
export function chosen(el, name, hear) {
  part(el, "form").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  for (const knob of parts(el, name)) knob.addEventListener("change", () => hear(knob.value));
}

/** Choose one of the options of a list, counted from 0.
 * @param {Element} el @param {string} name @param {number} chosen */
export function pick(el, name, chosen) {
  const list = part(el, name);
  for (const [i, option] of [...list.options].entries()) {
    if (option.hasAttribute("selected") !== (i === chosen)) option.toggleAttribute("selected");
  }
  if (list.selectedIndex !== chosen) list.selectedIndex = chosen;
}
