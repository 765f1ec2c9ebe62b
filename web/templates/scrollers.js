// What is wider than the screen scrolls by itself; the keyboard must be able to reach it. The theme
// measures all such boxes at once, which makes the browser lay out the whole page before it has been
// scrolled to. Here its parts are laid out and measured one after another, when there is nothing else
// to do, and at once when a link is followed, which must lead to its place.
(function () {
  var root = document.documentElement;
  var boxes = ".math-scroll, .pst-scrollable-table-container, .cell_output > .output, " +
    ".cell_output, pre, dt.sig, .figure-scroll";
  var idle = window.requestIdleCallback || function (call) { return setTimeout(call, 30); };
  var cancel = window.cancelIdleCallback || clearTimeout;
  var left = [], waiting;
  function mark() {
    var until = performance.now() + 4; // ms: a phone takes a multiple of what it takes elsewhere
    while (left.length && performance.now() < until) {
      var box = left.shift(), part = box.closest(".bd-article > section > section");
      if (part) part.setAttribute("data-laid-out", "");
      var scrolls = box.scrollWidth > box.clientWidth + 1 &&
        /auto|scroll/.test(getComputedStyle(box).overflowX);
      var marked = box.getAttribute("tabindex") === "0";
      if (scrolls && !marked) box.tabIndex = 0;
      else if (!scrolls && marked) box.removeAttribute("tabindex");
    }
    waiting = left.length ? idle(mark) : 0;
    if (!waiting) whole();
  }
  function whole() {
    root.classList.remove("in-parts");
  }
  function start() {
    left = Array.from(document.querySelectorAll(boxes));
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
