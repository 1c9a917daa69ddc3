// Sends requests of one kind, of which only the newest matters.
import { Link, Pending } from "./local/link";
import { Cancelled, Do, Replies, Requests } from "./messages";

export interface ChannelEvents<D extends Do> {
  done(reply: Replies[D], fields: Requests[D], key: string): void;
  failed(message: string, key: string): void;
  busy?(is: boolean): void;
}

/**
 * Keeps one request in flight and remembers the newest one that is wanted. If that has another `key`, the request
 * in flight is cancelled. If it has the same key, it waits, so that hovering shows every reply.
 */
export class Channel<D extends Do> {
  private flight: { key: string; pending: Pending<Replies[D]> } | null = null;
  private wanted: { key: string; fields: Requests[D] } | null = null;
  private lastSent = -Infinity;
  private timer = 0;
  private busyTimer = 0;

  constructor(
    private readonly link: Link,
    private readonly name: D,
    private readonly spacing: number,
    private readonly events: ChannelEvents<D>,
  ) {}

  want(fields: Requests[D], key: string): void {
    this.wanted = { key, fields };
    if (this.flight && this.flight.key !== key) this.cancel();
    this.next();
  }

  drop(): void {
    this.wanted = null;
    this.cancel();
    this.setBusy(false);
  }

  private cancel(): void {
    const flight = this.flight;
    this.flight = null;
    flight?.pending.cancel();
  }

  private setBusy(is: boolean): void {
    window.clearTimeout(this.busyTimer);
    if (is) this.busyTimer = window.setTimeout(() => this.events.busy?.(true), 250);
    else this.events.busy?.(false);
  }

  private next(): void {
    window.clearTimeout(this.timer);
    if (this.flight || !this.wanted) return;
    const wait = this.lastSent + this.spacing - performance.now();
    if (wait > 0) {
      this.timer = window.setTimeout(() => this.next(), wait);
      return;
    }
    const { key, fields } = this.wanted;
    this.wanted = null;
    this.lastSent = performance.now();
    const flight = { key, pending: this.link.ask(this.name, fields) };
    this.flight = flight;
    this.setBusy(true);
    flight.pending.reply.then(
      (reply) => this.settle(flight, () => this.events.done(reply, fields, key)),
      (error: Error) => this.settle(flight, () => this.events.failed(error.message, key), error),
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
