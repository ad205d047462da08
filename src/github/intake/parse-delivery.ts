// The JSON of a delivery: an object, in valid UTF-8, of a sane depth, in which no name stands twice and none reaches a prototype.

/** GitHub's own bodies nest some ten levels. */
const MAX_DEPTH = 64;

export type DeliveryPayload = Readonly<Record<string, unknown>>;

/** Null for everything that GitHub does not send. The one who signed it knows our secret; it is still parsed as a stranger's. */
export function parseDelivery(bytes: Uint8Array): { readonly text: string; readonly payload: DeliveryPayload } | null {
  const text = decoded(bytes);
  if (text === null || hasBadNames(text)) return null;
  try {
    const payload: unknown = JSON.parse(text);
    return isRecord(payload) ? { text, payload } : null;
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

const BRACKETS = /[[\]{}"]/g;

/**
 * Whether an object is nested too deeply, names a member twice, or names one `__proto__`. Runs before the parser, whose own recursion
 * a hundred thousand brackets could exhaust, and needs no valid JSON.
 */
function hasBadNames(text: string): boolean {
  const open: Set<string>[] = [];
  BRACKETS.lastIndex = 0;
  for (let found = BRACKETS.exec(text); found !== null; found = BRACKETS.exec(text)) {
    const [token] = found;
    if (token === '"') {
      const end = stringEnd(text, found.index);
      if (isName(text, end) && !addName(open.at(-1), text.slice(found.index + 1, end))) return true;
      BRACKETS.lastIndex = end + 1;
    } else if (token === '}' || token === ']') {
      open.pop();
    } else if (open.push(new Set()) > MAX_DEPTH) {
      return true;
    }
  }
  return false;
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

/** A colon after a string makes it a name. */
function isName(text: string, end: number): boolean {
  let at = end + 1;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1;
  return text[at] === ':';
}

/** False where the name stands there already or is not to stand anywhere. */
function addName(names: Set<string> | undefined, content: string): boolean {
  const name = content.includes('\\') ? unescaped(content) : content;
  if (name === '__proto__' || names?.has(name)) return false;
  names?.add(name);
  return true;
}

/** Two spellings of one name are one name. What is no JSON string is left to the parser. */
function unescaped(content: string): string {
  try {
    return String(JSON.parse(`"${content}"`));
  } catch {
    return content;
  }
}
