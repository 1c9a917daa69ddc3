// The server behind a WebSocket: numbered requests, four in work at a time, reconnecting when the line drops.
import { Asked, Cancelled, Do, Fields, Link, Replies } from "./wire";

const IN_WORK = 4; // the server's limit per connection
const HEAVY = 3; // so that a hovered row never waits for three slow computations
const QUICK: ReadonlySet<Do> = new Set<Do>(["rows", "check", "path", "values"]);

interface Entry {
  id: number;
  name: Do;
  fields: Fields;
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

  ask<D extends Do>(name: D, fields: Fields): Asked<Replies[D]> {
    const id = this.nextId++;
    const reply = new Promise<Replies[D]>((resolve, reject) => {
      this.entries.push({ id, name, fields, sent: false, resolve, reject });
    });
    this.pump();
    return { reply, cancel: () => this.cancel(id) };
  }

  /** Hangs up; the line is taken up again as if it had dropped by itself. */
  drop(): void {
    this.socket?.close();
  }

  private cancel(id: number): void {
    const entry = this.take(id);
    if (!entry) return;
    if (entry.sent) this.send({ id: this.nextId++, do: "cancel", target: id });
    entry.reject(new Cancelled());
    this.pump();
  }

  private take(id: number): Entry | undefined {
    const at = this.entries.findIndex((entry) => entry.id === id);
    return at < 0 ? undefined : this.entries.splice(at, 1)[0];
  }

  private send(message: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  private pump(): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    let total = this.entries.filter((entry) => entry.sent).length;
    let heavy = this.entries.filter((entry) => entry.sent && !QUICK.has(entry.name)).length;
    for (const entry of this.entries) {
      const quick = QUICK.has(entry.name);
      if (entry.sent || total >= IN_WORK || (!quick && heavy >= HEAVY)) continue;
      entry.sent = true;
      total++;
      if (!quick) heavy++;
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
    for (const entry of this.entries) entry.sent = false; // asked again once the line is back
    const wait = Math.min(5000, 300 * 2 ** this.failures++);
    window.setTimeout(() => this.connect(), wait);
  }

  private receive(text: string): void {
    const message = JSON.parse(text) as { id: number | null; ok: boolean; error?: string };
    const entry = message.id === null ? undefined : this.take(message.id);
    if (entry) {
      if (message.ok) entry.resolve(message as never);
      else entry.reject(new Error(message.error ?? "the server gave no reason"));
    }
    this.pump();
  }
}
