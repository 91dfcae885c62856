"use strict";
(function () {
  const form = document.getElementById("filter");
  if (!form) return;
  form.hidden = false;
  const matches = Array.from(document.querySelectorAll(".match"), (node) => ({
    node,
    players: node.dataset.players.split("\n"),
    troubles: node.dataset.trouble.split("\n"),
  }));
  function choose() {
    const { player, setting, ending, game, trouble } = form.elements;
    let count = 0;
    for (const { node, players, troubles } of matches) {
      const shown =
        (!game?.value || node.dataset.game === game.value) &&
        (!trouble?.value || troubles.includes(trouble.value) || (trouble.value === "any" && troubles[0])) &&
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
