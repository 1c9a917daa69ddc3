// Every step of a run, in arrays that grow.

export class Recorder {
  length = 0;
  private state = new Int32Array(1024);
  private choice = new Int32Array(1024);
  private arrival = new Int32Array(1024);

  step(state: number, choice: number, arrival: number): void {
    if (this.length === this.state.length) [this.state, this.choice, this.arrival] = [this.state, this.choice, this.arrival].map(doubled);
    this.state[this.length] = state;
    this.choice[this.length] = choice;
    this.arrival[this.length++] = arrival;
  }

  /** The state after the last step, -1 before the first. */
  get last(): number {
    return this.length ? this.arrival[this.length - 1] : -1;
  }

  /** The state before each step and after the last one, and the choices that were being followed. */
  all(): { states: Int32Array; choices: Int32Array } {
    const states = new Int32Array(this.length + 1);
    states.set(this.state.subarray(0, this.length));
    states[this.length] = this.last;
    return { states, choices: this.choice.slice(0, this.length) };
  }
}

function doubled(array: Int32Array): Int32Array {
  const twice = new Int32Array(2 * array.length);
  twice.set(array);
  return twice;
}
