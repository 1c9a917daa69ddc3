// The server behind a WebSocket: numbered requests, a few in progress at a time; it reconnects by itself.
import { LIMITS, LONG_REQUESTS, Replies, Requests } from "./schema";
import { Cancelled, Do, Link, Pending } from "./wire";

const MOST_LONG = LIMITS.REQUESTS_IN_PROGRESS - 1; // so that a hovered row never waits for long computations
const isLong = (name: Do) => LONG_REQUESTS.includes(name);

interface Entry {
  id: number;
  name: Do;
  fields: Requests[Do];
  sent: boolean;
  resolve(reply: never): void;
  reject(error: Error): void;
}

export class Socket implements Link {
  private socket: WebSocket | null = null;
  private entries: Entry[] = [];
  private nextId = 1;
  private failures = 0;

  constructor(
    private readonly url: string,
    private readonly onState: (connected: boolean) => void,
  ) {
    this.connect();
  }

  ask<D extends Do>(name: D, fields: Requests[D]): Pending<Replies[D]> {
    const id = this.nextId++;
    const reply = new Promise<Replies[D]>((resolve, reject) => {
      this.entries.push({ id, name, fields, sent: false, resolve, reject });
    });
    this.pump();
    return { reply, cancel: () => this.cancel(id) };
  }

  /** Closes the connection; it is opened again as if it had dropped by itself. */
  drop(): void {
    this.socket?.close();
  }

  private cancel(id: number): void {
    const entry = this.remove(id);
    if (!entry) return;
    if (entry.sent) this.send({ id: this.nextId++, do: "cancel", target: id });
    entry.reject(new Cancelled());
    this.pump();
  }

  private remove(id: number): Entry | undefined {
    const at = this.entries.findIndex((entry) => entry.id === id);
    return at < 0 ? undefined : this.entries.splice(at, 1)[0];
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private pump(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    let total = this.entries.filter((entry) => entry.sent).length;
    let long = this.entries.filter((entry) => entry.sent && isLong(entry.name)).length;
    for (const entry of this.entries) {
      if (entry.sent || total >= LIMITS.REQUESTS_IN_PROGRESS || (isLong(entry.name) && long >= MOST_LONG)) continue;
      entry.sent = true;
      total++;
      if (isLong(entry.name)) long++;
      this.send({ id: entry.id, do: entry.name, ...entry.fields });
    }
  }

  private connect(): void {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.onopen = () => {
      this.failures = 0;
      this.onState(true);
      this.pump();
    };
    socket.onmessage = (event) => this.receive(String(event.data));
    socket.onclose = () => this.dropped();
  }

  private dropped(): void {
    this.onState(false);
    for (const entry of this.entries) entry.sent = false; // sent again once the connection is back
    const wait = Math.min(5000, 300 * 2 ** this.failures++);
    window.setTimeout(() => this.connect(), wait);
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as { id: number | null; ok: boolean; error?: string };
    const entry = message.id === null ? undefined : this.remove(message.id);
    if (entry) {
      if (message.ok) entry.resolve(message as never);
      else entry.reject(new Error(message.error ?? "the server gave no reason"));
    }
    this.pump();
  }
}
