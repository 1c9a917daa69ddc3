// Where this page lives: sent by `hsr lab`, which answers it, or alone, with a worker in the browser.
import { LocalLink } from "./local/link";
import { Socket } from "./socket";
import { Link } from "./wire";

export interface Home {
  link: Link;
  /** Whether a server answers. */
  served: boolean;
  /** Whether requests are answered now. */
  connected(): boolean;
  /** Drops the connection, for tests; it comes back by itself. */
  drop(): void;
}

/** The server marks the page that it sends; see src/hsr/lab/page.py. */
export const isServed = (): boolean => document.querySelector<HTMLMetaElement>('meta[name="hsr-lab"]')?.content === "served";

/** Opens the link; `onState` is called whenever the connection to a server is lost or back. */
export function openHome(onState: (connected: boolean) => void): Home {
  if (!isServed()) return { link: new LocalLink(), served: false, connected: () => true, drop: () => undefined };
  let connected = false;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const link = new Socket(`${scheme}://${location.host}/ws${location.search}`, (is) => {
    connected = is;
    onState(is);
  });
  return { link, served: true, connected: () => connected, drop: () => link.drop() };
}

/** What this browser lacks for the page, in words; empty where nothing is missing. */
export function missing(): string {
  const needed = ["ResizeObserver", "URLSearchParams", "HTMLDialogElement", isServed() ? "WebSocket" : "Worker"];
  return needed.filter((name) => !(name in window)).join(", ");
}
