// The row of tools: framing, views, x-ray, follow, picture, help.
import { h, icon } from "./dom.js";

const DRAWN = {
  fit: ["M4 9V4h5v2H6v3zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z", "M9 9h6v6H9z"],
  cube: ["M12 2 3 7v10l9 5 9-5V7zm0 2.3L18.6 8 12 11.7 5.4 8zM5 9.7l6 3.3v6.3l-6-3.3zm8 9.6V13l6-3.3v6.3z"],
  flat: ["M4 4h16v16H4zm2 2v5h5V6zm7 0v5h5V6zm-7 7v5h5v-5zm7 0v5h5v-5z"],
  follow: ["M12 3v3m0 12v3M3 12h3m12 0h3", "M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20zm0 3a7 7 0 1 1 0 14 7 7 0 0 1 0-14zm0 4a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"],
  xray: ["M12 5C6 5 2 12 2 12s4 7 10 7 10-7 10-7-4-7-10-7zm0 2c4 0 6.800 3.600 7.700 5-.9 1.400-3.700 5-7.700 5s-6.800-3.600-7.700-5C5.200 10.600 8 7 12 7z", "M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z"],
  picture: ["M4 6h4l2-2h4l2 2h4v13H4zm8 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9zm0 2a2.500 2.500 0 1 1 0 5 2.500 2.500 0 0 1 0-5z"],
};

export class Tools {
  constructor(page) {
    this.page = page;
    const { view, selection } = page;
    const tool = (id, title, deed, ...inside) => h(`button#${id}.tool`, { title, "aria-label": title, onclick: deed }, ...inside);
    this.flat = tool("flat", "orthographic (O)", () => this.orthographic(), icon(...DRAWN.flat));
    this.follow = tool("follow", "follow what moves (C)", () => this.toggleFollow(), icon(...DRAWN.follow));
    this.xray = tool("see", "x-ray (X)", () => selection.setXray(!selection.xray), icon(...DRAWN.xray));
    this.element = h("nav#tools", { "aria-label": "view" },
      tool("fit", "everything into the picture (F)", () => page.fit(), icon(...DRAWN.fit)),
      tool("home", "first view (0)", () => page.look("home"), icon(...DRAWN.cube)),
      ["front", "top", "side"].map((name, k) => tool(name, `${name} (${k + 1})`, () => page.look(name), name)),
      this.flat, this.follow, this.xray,
      tool("picture", "save the picture (P)", () => page.save(), icon(...DRAWN.picture)),
      tool("ask", "keys (?)", () => page.help.open(), "?"));
    selection.onchange(() => this.state());
    this.state();
    this.view = view;
  }

  orthographic() {
    this.view.orthographic(this.view.camera !== this.view.flat);
    this.state();
  }

  toggleFollow() { this.page.chose = true; this.page.follow(!this.page.following); this.state(); }

  state() {
    const { view, following, selection } = this.page;
    for (const [button, on] of [[this.flat, view.camera === view.flat], [this.follow, following], [this.xray, selection.xray]]) button.setAttribute("aria-pressed", on);
    const box = document.getElementById("xray");
    if (box) box.checked = selection.xray;
  }
}
