"use strict";
(function () {
  const form = document.getElementById("filter");
  if (!form) return;
  form.hidden = false;
  const matches = Array.from(document.querySelectorAll(".match"), (node) => ({
    node,
    players: node.dataset.players.split("\n"),
  }));
  function choose() {
    const { player, setting, ending } = form.elements;
    let count = 0;
    for (const { node, players } of matches) {
      const shown =
        (!player.value || players.includes(player.value)) &&
        (!setting.value || node.dataset.setting === setting.value) &&
        (!ending.value || node.dataset.ending === ending.value);
      node.hidden = !shown;
      count += shown;
    }
    for (const one of document.querySelectorAll(".seating")) one.hidden = !one.querySelector(".match:not([hidden])");
    form.elements.count.value = count + " of " + matches.length;
    document.getElementById("nothing").hidden = count > 0;
  }
  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  choose();
})();
