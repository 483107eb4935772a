// Frames of a simulation that runs now, over a websocket.
import { Source } from "../sources/source.js";

export class LiveSource extends Source {
  static async open(show) { return new LiveSource(show); }

  constructor(show) {
    super(show);
    this.live = true;
  }
}
