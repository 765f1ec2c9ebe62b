import { change, choose, chosen, fixed, follow, furnish, part, parts, pick, set, share, write } from "./core.mjs";

const NAMES = ["date", "character"];

/** @param {string} character */
function quoted(character) {
  return character === " " ? "a space" : `\u201c${character}\u201d`;
}

/** @param {any} model @param {HTMLElement} el */
function show(model, el) {
  const date = model.get("date"), character = model.get("character");
  const [text, answer] = ["texts", "answers"].map((name) => [...model.get(name)[date]]);
  const truth = model.get("truths")[date], written = answer.join("");
  const weights = /** @type {number[]} */ (model.get("weights")[date][character]);
  const best = weights.indexOf(Math.max(...weights));
  const [signs, numbers] = [parts(el, "sign"), parts(el, "weight")];
  parts(el, "read").forEach((cell, j) => {
    const there = j < text.length;
    write(signs[j], there ? (text[j] === " " ? "\u2423" : text[j]) : "");
    write(numbers[j], there ? fixed(weights[j], 2) : "");
    const look = j === best ? "best" : weights[j] >= 0.1 ? "some" : "little";
    set(cell, { style: share(there ? weights[j] : 0), class: there ? look : "none" });
  });
  set(part(el, "line"), { lang: model.get("languages")[date] });
  parts(el, "character").forEach((knob, i) => {
    set(knob, { "aria-label": `${answer[i]}, character ${i + 1}` });
    write(knob.nextElementSibling, answer[i]);
  });
  choose(el, "character", character);
  pick(el, "date", date);
  write(part(el, "verdict"), written === truth
    ? "\u2713 right" : `\u00d7 wrong: it should be ${truth}`);
  const largest = text.map((_, j) => j).sort((a, b) => weights[b] - weights[a]).slice(0, 2);
  const where = largest
    .map((j) => `${fixed(weights[j], 2)} on ${quoted(text[j])} (character ${j + 1})`)
    .join(" and ");
  write(part(el, "sentence"), `For ${quoted(answer[character])}, character ${character + 1} of ` +
    `${written}, the largest ${largest.length > 1 ? "weights are" : "weight is"} ${where}.`);
}

export default {
  /** @param {{ model: any, el: HTMLElement }} host */
  render({ model, el }) {
    furnish(model, el);
    const dates = part(el, "date");
    dates.addEventListener("change", () => change(model, { date: Number(dates.value) }));
    chosen(el, "character", (i) => change(model, { character: Number(i) }));
    parts(el, "character").forEach((knob, character) =>
      knob.parentElement.addEventListener("pointerenter", (/** @type {PointerEvent} */ event) => {
        if (event.pointerType === "mouse") change(model, { character });
      }));
    return follow(model, el, NAMES, () => show(model, el));
  },
};
