// A form that counts once: sent again, by a double click or a reload, it does nothing a second time.
import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Counted } from '../../db/store.ts';
import type { Form } from '../read-form.ts';
import { WebRefusal } from '../refusal.ts';
import type { Html } from '../show.ts';
import { hashOf } from '../signed-in.ts';
import type { WebDeps, WebEnv } from '../web-deps.ts';

const FIELD = 'form_key';
const FORM = /^[\w-]{22}$/;
/** Longer than any session may send it: what needs a recent sign-in is refused after half an hour. */
const LASTS_MS = 24 * 60 * 60_000;

/** 128 random bits, or those of the form that is shown again with its faults. */
export function onceField(form: Form | null = null): Html {
  const given = form?.text(FIELD) ?? '';
  const key = FORM.test(given) ? given : randomBytes(16).toString('base64url');
  return html`<input type="hidden" name="${FIELD}" value="${key}">`;
}

/** The form's key as the store takes it with what the form does, so that it is used up by that and nothing else. Refuses what is none of ours. */
export function onceOf(c: Context<WebEnv>, { now }: Pick<WebDeps, 'now'>, form: Form): NonNullable<Counted['once']> {
  const key = form.text(FIELD);
  if (!FORM.test(key))
    throw new WebRefusal(400, 'This form is not whole, and nothing was changed. Open its page again.');
  // Of the account: nobody uses up the key of somebody else.
  const hash = hashOf(`form ${c.get('signedIn').account.id} ${key}`);
  return { hash, expiresAt: new Date(now().getTime() + LASTS_MS).toISOString() };
}
