// Brings the explorers of a page to life, each when it comes near: its own module gets a model that
// lives in the page and behaves as a widget's model does in Jupyter.

class PageModel {
  /** @param {Record<string, any>} state */
  constructor(state) {
    this.state = state;
    /** @type {Map<string, Set<() => void>>} */
    this.listeners = new Map();
  }
  /** @param {string} name */
  get(name) { return this.state[name]; }
  /** @param {string} name @param {any} value */
  set(name, value) {
    if (JSON.stringify(this.state[name]) === JSON.stringify(value)) return;
    this.state[name] = value;
    for (const listener of this.listeners.get(`change:${name}`) ?? []) listener();
  }
  save_changes() {} // nobody else holds this state
  /** @param {string} event @param {() => void} listener */
  on(event, listener) {
    if (!this.listeners.has(event)) this.listeners.set(event, new Set());
    this.listeners.get(event)?.add(listener);
  }
  /** @param {string} event @param {() => void} listener */
  off(event, listener) { this.listeners.get(event)?.delete(listener); }
}

/** What the widget's attributes were when its page was built. @param {any} el */
async function stateOf(el) {
  if (el.dataset.state) return JSON.parse(el.dataset.state);
  const answer = await fetch(new URL(el.dataset.stateAt, document.baseURI));
  if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
  return answer.json();
}

/** @param {any} el */
async function wake(el) {
  const [{ default: explorer }, state] = await Promise.all([
    import(`./${el.dataset.explorer}.mjs`), stateOf(el),
  ]);
  // Reachable as a property of the element, for whoever builds upon the page, and for its tests.
  el.model = new PageModel(state);
  explorer.render({ model: el.model, el });
}

const near = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    near.unobserve(entry.target);
    wake(entry.target);
  }
}, { rootMargin: "800px" });
for (const el of document.querySelectorAll("[data-explorer]")) near.observe(el);
