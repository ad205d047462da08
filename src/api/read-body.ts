// Reads a JSON body from a stranger: type first, counted while it arrives, never more than the limit.
import { refuse } from './problem.ts';

/** Bytes that a body may have: 8 MiB, which holds 1 MiB of text even if every character is escaped as \u0000. */
const MAX_BODY_BYTES = 8_388_608;

/** No request has more than two levels. 8 MiB of open brackets cost the parser a second and half a gigabyte. */
const MAX_DEPTH = 64;

/** None has more than ten members. 8 MiB of names held everybody up for two seconds, to be refused one by one. */
const MAX_MEMBERS = 1_000;

/** The parsed body and its bytes as they arrived. Refuses with 415, 413 or 400, in this order. */
export async function readJsonBody(request: Request): Promise<{ readonly value: unknown; readonly bytes: Uint8Array }> {
  requireJsonType(request.headers);
  const bytes = await readBytes(request);
  return { value: parseJson(bytes), bytes };
}

function requireJsonType(headers: Headers): void {
  const encoding = headers.get('Content-Encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    refuse(415, 'Compressed bodies are not accepted: send the JSON as it is, without Content-Encoding.');
  }
  const [type = '', ...parameters] = (headers.get('Content-Type') ?? '').split(';');
  const foreignCharset = parameters.some((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim().toLowerCase() === 'charset' && !/^"?utf-?8"?$/i.test(value.trim());
  });
  if (type.trim().toLowerCase() !== 'application/json' || foreignCharset) {
    refuse(415, 'Send JSON in UTF-8 with the header "Content-Type: application/json".');
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  const length = request.headers.get('Content-Length');
  return length === null ? await countedBytes(request) : await announcedBytes(request, Number(length));
}

/** Refused before a byte is read. No more can come than was announced, so that the body is read at once: as a stream it took 50 µs more. */
async function announcedBytes(request: Request, length: number): Promise<Uint8Array> {
  if (length > MAX_BODY_BYTES) refuseLargeBody();
  return new Uint8Array(await request.arrayBuffer().catch(refuseCutBody));
}

async function countedBytes(request: Request): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read().catch(refuseCutBody);
    if (done) break;
    size += value.byteLength;
    // Not cancelled: that would close the connection before the answer is out. The server drops the rest.
    if (size > MAX_BODY_BYTES) refuseLargeBody();
    chunks.push(value);
  }
  return Buffer.concat(chunks, size);
}

function refuseLargeBody(): never {
  refuse(413, 'The body is larger than 8 MiB: send less.');
}

function refuseCutBody(): never {
  refuse(400, 'The body ended before it was complete: send it again.');
}

function parseJson(bytes: Uint8Array): unknown {
  const { depth, commas } = shapeOf(bytes);
  if (depth > MAX_DEPTH) refuse(400, `The body is nested more than ${MAX_DEPTH} levels deep: flatten it.`);
  if (commas >= MAX_MEMBERS)
    refuse(400, `The body has more than ${MAX_MEMBERS} members: send those that are asked for.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the body, which may hold anything.
    refuse(400, 'The body is not JSON in valid UTF-8: check it with a JSON parser.');
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `[` and `{` go one level down, `]` and `}` one up. */
const LEVELS: ReadonlyMap<number, number> = new Map([
  [0x5b, 1],
  [0x7b, 1],
  [0x5d, -1],
  [0x7d, -1],
]);

/** How deep brackets nest outside of strings, and how many commas stand there, up to where one is too many; needs no valid JSON. */
function shapeOf(bytes: Uint8Array): { readonly depth: number; readonly commas: number } {
  let [depth, commas] = [0, 0];
  for (let at = 0; at < bytes.length && depth <= MAX_DEPTH && commas < MAX_MEMBERS; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(bytes, at);
    else if (byte === COMMA) commas += 1;
    else depth += LEVELS.get(byte) ?? 0;
  }
  return { depth, commas };
}

/** Where the string that begins at `start` has its closing quote; the end of the bytes where it has none. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
