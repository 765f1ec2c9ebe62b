// What is wider than the screen scrolls by itself; the keyboard must be able to reach it. The theme
// measures all such boxes at once, which makes the browser lay out the whole page before it has been
// scrolled to. Here its pieces are laid out and measured one after another, when there is nothing
// else to do, and at once when a link is followed, which must lead to its place.
(function () {
  var root = document.documentElement;
  var pieces = ".bd-article > section > section > :not(section), " +
    ".bd-article > section > section > section > *, .bd-article dl.py > dd > *"; // as in course.css
  var boxes = ".math-scroll, .pst-scrollable-table-container, .cell_output > .output, " +
    ".cell_output, pre, dt.sig, .figure-scroll";
  var idle = window.requestIdleCallback || function (call) { return setTimeout(call, 30); };
  var cancel = window.cancelIdleCallback || clearTimeout;
  var left = [], waiting;
  // So many elements at a time take few milliseconds, also on a phone; each time costs a little too.
  var few = 100;
  function mark() {
    var some = [], elements = 0, laid = !root.classList.contains("in-parts");
    while (left.length && (laid || elements < few)) {
      var next = left.shift();
      if (next.matches(pieces)) {
        next.setAttribute("data-laid-out", "");
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
    left = Array.from(document.querySelectorAll(pieces + ", " + boxes));
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
