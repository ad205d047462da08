// The JSON body of a request: of a known type, limited in size and depth.
import { MIMEType } from 'node:util';
import { readLimited } from '../core/abortable.ts';
import type { ApiContext } from './api-deps.ts';
import { refuse } from './problem.ts';

/** 8 MiB, which fit 1 MiB of text even if every character is escaped as \u0000. */
const MAX_BODY_BYTES = 8_388_608;
/** No request has more than one level. Zod would report each of a million names as a fault of its own. */
const MAX_DEPTH = 64;
const MAX_MEMBERS = 1_000;

/** The body as it came, and as the value that it is. Refuses what is not JSON. */
export async function readJson(c: ApiContext): Promise<{ readonly bytes: Uint8Array; readonly value: unknown }> {
  requireJson(c);
  const bytes = await readBodyBytes(c.req.raw);
  return { bytes, value: parseBodyJson(bytes) };
}

/** Refuses with 415 what is not plain JSON in UTF-8. */
function requireJson(c: ApiContext): void {
  const encoding = c.req.header('Content-Encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    refuse(415, 'Compressed bodies are not accepted: send plain JSON, without Content-Encoding.');
  }
  if (!isJsonType(c.req.header('Content-Type') ?? '')) {
    refuse(415, 'Send JSON in UTF-8 with the header "Content-Type: application/json".');
  }
}

function isJsonType(header: string): boolean {
  try {
    const type = new MIMEType(header);
    const charset = type.params.get('charset') ?? 'utf-8';
    return type.essence === 'application/json' && /^utf-?8$/i.test(charset);
  } catch {
    return false;
  }
}

/** hono/body-limit was tried: it copies a chunked body into `new Request(request)`, which throws for @hono/node-server's requests. */
async function readBodyBytes({ headers, body }: Request): Promise<Uint8Array> {
  const isTooLong = Number(headers.get('Content-Length') ?? '0') > MAX_BODY_BYTES;
  const read = isTooLong ? null : await readLimited(body, MAX_BODY_BYTES).catch(() => refuseIncompleteBody());
  if (read === null || !read.isWhole) refuse(413, 'The body is larger than 8 MiB: send less.');
  return read.bytes;
}

function refuseIncompleteBody(): never {
  refuse(400, 'The body is incomplete: send it again.');
}

function parseBodyJson(bytes: Uint8Array): unknown {
  const value = decodeJson(bytes);
  if (isDeeperThan(value, MAX_DEPTH)) refuse(400, `The body is nested more than ${MAX_DEPTH} levels deep: flatten it.`);
  if (typeof value === 'object' && value !== null && Object.keys(value).length > MAX_MEMBERS) {
    refuse(400, `The body has more than ${MAX_MEMBERS} members: send only the documented ones.`);
  }
  return value;
}

function decodeJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message quotes the body, which may contain anything.
    refuse(400, 'The body is not JSON in valid UTF-8: check it with a JSON parser.');
  }
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

/** An own field of a JSON object, where it is text; else "". */
export function readTextField(value: unknown, name: string): string {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const field = isObject ? (value as Readonly<Record<string, unknown>>)[name] : '';
  return typeof field === 'string' ? field : '';
}
