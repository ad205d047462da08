// The body of a form: of a known type, bounded, and with the proof that it is ours.
import type { Context } from 'hono';
import { FORM_TOKEN, requireFormToken } from './form-token.ts';
import { WebRefusal } from './refusal.ts';
import type { WebEnv } from './web-deps.ts';

/** 1 MiB of text takes up to 3 MiB in a form, 9 where it is not Latin. */
const MAX_BYTES = 12 * 1_024 * 1_024;

export interface Form {
  /** "" where it is absent; the first where there are several. Line ends as LF. */
  text(name: string): string;
  /** All values, such as of check boxes. */
  all(name: string): readonly string[];
}

/** Reads the form of somebody who signed in. */
export async function readForm(c: Context<WebEnv>): Promise<Form> {
  const form = await readAnyForm(c);
  requireFormToken(form.text(FORM_TOKEN), c.get('signedIn').formToken);
  return form;
}

/** Without the proof, for forms before the sign-in. */
export async function readAnyForm(c: Context<WebEnv>): Promise<Form> {
  const type = (c.req.header('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new WebRefusal(415, 'Forms are taken as application/x-www-form-urlencoded: send it from the page.');
  }
  const fields = new URLSearchParams(await readBounded(c.req.raw));
  return {
    text: (name) => (fields.get(name) ?? '').replace(/\r\n?/g, '\n'),
    all: (name) => fields.getAll(name),
  };
}

async function readBounded(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BYTES) throw new WebRefusal(413, 'This is larger than 12 MiB: send the part around the error.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
