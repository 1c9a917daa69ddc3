// Sentences for requests that are not answered in the browser.

/** A request that is refused: its message is one sentence for the person at the page. */
export class Refused extends Error {}

/** A request for something that only the server computes. */
export class NeedsServer extends Refused {}

/** Returns the error of something that only the server computes. */
export function needsServer(what: string): NeedsServer {
  return new NeedsServer(`${what} needs \`hsr lab\``);
}
