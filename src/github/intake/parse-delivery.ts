// The JSON of a delivery: an object, in valid UTF-8, of a sane depth, in which no name stands twice and none reaches a prototype.

/** GitHub's own bodies nest some ten levels. */
const MAX_DEPTH = 64;

export type DeliveryPayload = Readonly<Record<string, unknown>>;

/** Null for everything that GitHub does not send. The one who signed it knows our secret; it is still parsed as a stranger's. */
export function parseDelivery(bytes: Uint8Array): { readonly text: string; readonly payload: DeliveryPayload } | null {
  const text = decoded(bytes);
  if (text === null) return null;
  const { depth, names } = shapeOf(text);
  if (depth > MAX_DEPTH) return null;
  try {
    const payload: unknown = JSON.parse(text);
    // Of a name that stands twice the parser keeps one.
    return isRecord(payload) && membersIn(payload) === names ? { text, payload } : null;
  } catch {
    return null;
  }
}

export function isRecord(value: unknown): value is DeliveryPayload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function decoded(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

const [QUOTE, COLON] = [0x22, 0x3a];
/** `[` and `{` go one level down, `]` and `}` one up. */
const LEVELS: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
]);

/**
 * How deep brackets nest, up to where it is too deep, and how many names stand there: a colon outside of a string follows one. Runs before the
 * parser, whose own recursion a hundred thousand brackets could exhaust, and needs no valid JSON.
 */
function shapeOf(text: string): { readonly depth: number; readonly names: number } {
  let [depth, deepest, names] = [0, 0, 0];
  for (let at = 0; at < text.length && deepest <= MAX_DEPTH; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = stringEnd(text, at);
    else if (unit === COLON) names += 1;
    else depth += LEVELS.get(unit) ?? 0;
    deepest = Math.max(deepest, depth);
  }
  return { depth: deepest, names };
}

/** Where the string that begins at `start` has its closing quote; the end of the text where it has none. */
function stringEnd(text: string, start: number): number {
  let at = text.indexOf('"', start + 1);
  while (at !== -1 && isEscaped(text, at)) at = text.indexOf('"', at + 1);
  return at === -1 ? text.length : at;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

/** How many members the objects in a value have; NaN, which equals nothing, where one is named `__proto__`. */
function membersIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((members, item) => members + membersIn(item), 0);
  if (!isRecord(value)) return 0;
  const names = Object.keys(value);
  if (names.includes('__proto__')) return Number.NaN;
  return names.reduce((members, name) => members + membersIn(value[name]), names.length);
}
