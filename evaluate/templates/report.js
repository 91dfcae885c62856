"use strict";
(function () {
  const form = document.getElementById("filter");
  if (!form) return;
  form.hidden = false;
  const matches = Array.from(document.querySelectorAll(".match"), (node) => ({
    node,
    players: node.dataset.players.split("\n"),
    text: node.textContent.toLowerCase(),
  }));
  function choose() {
    const { player, market, ending, words } = form.elements;
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const { node, players, text } of matches) {
      const shown =
        (!player.value || players.includes(player.value)) &&
        (!market.value || node.dataset.market === market.value) &&
        (!ending.value || node.dataset.ending === ending.value) &&
        wanted.every((word) => text.includes(word));
      node.hidden = !shown;
      count += shown;
    }
    form.elements.count.value = count + " of " + matches.length;
    document.getElementById("nothing").hidden = count > 0;
  }
  form.addEventListener("input", choose);
  form.addEventListener("submit", (event) => event.preventDefault());
  choose();
})();
