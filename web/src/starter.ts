// Asks for a run of agents at the press of a button, gives it up at the press of another, and plays what came.
import { Desk } from "./desk";
import { button } from "./fields";
import { Lane } from "./lane";
import { Player, reducedMotion } from "./player";
import { Fields, Replies } from "./wire";

interface Words {
  idle: string;
  help: string;
  busy: string;
}

export class Starter<D extends "train" | "explore"> {
  readonly begin: HTMLButtonElement;
  readonly give = button("Stop", "Give up this computation.", () => this.stop(), "quiet");
  private readonly lane: Lane<D>;
  private restore = false;

  constructor(
    private readonly desk: Desk,
    name: D,
    private readonly words: Words,
    private readonly player: Player,
    private readonly request: () => Fields,
    take: (reply: Replies[D], fields: Fields, restored: boolean) => void,
  ) {
    this.begin = button(words.idle, words.help, () => this.start(), "main");
    this.give.hidden = true;
    this.lane = desk.lane(name, 0, (reply, fields) => {
      this.working(false);
      take(reply, fields, this.restore);
      if (!this.restore && !reducedMotion()) player.play();
      player.refresh();
    }, () => this.working(false));
  }

  /** Asks for a run; one that a link asked for goes to where it stood, and any other is played from its beginning. */
  start(restore = false): void {
    this.restore = restore;
    this.player.pause();
    this.working(true);
    const fields = { ...this.desk.world(), ...this.request() };
    this.lane.want(fields, JSON.stringify(fields));
  }

  stop(): void {
    this.lane.drop();
    this.working(false);
  }

  private working(is: boolean): void {
    this.give.hidden = !is;
    this.begin.disabled = is;
    this.begin.textContent = is ? this.words.busy : this.words.idle;
  }
}
