// The theme's menus, hints and way back to the top, for which it brings all of Bootstrap's script.
// The markup and the styles are the theme's own.
(function () {
  function menu(button) { return button.parentElement.querySelector(".dropdown-menu"); }
  function show(button, shown) {
    menu(button).classList.toggle("show", shown);
    menu(button).setAttribute("data-bs-popper", "static");
    button.classList.toggle("show", shown);
    button.setAttribute("aria-expanded", shown);
  }
  var buttons = Array.from(document.querySelectorAll('[data-bs-toggle="dropdown"]'));
  function closeAll(but) {
    buttons.forEach(function (button) { if (button !== but) show(button, false); });
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest('[data-bs-toggle="dropdown"]');
    closeAll(button);
    if (button) show(button, button.getAttribute("aria-expanded") !== "true");
  });
  document.addEventListener("focusin", function (event) {
    var box = event.target.closest(".dropdown");
    closeAll(box && box.querySelector('[data-bs-toggle="dropdown"]'));
  });
  document.addEventListener("keydown", function (event) {
    var box = event.target.closest(".dropdown");
    var button = box && box.querySelector('[data-bs-toggle="dropdown"]');
    if (!button) return;
    var step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && button.classList.contains("show")) {
      show(button, false);
      button.focus();
    } else if (step) {
      event.preventDefault(); // the page stays where it is
      show(button, true);
      var items = Array.from(menu(button).querySelectorAll(".dropdown-item"));
      var at = items.indexOf(document.activeElement);
      if (at < 0 && step < 0) at = 0;
      items[(at + step + items.length) % items.length].focus();
    }
  });
  document.querySelectorAll('[data-bs-toggle="tooltip"]').forEach(function (button) {
    button.title = button.title || button.dataset.bsTitle || "";
  });

  var up = document.getElementById("pst-back-to-top"), before = 0;
  up.addEventListener("click", function () { scrollTo(0, 0); });
  addEventListener("scroll", function () {
    if (scrollY === before) return;
    up.style.display = scrollY < before && scrollY > 64 ? "block" : "none";
    before = scrollY;
  }, { passive: true });
})();
