// The page begins: the data, a source of frames, and what shows them.
import "../page.css";
import { Film } from "./film.js";
import { LiveMode } from "./live/live_mode.js";
import { LiveSource } from "./live/live_source.js";
import { Page } from "./page.js";
import { ReplaySource } from "./sources/replay_source.js";

async function begin() {
  const show = JSON.parse(document.getElementById("show").textContent);
  const source = await (show.mode === "live" ? LiveSource : ReplaySource).open(show);
  const page = new Page(source);
  if (show.mode === "film") page.film = new Film(page);
  if (source.live) page.live = new LiveMode(page);
  window.linkwork = page;
}

begin().catch((error) => {
  const problem = document.createElement("p");
  problem.id = "problem";
  problem.setAttribute("role", "alert");
  const old = typeof DecompressionStream === "undefined" || /webgl/i.test(String(error));
  problem.textContent = old ? "This browser has no WebGL 2, or is too old for this page; open it in another one." : String(error.message || error);
  document.body.append(problem);
  console.error(error);
});
