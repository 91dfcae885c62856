// What the pages gain from a script: news without a reload, and buttons that cannot be pressed twice.
"use strict";

let table;
let notice; // the operator's messages of a study, on any page
let streamed; // whose events announce changes of both
let noticed; // a study keeps when its page was out of sight
function find() {
  table = document.getElementById("table");
  notice = document.getElementById("notice");
  streamed = [table, notice].find((one) => one?.dataset.events);
  noticed = document.querySelector("[data-noticed]");
}
find();

let title = document.title;
let sent = false; // a form, whose answer is the next page

const AGAIN = 1000; // milliseconds until what has failed is tried again

function followed(source) {
  source.onmessage = (event) => {
    const [state, news] = event.data.split(" ");
    if (isNew("state", state)) refresh(table, state);
    if (news && isNew("news", news)) refresh(notice, news);
  };
}

function isNew(id, state) {
  const shown = document.getElementById(id);
  return shown && shown.dataset.state !== state;
}

async function refresh(place, state) {
  const answer = await fetch(place.dataset.table.replace("STATE", state)).catch(() => null);
  if (!answer || answer.status >= 500) setTimeout(refresh, AGAIN, place, state); // the server is being started again
  if (answer && answer.status === 205 && !sent) location.reload(); // it is time for another page
  if (!answer || !answer.ok || answer.status === 205) return;
  if (document.hidden) document.title = `● ${title}`;
  const text = await answer.text();
  const open = place.querySelectorAll("details[open][id]"), at = document.activeElement;
  place.innerHTML = text; // of this server's template, which escapes what players say; no script in it can run
  for (const one of open) document.getElementById(one.id)?.replaceWith(one); // with what is typed in it
  at?.focus({ preventScroll: true });
  if (place === notice) return;
  const now = document.getElementById("now") || document.getElementById("end");
  if (now) bring(now);
}

let source = null;
function follow() {
  if (!streamed || source || away()) return;
  source = new EventSource(streamed.dataset.events.replace("STATE", document.getElementById("state")?.dataset.state));
  followed(source);
  source.onerror = () => {
    if (source?.readyState !== EventSource.CLOSED) return; // it connects again by itself, but not after an error of a proxy
    source = null;
    setTimeout(follow, AGAIN);
  };
}

// A browser has few connections for one server: hidden pages give theirs back, unless somebody waits for them.
const away = () => document.hidden && !("keep" in streamed.dataset);
let left = false; // for another page, which hides this one too
window.addEventListener("pagehide", () => (left = true));
document.addEventListener("visibilitychange", () => {
  if (noticed && !left) navigator.sendBeacon(`${noticed.dataset.noticed}/${document.visibilityState}`);
  if (!document.hidden) document.title = title;
  if (source && away()) {
    source.close();
    source = null;
  }
  follow();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.sent) event.preventDefault();
  else if (form.classList.contains("move")) {
    event.preventDefault();
    send(form, event.submitter?.getAttribute("formaction") || form.action, new URLSearchParams(new FormData(form, event.submitter)));
  }
  form.dataset.sent = "yes";
  sent = true;
});

// A move: without a connection it is sent again until it arrives, and what was typed stays where it is. The number of
// the question goes with it, so that no move is played twice.
async function send(form, address, fields) {
  const answer = await fetch(address, { method: "POST", body: fields }).catch(() => null);
  const text = answer && answer.status < 500 && (await answer.text().catch(() => null));
  if (typeof text === "string") return show(answer.url, text, answer.redirected);
  document.getElementById("offline").hidden = false;
  setTimeout(send, AGAIN, form, address, fields);
}

// What a form was answered takes the place of the page, as if it had been loaded.
function show(address, text, moved) {
  const next = new DOMParser().parseFromString(text, "text/html");
  if (source) source.close();
  source = null;
  sent = false;
  document.body.replaceWith(next.body); // of this server's templates, which escape what players say
  document.title = title = next.title;
  find();
  window.scrollTo(0, 0);
  follow();
  land();
  history.replaceState(null, "", moved ? address : location.href);
}

