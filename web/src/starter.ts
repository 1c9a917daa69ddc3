// The buttons that start and stop a run of agents. The run is played, and then the other seeds are run.
import { Context } from "./context";
import { button } from "./fields";
import { Channel } from "./channel";
import { Player, reducedMotion } from "./player";
import { Replies, Requests } from "./messages";

/** The request for the other seeds of a run. */
const REST = { train: "seeds", explore: "explorations" } as const;

type Rest<D extends keyof typeof REST> = Replies[(typeof REST)[D]]["agents"];

interface Actions<D extends keyof typeof REST> {
  /** What is asked besides the world. */
  request(): Omit<Requests[D], "world">;
  receive(reply: Replies[D], fields: Requests[D], restored: boolean): void;
  /** Receives the other seeds of each agent; null if their status has changed instead. */
  compare(others: Rest<D> | null): void;
}

export class Starter<D extends keyof typeof REST> {
  readonly begin: HTMLButtonElement;
  readonly give = button("Stop", "Cancel this computation.", () => this.stop("were stopped"), "quiet");
  /** The status of the other seeds, as the end of a sentence. */
  others = "";
  private readonly channel: Channel<D>;
  private readonly rest: Channel<"seeds" | "explorations">;
  private restore = false;

  constructor(
    private readonly context: Context,
    name: D,
    private readonly words: { idle: string; help: string; busy: string },
    private readonly player: Player,
    private readonly actions: Actions<D>,
  ) {
    this.begin = button(words.idle, words.help, () => this.start(), "main");
    this.give.hidden = true;
    this.channel = context.channel(name, 0, (reply, fields) => {
      this.working(false);
      this.others = "are being run";
      actions.receive(reply, fields, this.restore);
      if (!this.restore) player.element.scrollIntoView({ block: "start" });
      if (!this.restore && !reducedMotion()) player.play();
      player.refresh();
      if (fields.n_seeds === 1) return;
      this.rest.want(fields as never, JSON.stringify(fields));
      this.give.hidden = false;
    }, () => this.working(false));
    this.rest = context.channel(REST[name], 0, (reply) => {
      this.give.hidden = true;
      actions.compare(reply.agents as Rest<D>);
    }, () => this.without("could not be run"));
  }

  /** Starts a run. One that a link asked for goes to where playback was; any other is played from the beginning. */
  start(restore = false): void {
    this.stop();
    this.restore = restore;
    this.player.pause();
    this.working(true);
    const fields = { ...this.context.world(), ...this.actions.request() } as Requests[D];
    this.channel.want(fields, JSON.stringify(fields));
  }

  stop(others = ""): void {
    this.channel.drop();
    this.rest.drop();
    this.working(false);
    this.without(others);
  }

  private without(others: string): void {
    this.others = others;
    this.give.hidden = true;
    this.actions.compare(null);
  }

  private working(is: boolean): void {
    this.give.hidden = !is;
    this.begin.disabled = is;
    this.begin.textContent = is ? this.words.busy : this.words.idle;
  }
}
