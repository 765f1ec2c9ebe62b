// What is wider than the screen scrolls by itself; the keyboard must be able to reach it.
(function () {
  var boxes = ".math-scroll, .pst-scrollable-table-container, .cell_output > .output, " +
    ".cell_output, pre, dt.sig, .figure-scroll";
  var waiting = false;
  function mark() {
    waiting = false;
    // All is measured before anything is changed, for every change makes the next measure costly.
    var found = Array.from(document.querySelectorAll(boxes), function (box) {
      var wide = box.scrollWidth > box.clientWidth + 1;
      return [box, wide && /auto|scroll/.test(getComputedStyle(box).overflowX)];
    });
    found.forEach(function (pair) {
      var box = pair[0], tabindex = box.getAttribute("tabindex");
      if (pair[1] && tabindex !== "0") box.tabIndex = 0;
      else if (!pair[1] && tabindex === "0") box.removeAttribute("tabindex");
    });
  }
  function soon() {
    if (!waiting) setTimeout(mark, 50);
    waiting = true;
  }
  addEventListener("load", soon);
  addEventListener("resize", soon);
  document.addEventListener("toggle", soon, true); // <details> opened
  if (document.fonts) document.fonts.addEventListener("loadingdone", soon);
})();
