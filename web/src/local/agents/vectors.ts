// The arithmetic of rows in vector instructions of WebAssembly, two numbers at a time, written out byte by byte.
//
// WebAssembly rounds as JavaScript does, and additions keep their order, so that results have the same bits. Functions take
// places in a memory of 64-bit numbers. The width of rows is a multiple of eight, and at least eight.

export interface VectorCode {
  dot(x: number, y: number, width: number): number;
  addRow(x: number, y: number, a: number, width: number): void;
  mixRow(x: number, y: number, g: number, a: number, width: number): void;
  /** `squares` is 1 or 0. */
  mixMeasuredRow(x: number, y: number, g: number, a: number, width: number, sums: number, squares: number): void;
}

type Code = number[];

const I32 = 0x7f;
const F64 = 0x7c;
const V128 = 0x7b;
const LOADS = [0, 16, 32, 48]; // eight numbers are four vectors of 16 bytes

const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [...value, 0x21, local];
const int = (n: number): Code => [0x41, ...(n < 64 ? [n] : [n | 0x80, 0])]; // up to 127
const shifted = (value: Code): Code => [...value, ...int(3), 0x74];
const plus = (one: Code, other: Code): Code => [...one, ...other, 0x6a];
const below = (one: Code, other: Code): Code => [...one, ...other, 0x49];
const load = (at: number, offset: number): Code => [...get(at), 0xfd, 0x00, 3, offset];
const store = (at: number, offset: number, value: Code): Code => [...get(at), ...value, 0xfd, 0x0b, 3, offset];
const splat = (value: Code): Code => [...value, 0xfd, 0x14];
const lane = (value: Code, n: number): Code => [...value, 0xfd, 0x21, n];
const add = (one: Code, other: Code): Code => [...one, ...other, 0xfd, 0xf0, 0x01];
const subtract = (one: Code, other: Code): Code => [...one, ...other, 0xfd, 0xf1, 0x01];
const multiply = (one: Code, other: Code): Code => [...one, ...other, 0xfd, 0xf2, 0x01];

/** Turns places into bytes: those of `rows` in memory, and the end of the first row from its width. */
const toBytes = (rows: number[], width: number, end: number): Code => [
  ...rows.flatMap((row) => set(row, shifted(get(row)))),
  ...set(end, plus(get(rows[0]), shifted(get(width)))),
];

/** Repeats `body` for eight numbers at a time, until the first of `rows` is at its end. */
const loop = (rows: number[], end: number, body: Code): Code => [
  0x03, 0x40, ...body, ...rows.flatMap((row) => set(row, plus(get(row), int(64)))), ...below(get(rows[0]), get(end)), 0x0d, 0, 0x0b,
];

/** A function: its parameters and result as types, its further locals, and its code. */
interface Kernel {
  name: string;
  takes: number[];
  gives: number[];
  locals: number[];
  code: Code;
}

const dot = (): Kernel => {
  const [x, y, width, end, a, b, c, d] = [0, 1, 2, 3, 4, 5, 6, 7];
  const sums = [a, b, c, d];
  const halves = add(add(get(a), get(c)), add(get(b), get(d)));
  const products = LOADS.flatMap((offset, k) => set(sums[k], add(get(sums[k]), multiply(load(x, offset), load(y, offset)))));
  return {
    name: "dot", takes: [I32, I32, I32], gives: [F64], locals: [I32, V128, V128, V128, V128],
    code: [...toBytes([x, y], width, end), ...loop([x, y], end, products), ...set(a, halves), ...lane(get(a), 0), ...lane(get(a), 1), 0xa0],
  };
};

const addRow = (): Kernel => {
  const [x, y, step, width, end, steps] = [0, 1, 2, 3, 4, 5];
  const body = LOADS.flatMap((offset) => store(x, offset, add(load(x, offset), multiply(get(steps), load(y, offset)))));
  return {
    name: "addRow", takes: [I32, I32, F64, I32], gives: [], locals: [I32, V128],
    code: [...toBytes([x, y], width, end), ...set(steps, splat(get(step))), ...loop([x, y], end, body)],
  };
};

/** x += a (g y - x). With `sums`, they grow by what x does, or by what its squares do. */
const mixed = (measured: boolean): Kernel => {
  const [x, y, g, a, width] = [0, 1, 2, 3, 4];
  const [sums, squares] = [5, 6];
  const [end, gains, steps, old, next] = measured ? [7, 8, 9, 10, 11] : [5, 6, 7, 8, 9];
  const rows = measured ? [x, y, sums] : [x, y];
  const move = (offset: number): Code => [
    ...set(old, load(x, offset)),
    ...set(next, add(get(old), multiply(get(steps), subtract(multiply(get(gains), load(y, offset)), get(old))))),
    ...store(x, offset, get(next)),
  ];
  const measure = (offset: number, size: (local: number) => Code): Code =>
    store(sums, offset, add(load(sums, offset), subtract(size(next), size(old))));
  const over = (size: (local: number) => Code) => loop(rows, end, LOADS.flatMap((offset) => [...move(offset), ...measure(offset, size)]));
  const squared = over((local) => multiply(get(local), get(local)));
  const body = measured ? [...get(squares), 0x04, 0x40, ...squared, 0x05, ...over(get), 0x0b] : loop(rows, end, LOADS.flatMap(move));
  return {
    name: measured ? "mixMeasuredRow" : "mixRow", takes: [I32, I32, F64, F64, I32, ...(measured ? [I32, I32] : [])], gives: [],
    locals: [I32, V128, V128, V128, V128],
    code: [...toBytes(rows, width, end), ...set(gains, splat(get(g))), ...set(steps, splat(get(a))), ...body],
  };
};

const unsigned = (n: number): Code => (n < 128 ? [n] : [(n & 127) | 128, ...unsigned(n >>> 7)]);
const listed = (items: Code[]): Code => [...unsigned(items.length), ...items.flat()];
const sized = (code: Code): Code => [...unsigned(code.length), ...code];
const text = (word: string): Code => sized([...word].map((sign) => sign.charCodeAt(0)));

function moduleOf(kernels: Kernel[]): Uint8Array {
  const section = (id: number, items: Code[]): Code => [id, ...sized(listed(items))];
  const types = kernels.map(({ takes, gives }) => [0x60, ...sized(takes), ...sized(gives)]);
  const bodies = kernels.map(({ locals, code }) => sized([...listed(locals.map((type) => [1, type])), ...code, 0x0b]));
  return Uint8Array.from([
    0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    ...section(1, types),
    ...section(2, [[...text("page"), ...text("memory"), 0x02, 0, 0]]),
    ...section(3, kernels.map((_, i) => [i])),
    ...section(7, kernels.map(({ name }, i) => [...text(name), 0x00, i])),
    ...section(10, bodies),
  ]);
}

let compiled: WebAssembly.Module | null | undefined;

/** The functions for a memory, or null if this browser has no WebAssembly with vectors, or does not let a page use it. */
export function vectorCode(memory: () => WebAssembly.Memory): { code: VectorCode; memory: WebAssembly.Memory } | null {
  try {
    compiled ??= compiled === null ? null : new WebAssembly.Module(moduleOf([dot(), addRow(), mixed(false), mixed(true)]));
    if (!compiled) return null;
    const own = memory();
    return { code: new WebAssembly.Instance(compiled, { page: { memory: own } }).exports as unknown as VectorCode, memory: own };
  } catch {
    compiled = null;
    return null;
  }
}
