// Reads the fields of a request by the rules of the server: what is missing gets its default, and what is wrong is refused.
import { Rule, RULES } from "../schema";
import { Refused } from "./refused";

/** Returns fields with their defaults. `where` names them in messages, such as "agents.0.". */
export function complete<T extends object>(kind: keyof typeof RULES, given: T, where = ""): Required<T> {
  const fields = { ...given } as Record<string, unknown>;
  for (const [name, rule] of Object.entries<Rule>(RULES[kind])) {
    const value = (fields[name] ??= rule.default);
    if (value === undefined) throw new Refused(`${where}${name} is missing; it must be given`);
    const fault = faultOf(value, rule);
    if (fault) throw new Refused(`${where}${name} is ${shown(value)}; ${fault}`);
  }
  return fields as Required<T>;
}

/** Says what a value should be, or nothing if it is that. */
function faultOf(value: unknown, rule: Rule): string {
  if (rule.enum) return rule.enum.includes(value as string) ? "" : `input should be ${rule.enum.map((word) => `'${word}'`).join(", ")}`;
  if (rule.type === "boolean") return typeof value === "boolean" ? "" : "input should be a valid boolean";
  if (rule.type === "string") return typeof value === "string" ? "" : "input should be a valid string";
  if (typeof value !== "number" || !Number.isFinite(value)) return "input should be a valid number";
  if (rule.type === "integer" && !Number.isSafeInteger(value)) return "input should be a valid integer";
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = rule;
  if (minimum !== undefined && value < minimum) return `input should be greater than or equal to ${minimum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `input should be greater than ${exclusiveMinimum}`;
  if (maximum !== undefined && value > maximum) return `input should be less than or equal to ${maximum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `input should be less than ${exclusiveMaximum}`;
  return "";
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? `'${value}'` : String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
