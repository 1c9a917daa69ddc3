// A lane: requests of one kind of which only the newest matters.
import { Asked, Cancelled, Do, Fields, Link, Replies } from "./wire";

export interface LaneEvents<D extends Do> {
  done(reply: Replies[D], fields: Fields): void;
  failed(message: string): void;
  busy?(is: boolean): void;
}

/**
 * Keeps one request in flight and remembers the newest wish. A wish for something else (another `key`) gives up
 * what is in flight; a wish of the same key waits for it, so that hovering shows every answer on the way.
 */
export class Lane<D extends Do> {
  private flight: { key: string; asked: Asked<Replies[D]> } | null = null;
  private wish: { key: string; fields: Fields } | null = null;
  private lastSent = -Infinity;
  private timer = 0;
  private busyTimer = 0;

  constructor(
    private readonly link: Link,
    private readonly name: D,
    private readonly spacing: number,
    private readonly events: LaneEvents<D>,
  ) {}

  want(fields: Fields, key: string): void {
    this.wish = { key, fields };
    if (this.flight && this.flight.key !== key) this.giveUp();
    this.next();
  }

  drop(): void {
    this.wish = null;
    this.giveUp();
    this.setBusy(false);
  }

  private giveUp(): void {
    const flight = this.flight;
    this.flight = null;
    flight?.asked.cancel();
  }

  private setBusy(is: boolean): void {
    window.clearTimeout(this.busyTimer);
    if (is) this.busyTimer = window.setTimeout(() => this.events.busy?.(true), 250);
    else this.events.busy?.(false);
  }

  private next(): void {
    window.clearTimeout(this.timer);
    if (this.flight || !this.wish) return;
    const wait = this.lastSent + this.spacing - performance.now();
    if (wait > 0) {
      this.timer = window.setTimeout(() => this.next(), wait);
      return;
    }
    const { key, fields } = this.wish;
    this.wish = null;
    this.lastSent = performance.now();
    const flight = { key, asked: this.link.ask(this.name, fields) };
    this.flight = flight;
    this.setBusy(true);
    flight.asked.reply.then(
      (reply) => this.settle(flight, () => this.events.done(reply, fields)),
      (error: Error) => this.settle(flight, () => this.events.failed(error.message), error),
    );
  }

  private settle(flight: object, then: () => void, error?: Error): void {
    if (this.flight !== flight) return; // stale: a newer request of this kind was made
    this.flight = null;
    this.setBusy(false);
    if (!(error instanceof Cancelled)) then();
    this.next();
  }
}
