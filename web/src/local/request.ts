// Checks what is asked against the declarations of the library, in the server's words, and fills in what is missing.
import { Options, Reading, Requests, World } from "../schema";
import { Do } from "../wire";
import { DEFINITIONS, REQUESTS } from "./declared";
import { Refused } from "./refused";

/** What is declared of a value, as far as requests need it: a part of JSON schema, and `names` that can be chosen. */
export interface Declared {
  $ref?: string;
  type?: string;
  properties?: Record<string, Declared>;
  required?: string[];
  items?: Declared;
  anyOf?: Declared[];
  oneOf?: Declared[];
  const?: string;
  enum?: string[];
  names?: string[];
  pattern?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A world with nothing left out. */
export interface Filled {
  map: string;
  discount: number;
  options: Required<Options> & { signs: string };
  reading: Required<Reading>;
  task: NonNullable<World["task"]>;
}

/** The fields of a request with nothing left out. */
export type FilledRequest<D extends Do> = Required<Omit<Requests[D], "world">> & (Requests[D] extends { world: World } ? { world: Filled } : object);

/** Returns a request that is known to be right, or refuses it in one sentence: where, what was given, what was expected. */
export function filledRequest<D extends Do>(name: D, fields: Requests[D]): FilledRequest<D> {
  return filled(REQUESTS[name], fields, "") as FilledRequest<D>;
}

function filled(declared: Declared, given: unknown, place: string): unknown {
  if (declared.$ref) return filled(DEFINITIONS[declared.$ref.replace("#/$defs/", "")], given, place);
  const choices = declared.anyOf ?? declared.oneOf;
  if (choices) return anyOf(choices, given, place);
  if (declared.type === "object") return filledObject(declared, given, place);
  if (declared.type === "array") return filledArray(declared, given, place);
  const wrong = fault(declared, given);
  if (wrong) throw refusal(place, given, wrong);
  return given;
}

function filledObject(declared: Declared, given: unknown, place: string): object {
  if (typeof given !== "object" || given === null || Array.isArray(given)) throw refusal(place, given, "input should be an object");
  const fields = declared.properties ?? {};
  const values = given as Record<string, unknown>;
  const inside = (name: string) => (place ? `${place}.${name}` : name);
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    if (Object.hasOwn(values, name) && values[name] !== undefined) out[name] = filled(field, values[name], inside(name));
    else if (declared.required?.includes(name)) throw new Refused(`${inside(name)} is missing; it must be given`);
    else out[name] = field.default;
  }
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(fields, name)) throw refusal(inside(name), values[name], "extra inputs are not permitted");
  }
  return out;
}

function filledArray(declared: Declared, given: unknown, place: string): unknown[] {
  if (!Array.isArray(given)) throw refusal(place, given, "input should be a valid tuple");
  const count = (most: number, word: string) => `tuple should have at ${word} ${most} item${most === 1 ? "" : "s"} after validation, not ${given.length}`;
  if (given.length > (declared.maxItems ?? Infinity)) throw refusal(place, given, count(declared.maxItems!, "most"));
  if (given.length < (declared.minItems ?? 0)) throw refusal(place, given, count(declared.minItems!, "least"));
  return given.map((item, i) => filled(declared.items ?? {}, item, `${place}.${i}`));
}

/** The first choice that fits; the error is that of the first one. */
function anyOf(choices: Declared[], given: unknown, place: string): unknown {
  let first: unknown;
  for (const choice of choices) {
    try {
      return filled(choice, given, place);
    } catch (error) {
      first ??= error;
    }
  }
  throw first;
}

/** What is wrong with a single value, or an empty string. */
function fault(declared: Declared, given: unknown): string {
  const { type } = declared;
  if (declared.const !== undefined) return given === declared.const ? "" : `input should be '${declared.const}'`;
  if (declared.enum) return declared.enum.includes(given as string) ? "" : `input should be ${listed(declared.enum)}`;
  if (type === "null") return given === null ? "" : "input should be None";
  if (type === "boolean") return typeof given === "boolean" ? "" : "input should be a valid boolean";
  if (type === "string") return faultOfText(declared, given);
  if (type !== "integer" && type !== "number") return "";
  if (typeof given !== "number" || Number.isNaN(given) || (type === "integer" && !Number.isInteger(given))) {
    return `input should be a valid ${type}`;
  }
  if (!Number.isFinite(given)) return "input should be a finite number";
  if (given < (declared.minimum ?? -Infinity)) return `input should be greater than or equal to ${declared.minimum}`;
  if (given <= (declared.exclusiveMinimum ?? -Infinity)) return `input should be greater than ${declared.exclusiveMinimum}`;
  if (given > (declared.maximum ?? Infinity)) return `input should be less than or equal to ${declared.maximum}`;
  if (given >= (declared.exclusiveMaximum ?? Infinity)) return `input should be less than ${declared.exclusiveMaximum}`;
  return "";
}

function faultOfText(declared: Declared, given: unknown): string {
  if (typeof given !== "string") return "input should be a valid string";
  if ([...given].length > (declared.maxLength ?? Infinity)) return `string should have at most ${declared.maxLength} characters`;
  if (declared.pattern && !new RegExp(declared.pattern).test(given)) return `string should match pattern '${declared.pattern}'`;
  if (declared.names && !declared.names.includes(given)) return `it must be one of ${declared.names.map((name) => `'${name}'`).join(", ")}`;
  return "";
}

function listed(words: string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  return quoted.length === 1 ? quoted[0] : `${quoted.slice(0, -1).join(", ")} or ${quoted[quoted.length - 1]}`;
}

function refusal(place: string, given: unknown, wrong: string): Refused {
  return new Refused(`${place || "the request"} is ${shown(given).slice(0, 60)}; ${wrong.slice(0, 200)}`);
}

/** A value as Python writes it. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return quoted(value.slice(0, 100));
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value !== "object") return String(value);
  return `{${Object.entries(value).map(([name, one]) => `'${name}': ${shown(one)}`).join(", ")}}`;
}

function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const plain = text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`);
  return mark + plain.replace(/[^\x20-\x7e]/g, (sign) => JSON.stringify(sign).slice(1, -1)) + mark;
}
