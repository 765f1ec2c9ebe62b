// What is wider than the screen scrolls by itself; the keyboard must be able to reach it. The theme
// measures all such boxes at once, which makes the browser lay out the whole page before it has been
// scrolled to. Here its pieces are laid out and measured one after another, when there is nothing
// else to do, and at once when a link is followed, which must lead to its place.
(function () {
  var root = document.documentElement;
  var parts = ".bd-article > section > section"; // these and their pieces as in course.css
  var pieces = parts + " > :not(section, h2), " + parts + " > section > :not(h3), " +
    parts + " dl.py > dd > *";
  var boxes = ".math-scroll, .pst-scrollable-table-container, .cell_output > .output, " +
    ".cell_output, pre, dt.sig, .figure-scroll";
  var idle = window.requestIdleCallback || function (call) { return setTimeout(call, 30); };
  var cancel = window.cancelIdleCallback || clearTimeout;
  var left = [], waiting;
  // So many elements at a time take few milliseconds, also on a phone; each time costs a little too.
  var few = 100;
  function reveal(box) {
    box.setAttribute("data-laid-out", "");
  }
  function mark() {
    var some = [], elements = 0, laid = !root.classList.contains("in-parts");
    while (left.length && (laid || elements < few)) {
      var next = left.shift();
      if (next.matches(parts)) {
        // What is seen, or will be in a moment, has been laid out by the browser, as a whole.
        if (!laid && next.getBoundingClientRect().top < 2.5 * innerHeight)
          next.querySelectorAll(pieces).forEach(reveal);
        reveal(next);
      } else if (!next.hasAttribute("data-laid-out") && next.matches(pieces)) {
        reveal(next);
        elements += next.getElementsByTagName("*").length + 1;
      }
      if (next.matches(boxes)) some.push(next);
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
    waiting = left.length ? idle(mark) : 0;
    // The class may stay: without it all styles would be computed once more.
    if (!waiting) root.setAttribute("data-measured", "");
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
