// A server's description of a tool's arguments as the model gets it: small, visible, and the same bytes for the same content.
import { plainLine } from './outside-text.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** Bytes of JSON: with forty tools this is already most of a prompt. */
const MAX_SCHEMA_BYTES = 4_096;
const MAX_WORDS = 200;
const MAX_DEPTH = 8;
const MAX_ITEMS = 100;
const MAX_NAME = 64;
/** Says nothing that a model needs in order to call. */
const IDLE = new Set(['$schema', '$id', '$comment', 'title', 'examples', 'readOnly', 'writeOnly', 'deprecated']);
const WORDY = new Set([...IDLE, 'description', 'default', 'pattern', 'format']);

export const ANY_ARGUMENTS: Schema = { type: 'object', properties: {} };

/** The schema, whole or simplified until it fits; `isWhole` is false where the model must be told that something is missing. */
export function shownSchema(inputSchema: unknown): { readonly schema: Schema; readonly isWhole: boolean } {
  const whole = cleaned(inputSchema, IDLE);
  if (fits(whole)) return { schema: whole, isWhole: true };
  const terse = cleaned(inputSchema, WORDY);
  if (fits(terse)) return { schema: terse, isWhole: false };
  const names = namesOnly(terse);
  return { schema: fits(names) ? names : ANY_ARGUMENTS, isWhole: false };
}

function fits(schema: Schema): boolean {
  return Buffer.byteLength(JSON.stringify(schema)) <= MAX_SCHEMA_BYTES;
}

function cleaned(schema: unknown, without: ReadonlySet<string>): Schema {
  const value = clean(schema, without, 0);
  return isObject(value)
    ? { ...value, type: 'object', properties: isObject(value['properties']) ? value['properties'] : {} }
    : ANY_ARGUMENTS;
}

function namesOnly({ properties, required }: Schema): Schema {
  const entries = Object.entries(isObject(properties) ? properties : {});
  const typed = entries.map(([name, property]) => {
    const type = isObject(property) ? property['type'] : undefined;
    return [name, typeof type === 'string' ? { type } : {}] as const;
  });
  return { type: 'object', properties: Object.fromEntries(typed), ...(Array.isArray(required) ? { required } : {}) };
}

/** Keys in order, since servers differ from start to start; keywords of `without` only where they are keywords, not names of arguments. */
function clean(value: unknown, without: ReadonlySet<string>, depth: number, areNames = false): unknown {
  if (typeof value === 'string') return plainLine(value, MAX_WORDS);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return {};
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => clean(item, without, depth + 1));
  const entries = Object.entries(value).filter(
    ([key, item]) => isVisible(key) && (areNames || !(without.has(key) || isForeign(key, item))),
  );
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, item]) => [key, clean(item, without, depth + 1, !areNames && key === 'properties')]),
  );
}

/** A name that would have to be changed to be shown could not be used in a call. */
function isVisible(name: string): boolean {
  return name.length <= MAX_NAME && plainLine(name, MAX_NAME) === name;
}

/** A reference out of the document: some endpoints refuse it, and nobody should fetch it. */
function isForeign(key: string, value: unknown): boolean {
  return key.startsWith('$') && key.endsWith('ef') && !(typeof value === 'string' && value.startsWith('#'));
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
