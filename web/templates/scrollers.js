// What is wider than the screen scrolls by itself; the keyboard must be able to reach it.
(function () {
  var boxes = ".math-scroll, .pst-scrollable-table-container, .cell_output > .output, " +
    ".cell_output, pre, dt.sig, .figure-scroll";
  function mark() {
    document.querySelectorAll(boxes).forEach(function (box) {
      var style = getComputedStyle(box);
      var scrolls = box.scrollWidth > box.clientWidth + 1 && /auto|scroll/.test(style.overflowX);
      if (scrolls && !box.hasAttribute("tabindex")) box.tabIndex = 0;
      else if (!scrolls && box.getAttribute("tabindex") === "0") box.removeAttribute("tabindex");
    });
  }
  addEventListener("load", mark);
  addEventListener("resize", mark);
  document.addEventListener("toggle", mark, true); // <details> opened
  if (document.fonts) document.fonts.ready.then(mark);
})();
