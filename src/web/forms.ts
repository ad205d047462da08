// The body of a form: of a known type, limited in size, with the proof that it is ours, and counted once where it must
// be.
import { randomBytes } from 'node:crypto';
import { html } from 'hono/html';
import { readLimited } from '../core/abortable.ts';
import type { ActOptions } from '../db/index.ts';
import { FORM_TOKEN, type Html, WebRefusal } from './layout.ts';
import { hashValue, requireFormToken } from './session.ts';
import type { PageContext, WebDeps } from './web-deps.ts';

export interface Form {
  /** "" where it is absent; the first where there are several. Line ends as LF. */
  text(name: string): string;
  /** All values, such as of check boxes. */
  all(name: string): readonly string[];
}

/** Bytes. 1 MiB of text takes up to 3 MiB in a form, 9 where it is not Latin. */
const LIMITS = { public: 4_096, ordinary: 65_536, report: 12_582_912 } as const;
/**
 * More than any of our forms has: URLSearchParams takes 1.1 s for 512 KiB of `a&`, and its time grows with their
 * square.
 */
const MAX_FIELDS = 1_000;
const ONCE_FIELD = 'form_key';
const ONCE_VALUE = /^[\w-]{22}$/;
/** Longer than any page stays usable: what needs a recent sign-in is refused after half an hour. */
const ONCE_LASTS_MS = 24 * 60 * 60_000;

/** Reads the form of a person with a session; a report may be much longer than any other. */
export async function readForm(c: PageContext, kind: 'ordinary' | 'report' = 'ordinary'): Promise<Form> {
  const form = await readFormFields(c, LIMITS[kind]);
  requireFormToken(form.text(FORM_TOKEN), c.get('signedIn').formToken);
  return form;
}

/** Without the proof, for forms before the sign-in. */
export function readPublicForm(c: PageContext): Promise<Form> {
  return readFormFields(c, LIMITS.public);
}

async function readFormFields(c: PageContext, maxBytes: number): Promise<Form> {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';', 1);
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new WebRefusal(415, 'Forms must be sent as application/x-www-form-urlencoded: send it from the page.');
  }
  const text = await readFormText(c.req.raw, maxBytes);
  if (countSeparators(text) >= MAX_FIELDS) {
    throw new WebRefusal(400, `A form has at most ${MAX_FIELDS} fields: send it from the page.`);
  }
  const fields = new URLSearchParams(text);
  return {
    text: (name) => (fields.get(name) ?? '').replace(/\r\n?/g, '\n'),
    all: (name) => fields.getAll(name),
  };
}

async function readFormText({ headers, body }: Request, maxBytes: number): Promise<string> {
  const isTooLong = Number(headers.get('Content-Length') ?? '0') > maxBytes;
  const read = isTooLong ? null : await readLimited(body, maxBytes).catch(() => refuseIncompleteForm());
  if (read === null || !read.isWhole) {
    const size = maxBytes < 1_048_576 ? `${maxBytes / 1_024} KiB` : `${maxBytes / 1_048_576} MiB`;
    throw new WebRefusal(413, `This is larger than ${size}. Nothing was changed; send less.`);
  }
  return new TextDecoder().decode(read.bytes);
}

function refuseIncompleteForm(): never {
  throw new WebRefusal(400, 'The form did not arrive completely. Nothing was changed; send it again.');
}

function countSeparators(text: string): number {
  let count = 0;
  for (let at = text.indexOf('&'); at !== -1; at = text.indexOf('&', at + 1)) count += 1;
  return count;
}

/**
 * Makes a form count once: sent again, by a double click or a reload, it has no second effect. `form`: shown again with
 * its faults.
 */
export function renderOnceKey(form: Form | null = null): Html {
  const given = form?.text(ONCE_FIELD) ?? '';
  return html`<input type="hidden" name="${ONCE_FIELD}" value="${ONCE_VALUE.test(given) ? given : createOnceKey()}">`;
}

/** 128 random bits. */
export function createOnceKey(): string {
  return randomBytes(16).toString('base64url');
}

/** The key of a form; "" where it is not one of ours. */
export function readOnceKey(form: Form): string {
  const key = form.text(ONCE_FIELD);
  return ONCE_VALUE.test(key) ? key : '';
}

/** The form's key as the store takes it together with the form's effect. Refuses a form without one. */
export function requireOnce(c: PageContext, { now }: WebDeps, form: Form): NonNullable<ActOptions['once']> {
  const key = readOnceKey(form);
  if (key === '') throw new WebRefusal(400, 'The form was incomplete. Nothing was changed; open the page again.');
  // With the account, so that no person can use up the key of another.
  const hash = hashValue(`form ${c.get('signedIn').account.id} ${key}`);
  return { hash, expiresAt: new Date(now().getTime() + ONCE_LASTS_MS).toISOString() };
}

export function renderFault(field: string, fault: string | undefined): Html {
  return fault === undefined ? html`` : html`<p class="fault" id="${field}-fault">${fault}</p>`;
}

/** Attributes of an input that is described by the element `<field>-hint`, and by its fault. */
export function describeField(field: string, fault: string | undefined): Html {
  if (fault === undefined) return html` aria-describedby="${field}-hint"`;
  return html` aria-invalid="true" aria-describedby="${field}-fault ${field}-hint"`;
}

/** Of a group of inputs, which as such cannot be invalid. */
export function describeGroup(field: string, fault: string | undefined): Html {
  return fault === undefined ? html`` : html` aria-describedby="${field}-fault"`;
}
