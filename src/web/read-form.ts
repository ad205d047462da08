// The body of a form: of a known type, bounded, and with the proof that it is ours.
import type { Context } from 'hono';
import { MOST_FIELDS, parseFields } from './form-fields.ts';
import { FORM_BYTES, type FormBody } from './form-room.ts';
import { FORM_TOKEN, requireFormToken } from './form-token.ts';
import { WebRefusal } from './refusal.ts';
import type { WebEnv } from './web-deps.ts';

export interface Form {
  /** "" where it is absent; the first where there are several. Line ends as LF. */
  text(name: string): string;
  /** All values, such as of check boxes. */
  all(name: string): readonly string[];
}

/** Reads the form of somebody who signed in; a report may be much longer than any other. */
export async function readForm(c: Context<WebEnv>, kind: 'ordinary' | 'report' = 'ordinary'): Promise<Form> {
  const form = await readFields(c, FORM_BYTES[kind]);
  requireFormToken(form.text(FORM_TOKEN), c.get('signedIn').formToken);
  return form;
}

/** Without the proof, for forms before the sign-in. */
export function readStrangersForm(c: Context<WebEnv>): Promise<Form> {
  return readFields(c, FORM_BYTES.stranger);
}

async function readFields(c: Context<WebEnv>, most: number): Promise<Form> {
  const type = (c.req.header('Content-Type') ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') {
    throw new WebRefusal(415, 'Forms are taken as application/x-www-form-urlencoded: send it from the page.');
  }
  const body = await c.get('readBody')(c.req.raw, most);
  if (body.kind !== 'read') throw refusalOf(body.kind, most);
  const fields = parseFields(body.bytes);
  if (fields === null) throw new WebRefusal(400, `A form has at most ${MOST_FIELDS} fields: send it from the page.`);
  return {
    text: (name) => (fields.get(name)?.[0] ?? '').replace(/\r\n?/g, '\n'),
    all: (name) => fields.get(name) ?? [],
  };
}

function refusalOf(fault: Exclude<FormBody['kind'], 'read'>, most: number): WebRefusal {
  switch (fault) {
    case 'too_large':
      return new WebRefusal(413, `This is larger than ${sizeWords(most)}, and nothing was changed: send less.`);
    case 'no_room':
      return new WebRefusal(503, 'Too many large forms arrive at once. Nothing was changed: send it again.', {
        'Retry-After': '10',
      });
    case 'cut':
      return new WebRefusal(400, 'The form did not arrive whole, and nothing was changed: send it again.');
  }
}

function sizeWords(bytes: number): string {
  const kib = bytes / 1_024;
  return kib < 1_024 ? `${kib} KiB` : `${kib / 1_024} MiB`;
}
