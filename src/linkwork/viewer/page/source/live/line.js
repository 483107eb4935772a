// The socket to the server: opened again when it is lost, as long as the page is there.

const TICK = 150; // ms between two looks whether the server is still there
const SILENCE = 1400; // ms without a word from it: it sends one every half a second
const PATIENCE = 8000; // ms for a new connection

export class Line {
  /** @param {{frame: (data: ArrayBuffer) => void, words: (words: any[]) => void, lost: (why: string) => void, back: () => void}} heard */
  constructor(heard) {
    Object.assign(this, { heard, quiet: 0, lost: false, tries: 0, met: false, looked: performance.now() });
    this.open();
    setInterval(() => this.look(), TICK);
  }

  open() {
    const { protocol, host } = window.location;
    this.socket = new WebSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}/live`);
    this.socket.binaryType = "arraybuffer";
    const mine = this.socket;
    mine.onmessage = ({ data }) => { if (mine === this.socket) this.message(data); };
    mine.onclose = ({ reason }) => { if (mine === this.socket) this.closed(reason); };
  }

  message(data) {
    this.quiet = 0;
    this.tries = 0;
    this.met = true;
    if (this.lost) { this.lost = false; this.heard.back(); }
    if (typeof data === "string") this.heard.words(JSON.parse(data));
    else this.heard.frame(data);
  }

  /** Time counts only while this page is awake: a browser that was busy has not missed the server. */
  look() {
    const now = performance.now(), opening = this.socket.readyState === WebSocket.CONNECTING;
    this.quiet += Math.min(now - this.looked, 1.5 * TICK);
    this.looked = now;
    // the first word may take long: the browser is just building the page
    if (this.quiet > (this.met ? SILENCE : PATIENCE) && !this.lost) this.gone("");
    if (this.quiet > (opening ? PATIENCE : 2 * SILENCE) && this.socket.readyState !== WebSocket.CLOSED) {
      const old = this.socket;
      this.closed("");
      old.close();
    }
  }

  gone(why) { this.lost = true; this.heard.lost(why); }

  closed(why) {
    if (!this.lost) this.gone(why);
    this.quiet = 0;
    this.tries += 1;
    clearTimeout(this.again);
    this.again = setTimeout(() => this.open(), Math.min(2000, 200 * this.tries));
  }

  send(words) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(words));
  }
}
