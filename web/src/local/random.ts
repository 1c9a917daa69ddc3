// The random numbers of NumPy, bit for bit: `np.random.default_rng(seed)` as far as the library draws from it.

// A 128-bit number is four 32-bit words, the lowest first. The multiplier of PCG64 is 0x2360ed051fc65da44385df649fccf645.
const [M0, M1, M2, M3] = [0x9fccf645, 0x4385df64, 0x1fc65da4, 0x2360ed05];
const SHRINK = 1 / 0x100000000;
const [L0, H0, L1, H1, L2, H2] = [M0 & 0xffff, M0 >>> 16, M1 & 0xffff, M1 >>> 16, M2 & 0xffff, M2 >>> 16];

/** The upper word of the product of two words, the second one given in halves. Sums stay below 2^32. */
function upper(a: number, low: number, high: number): number {
  const x = a & 0xffff;
  const y = a >>> 16;
  const middle = (Math.imul(y, low) >>> 0) + (Math.imul(x, low) >>> 16);
  const other = (Math.imul(x, high) >>> 0) + (middle & 0xffff);
  return (Math.imul(y, high) >>> 0) + (middle >>> 16) + (other >>> 16);
}

/** The words of an integer that is not negative, the lowest first; 0 has one. */
function wordsOf(seed: number | bigint): number[] {
  const words = [];
  for (let rest = BigInt(seed); rest > 0n || words.length === 0; rest >>= 32n) words.push(Number(rest & 0xffffffffn));
  return words;
}

/** `np.random.SeedSequence(entropy).generate_state(n)`: n words of 32 bits. */
export function seedWords(entropy: readonly (number | bigint)[], n: number): Uint32Array {
  const words = entropy.flatMap(wordsOf);
  const pool = new Uint32Array(4);
  let constant = 0x43b0d7e5;
  const hash = (value: number) => {
    const mixed = value ^ constant;
    constant = Math.imul(constant, 0x931e8875);
    const product = Math.imul(mixed, constant);
    return product ^ (product >>> 16);
  };
  const mix = (x: number, y: number) => {
    const mixed = Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715);
    return mixed ^ (mixed >>> 16);
  };
  for (let i = 0; i < 4; i++) pool[i] = hash(words[i] ?? 0);
  for (let from = 0; from < 4; from++) for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mix(pool[to], hash(pool[from]));
  for (let from = 4; from < words.length; from++) for (let to = 0; to < 4; to++) pool[to] = mix(pool[to], hash(words[from]));
  let other = 0x8b51f9dd;
  return Uint32Array.from({ length: n }, (_, i) => {
    const mixed = pool[i % 4] ^ other;
    other = Math.imul(other, 0x58f38ded);
    const product = Math.imul(mixed, other);
    return product ^ (product >>> 16);
  });
}

/** A stream of random numbers: PCG64 (XSL-RR), seeded as `np.random.default_rng` seeds it. */
export class Random {
  private readonly state = new Uint32Array(4);
  private readonly increment: Uint32Array;
  private readonly drawn = new Uint32Array(2);
  private kept = -1; // a word that was drawn and not used yet

  /** Several numbers are one seed, as `np.random.default_rng([3, 1])` takes them. */
  constructor(...seed: (number | bigint)[]) {
    // The words come as 64-bit numbers, and of 128 bits the upper half comes first.
    const [a2, a3, a0, a1, b2, b3, b0, b1] = seedWords(seed, 8);
    this.increment = Uint32Array.of((b0 << 1) | 1, (b1 << 1) | (b0 >>> 31), (b2 << 1) | (b1 >>> 31), (b3 << 1) | (b2 >>> 31));
    this.step();
    let carry = 0;
    [a0, a1, a2, a3].forEach((word, i) => {
      const sum = this.state[i] + word + carry;
      this.state[i] = sum;
      carry = +(sum > 0xffffffff);
    });
    this.step();
  }

