// The worker of the static page: answers numbered requests, several in turns, and packs the replies.
import { Requests } from "../schema";
import { Cancelled, Do } from "../wire";
import { answer } from "./answers";
import { packed } from "./numbers";
import { Slices } from "./work";

/** What the page sends: a request, or the number of one that is cancelled. */
export type Asked = { id: number; name: Do; fields: Requests[Do] } | { id: number; cancel: true };

/** What the worker sends back. */
export type Answered = { id: number; reply: object } | { id: number; error: string };

const running = new Map<number, Slices>();

async function respond(id: number, name: Do, fields: Requests[Do]): Promise<void> {
  const work = new Slices();
  running.set(id, work);
  try {
    send({ id, reply: packed(await answer(name, fields, work)) as object });
  } catch (error) {
    if (!(error instanceof Cancelled)) send({ id, error: error instanceof Error ? error.message : String(error) });
  } finally {
    running.delete(id);
  }
}

function send(message: Answered): void {
  (self as unknown as { postMessage(message: Answered): void }).postMessage(message);
}

self.onmessage = (event: MessageEvent<Asked>) => {
  const asked = event.data;
  if ("cancel" in asked) {
    const work = running.get(asked.id);
    if (work) work.cancelled = true;
  } else void respond(asked.id, asked.name, asked.fields);
};
