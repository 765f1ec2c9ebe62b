// What is wider than the screen scrolls by itself; the keyboard must be able to reach it. The theme
// measures all such boxes at once, which makes the browser lay out the whole page before it has been
// scrolled to. Here its pieces are laid out and measured one after another, when there is nothing
// else to do, and at once when a link is followed, which must lead to its place.
(function () {
  var root = document.documentElement;
  // Parts and their pieces as in course.css. What is long within a section, an entry of the
  // reference or a cell, is a part as well.
  var sections = ".bd-article > section > section";
  var entries = sections + " > dl.py, " + sections + " .cell";
  var parts = sections + ", " + entries;
  var pieces = sections + " > :not(section, h2), " + sections + " > section > :not(h3), " +
    sections + " dl.py > dd > *";
  var boxes = ".math-scroll, .pst-scrollable-table-container, .cell_output > .output, " +
    ".cell_output, pre, dt.sig, .figure-scroll";
  var idle = window.requestIdleCallback || function (call) { return setTimeout(call, 30); };
  var cancel = window.cancelIdleCallback || clearTimeout;
  var left = [], waiting;
  // So many elements at a time take some six milliseconds: fewer on a phone, more on a desk. With
  // what the browser does after each, no piece then holds up a finger for long.
  var few = 30;
  function reveal(box) {
    box.setAttribute("data-laid-out", "");
  }
  function size(box) {
    return box.getElementsByTagName("*").length + 1;
  }
  function near(box) {
    return box.getBoundingClientRect().top < 2.5 * innerHeight;
  }
  // What is seen, or will be in a moment, has been laid out by the browser. Below it cells have not,
  // nor anything of the reference.
  function revealNear(part) {
    Array.from(part.querySelectorAll(pieces)).every(function (piece) {
      var entry = piece.closest(entries);
      if (entry && entry !== part && !near(entry)) return entry.matches(".cell");
      if (getComputedStyle(piece).contentVisibility === "auto" && !near(piece)) return false;
      reveal(piece);
      return true;
    });
  }
  function mark() {
    var some = [], elements = 0, laid = !root.classList.contains("in-parts");
    var began = performance.now();
    while (left.length && (laid || elements < few)) {
      var next = left[0];
      if (next.matches(parts)) {
        var seen = laid || near(next);
        if (!laid && seen) revealNear(next);
        reveal(next);
        if (!seen && !next.querySelector(pieces)) elements += size(next);
      } else if (!next.hasAttribute("data-laid-out") && next.matches(pieces)) {
        reveal(next);
        elements += size(next);
      }
      if (next.matches(boxes)) some.push(next);
      left.shift();
    }
    var scroll = some.map(function (box) {
      return box.scrollWidth > box.clientWidth + 1 &&
        /auto|scroll/.test(getComputedStyle(box).overflowX);
    });
    if (!some.length) root.getBoundingClientRect();
    some.forEach(function (box, i) {
      var marked = box.getAttribute("tabindex") === "0";
      if (scroll[i] && !marked) box.tabIndex = 0;
      else if (!scroll[i] && marked) box.removeAttribute("tabindex");
    });
    var fit = few * 6 / (performance.now() - began + 1); // so many would have taken six
    few = Math.min(Math.max(fit, few / 2, 20), few * 2, 400);
    waiting = left.length ? idle(mark) : 0;
    // The class may stay: without it all styles would be computed once more.
    if (!left.length) root.setAttribute("data-measured", "");
  }
  function whole() {
    root.classList.remove("in-parts");
  }
  function start() {
    left = Array.from(document.querySelectorAll([parts, pieces, boxes].join()));
    if (waiting) cancel(waiting);
    waiting = idle(mark);
  }
  addEventListener("load", start);
  addEventListener("resize", start);
  addEventListener("click", whole, true);
  addEventListener("hashchange", whole);
  document.addEventListener("toggle", start, true); // <details> opened
  if (document.fonts) document.fonts.addEventListener("loadingdone", start);
})();