  /** state = state * multiplier + increment, modulo 2^128. */
  private step(): void {
    const { state, increment } = this;
    const s0 = state[0];
    const s1 = state[1];
    const s2 = state[2];
    // The sums of a column stay below 2^35, which a float holds exactly.
    const c0 = (Math.imul(s0, M0) >>> 0) + increment[0];
    const c1 =
      (Math.imul(s0, M1) >>> 0) + (Math.imul(s1, M0) >>> 0) + upper(s0, L0, H0) + increment[1] + (c0 > 0xffffffff ? 1 : 0);
    const c2 =
      (Math.imul(s0, M2) >>> 0) + (Math.imul(s1, M1) >>> 0) + (Math.imul(s2, M0) >>> 0) +
      upper(s0, L1, H1) + upper(s1, L0, H0) + increment[2] + ((c1 * SHRINK) | 0);
    const c3 =
      (Math.imul(s0, M3) | 0) + (Math.imul(s1, M2) | 0) + (Math.imul(s2, M1) | 0) + (Math.imul(state[3], M0) | 0) +
      upper(s0, L2, H2) + upper(s1, L1, H1) + upper(s2, L0, H0) + increment[3] + ((c2 * SHRINK) | 0);
    state[0] = c0;
    state[1] = c1;
    state[2] = c2;
    state[3] = c3;
  }

  /** Draws 64 bits, the lower word first: the halves of the state, xored and rotated. */
  private draw(): void {
    this.step();
    const { state, drawn } = this;
    const turn = state[3] >>> 26;
    const shift = turn & 31;
    const swaps = turn > 31;
    const even = state[0] ^ state[2];
    const odd = state[1] ^ state[3];
    const low = swaps ? odd : even;
    const high = swaps ? even : odd;
    drawn[0] = shift ? (low >>> shift) | (high << (32 - shift)) : low;
    drawn[1] = shift ? (high >>> shift) | (low << (32 - shift)) : high;
  }

  /** A number in [0, 1), as `random()`. */
  random(): number {
    this.draw();
    return (this.drawn[1] * 0x200000 + (this.drawn[0] >>> 11)) / 0x20000000000000;
  }

  /** 32 random bits. Half of what is drawn is kept for the next call. */
  private word(): number {
    if (this.kept >= 0) {
      const word = this.kept;
      this.kept = -1;
      return word;
    }
    this.draw();
    this.kept = this.drawn[1];
    return this.drawn[0];
  }

  /** An integer in 0..n-1, as `integers(n)`, for n up to 2^32. */
  below(n: number): number {
    if (n === 1) return 0;
    if (n === 0x100000000) return this.word();
    let word = this.word();
    let low = Math.imul(word, n) >>> 0;
    if (low < n) for (const least = (0x100000000 - n) % n; low < least; low = Math.imul(word, n) >>> 0) word = this.word();
    return upper(word, n & 0xffff, n >>> 16);
  }

  /** Integers in 0..n-1, as `integers(n, size=size, dtype=np.uint8)`, for n up to 255. */
  bytesBelow(n: number, size: number): Uint8Array {
    let buffer = 0;
    let left = 0;
    const least = (256 - n) % n;
    const byte = () => {
      if (left === 0) [buffer, left] = [this.word(), 4];
      else buffer >>>= 8;
      left--;
      return (buffer & 255) * n;
    };
    return Uint8Array.from({ length: size }, () => {
      if (n === 1) return 0;
      let product = byte();
      while ((product & 255) < least) product = byte();
      return product >>> 8;
    });
  }

  /** The numbers 0..n-1 in random order, as `permutation(n)`, which draws otherwise than `below`. */
  permutation(n: number): Int32Array {
    const order = Int32Array.from({ length: n }, (_, i) => i);
    for (let i = n - 1; i > 0; i--) {
      const mask = 0xffffffff >>> Math.clz32(i);
      let j = this.word() & mask;
      while (j > i) j = this.word() & mask;
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
