// Sends requests to a worker in this browser. Nothing leaves the browser.
import source from "worker-source";
import { embedded } from "../embedded";
import { Cancelled, Do, Replies, Requests } from "../messages";
import type { Answered, Asked } from "./worker";

/** A request in progress: its reply, and a way to cancel it. */
export interface Pending<T> {
  reply: Promise<T>;
  cancel(): void;
}

interface Entry {
  resolve(reply: never): void;
  reject(error: Error): void;
}

export class Link {
  private readonly waiting = new Map<number, Entry>();
  private readonly worker: Worker | null;
  private nextId = 1;
  private broken = "";

  constructor() {
    this.worker = this.start();
    this.worker?.postMessage({ maps: embedded.maps } satisfies Asked);
  }

  ask<D extends Do>(name: D, fields: Requests[D]): Pending<Replies[D]> {
    const id = this.nextId++;
    const reply = new Promise<Replies[D]>((resolve, reject) => this.waiting.set(id, { resolve, reject }));
    if (this.broken) this.fail(this.broken);
    else this.worker?.postMessage({ id, name, fields } satisfies Asked);
    return { reply, cancel: () => this.cancel(id) };
  }

  private start(): Worker | null {
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
      worker.onmessage = (event: MessageEvent<Answered>) => this.receive(event.data);
      worker.onerror = (event) => {
        event.preventDefault();
        this.fail(`The page cannot compute in this browser: ${event.message || "its worker was refused"}.`);
      };
      return worker;
    } catch (error) {
      this.fail(`The page cannot compute in this browser: ${(error as Error).message}.`);
      return null;
    }
  }

  private cancel(id: number): void {
    const entry = this.waiting.get(id);
    if (!entry) return;
    this.waiting.delete(id);
    this.worker?.postMessage({ id, cancel: true } satisfies Asked);
    entry.reject(new Cancelled());
  }

  private receive(answered: Answered): void {
    const entry = this.waiting.get(answered.id);
    if (!entry) return; // cancelled while it was answered
    this.waiting.delete(answered.id);
    if ("reply" in answered) entry.resolve(answered.reply as never);
    else entry.reject(new Error(answered.error));
  }

  /** The worker does not run: all requests, including later ones, fail with this sentence. */
  private fail(sentence: string): void {
    this.broken = sentence;
    for (const entry of this.waiting.values()) entry.reject(new Error(sentence));
    this.waiting.clear();
  }
}
