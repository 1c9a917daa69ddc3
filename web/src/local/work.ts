// Work in progress in the worker: long loops let other requests pass, and stop when they are cancelled.
import { Cancelled } from "../messages";

const SLICE = 12; // milliseconds of computing between two looks at what else is asked

/** What a computation is given, so that it can be interrupted. */
export interface Work {
  /** Whether the computation has run for so long that it must call `pause`. */
  due(): boolean;
  /** Lets other requests pass. Throws `Cancelled` if the page has cancelled this one. */
  pause(): Promise<void>;
}

/** The work of one request in a worker. */
export class Slices implements Work {
  cancelled = false;
  private began = performance.now();

  due(): boolean {
    return performance.now() - this.began > SLICE;
  }

  async pause(): Promise<void> {
    await nextTurn();
    if (this.cancelled) throw new Cancelled();
    this.began = performance.now();
  }
}

/** Resolves after the messages that have arrived. Unlike a timer it does not wait 4 ms. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
