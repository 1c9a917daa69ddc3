// The worker of the page: answers numbered requests, and lets several take turns.
import { EmbeddedMap } from "../embedded";
import { Cancelled, Do, Requests } from "../messages";
import { answer } from "./answers";
import { Slices } from "./work";
import { keepEmbedded } from "./worlds";

/** What the page sends: a request, the number of one that is cancelled, or the maps that came with the page. */
export type Asked = { id: number; name: Do; fields: Requests[Do] } | { id: number; cancel: true } | { maps: readonly EmbeddedMap[] };

/** What the worker sends back. */
export type Answered = { id: number; reply: object } | { id: number; error: string };

const running = new Map<number, Slices>();

async function respond(id: number, name: Do, fields: Requests[Do]): Promise<void> {
  const work = new Slices();
  running.set(id, work);
  try {
    send({ id, reply: await answer(name, fields, work) });
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
  if ("maps" in asked) keepEmbedded(asked.maps);
  else if ("cancel" in asked) {
    const work = running.get(asked.id);
    if (work) work.cancelled = true;
  } else void respond(asked.id, asked.name, asked.fields);
};