// What an amount leaves to the other player, and what points cost, while they are typed.
function typed(input, signs) {
  const text = input.value.trim().replaceAll(signs[0], "").replace(signs[1], ".");
  return text === "" ? NaN : Number(text);
}

function written(amount, unit = "") {
  const digits = unit && !Number.isInteger(amount) ? 2 : 0;
  const shown = Math.abs(amount).toLocaleString(document.documentElement.lang, { minimumFractionDigits: digits, maximumFractionDigits: digits || 2 });
  const signed = (sign) => (amount < 0 ? "-" : "") + sign + shown;
  return unit.length > 1 ? `${signed("")} ${unit}` : signed(unit); // points, or $
}

function reckon(form) {
  for (const note of form.querySelectorAll("[data-rest]")) {
    const own = typed(note.parentElement.querySelector("input"), note.dataset.signs);
    const rest = note.dataset.total - own;
    note.hidden = !(own >= 0 && rest >= 0);
    note.textContent = note.dataset.rest.replace("{own}", written(own, note.dataset.unit)).replace("{rest}", written(rest, note.dataset.unit));
  }
  for (const note of form.querySelectorAll("[data-costs]")) {
    const costs = note.dataset.costs.split(" ").map(Number);
    const points = [...form.querySelectorAll("input[inputmode]")].map((one) => (one.value.trim() ? costs[typed(one, note.dataset.signs)] : 0));
    const cost = points.reduce((sum, one) => sum + one, 0);
    note.hidden = Number.isNaN(cost);
    note.textContent = note.dataset.text.replace("{cost}", written(cost));
  }
}

document.addEventListener("input", (event) => {
  if (event.target.form?.classList.contains("move")) reckon(event.target.form);
});

// A page that comes back from the browser's memory shows an old table.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

document.addEventListener("focusin", (event) => {
  if (event.target.classList.contains("link")) event.target.select();
});

// Arrow keys and others do what a link or a button says that they do.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input, textarea, select, summary, pre")) return;
  const link = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!link || event.repeat) return;
  event.preventDefault();
  link.click();
});

// Clocks go on between two pages: what is left for a move, and how long somebody has thought.
setInterval(() => {
  if (document.querySelector(".paused")) return;
  for (const clock of document.querySelectorAll("[data-left], [data-count]")) {
    const up = "count" in clock.dataset;
    const seconds = up ? ++clock.dataset.count : (clock.dataset.left = Math.max(0, clock.dataset.left - 1));
    clock.textContent = up ? seconds : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    clock.classList.toggle("short", !up && seconds <= 10);
  }
}, 1000);

// Scrolls to where a page goes on; to its top, if what can be done there is below the screen otherwise.
function bring(place) {
  const last = [...document.querySelectorAll(".moves .button, .cells")].pop();
  place.scrollIntoView({ block: last?.getBoundingClientRect().bottom > innerHeight ? "start" : "nearest" });
}

// Where a page begins to be read.
function land() {
  const problems = document.getElementById("problems");
  const begun = Number(document.getElementById("state")?.dataset.number) > 0; // before, the rules are to be read
  const place = problems || document.getElementById("now");
  if (place && (begun || problems)) bring(place);
  const wrong = document.querySelector("[aria-invalid]");
  if (wrong) wrong.focus({ preventScroll: true });
  document.querySelectorAll("form.move").forEach(reckon);
}

follow();
land();

// The number under a slider; one that nobody has moved is no answer, so that its place suggests none.
for (const slider of document.querySelectorAll(".slider input")) {
  const shown = slider.nextElementSibling;
  const name = slider.name;
  const tell = () => {
    slider.name = name;
    shown.textContent = Number(slider.value).toLocaleString(document.documentElement.lang);
  };
  if ("untouched" in slider.dataset) slider.name = "";
  else tell();
  slider.addEventListener("input", tell);
  slider.addEventListener("click", tell);
}
