// Starts a run of agents at the press of a button, stops it at the press of another, and plays the result.
import { Context } from "./context";
import { button } from "./fields";
import { Channel } from "./channel";
import { Player, reducedMotion } from "./player";
import { Replies, Requests } from "./messages";

interface Words {
  idle: string;
  help: string;
  busy: string;
}

export class Starter<D extends "train" | "explore"> {
  readonly begin: HTMLButtonElement;
  readonly give = button("Stop", "Cancel this computation.", () => this.stop(), "quiet");
  private readonly channel: Channel<D>;
  private restore = false;
  /** Drops what is still computed after the run itself; null where nothing is. */
  private dropRest: (() => void) | null = null;

  constructor(
    private readonly context: Context,
    name: D,
    private readonly words: Words,
    private readonly player: Player,
    private readonly request: () => Omit<Requests[D], "world">,
    receive: (reply: Replies[D], fields: Requests[D], restored: boolean) => void,
  ) {
    this.begin = button(words.idle, words.help, () => this.start(), "main");
    this.give.hidden = true;
    this.channel = context.channel(name, 0, (reply, fields) => {
      this.working(false);
      receive(reply, fields, this.restore);
      if (!this.restore && !reducedMotion()) player.play();
      player.refresh();
    }, () => this.working(false));
  }

  /** Starts a run. One that a link asked for goes to where playback was; any other is played from the beginning. */
  start(restore = false): void {
    this.stop();
    this.restore = restore;
    this.player.pause();
    this.working(true);
    const fields = { ...this.context.world(), ...this.request() } as Requests[D];
    this.channel.want(fields, JSON.stringify(fields));
  }

  stop(): void {
    const drop = this.dropRest;
    this.dropRest = null;
    drop?.();
    this.channel.drop();
    this.working(false);
  }

  /** More is computed after the run itself, which `drop` stops; null: no longer. */
  follow(drop: (() => void) | null): void {
    this.dropRest = drop;
    this.give.hidden = !drop && !this.begin.disabled;
  }

  private working(is: boolean): void {
    this.give.hidden = !is;
    this.begin.disabled = is;
    this.begin.textContent = is ? this.words.busy : this.words.idle;
  }
}
