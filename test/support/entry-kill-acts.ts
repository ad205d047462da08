// What callers and people do, over and over, until the service under them is killed: each act notes what it was told, and asks again what nobody answered.
import { setTimeout as sleep } from 'node:timers/promises';
import { hashToken } from '../../src/core/account.ts';
import type { Ledger } from './entry-kill-ledger.ts';
import type { WebVisitor } from './web-visitor.ts';

/** One person with a browser and a token, through all lives of the service. */
export interface Actor {
  readonly address: string;
  readonly token: string;
  readonly visitor: WebVisitor;
  readonly projectId: string;
  readonly ledger: Ledger;
  /** Of each act: what was sent and not answered. */
  readonly unanswered: Map<string, Readonly<Record<string, string>>>;
  readonly next: () => number;
}

/** Rejects where the connection ends; what it sent is then among the unanswered. */
type Act = (actor: Actor) => Promise<void>;

export const ACTS = { report, cancel, erase, formReport, formToken, rotate, formErase } satisfies Record<string, Act>;

/** Sends `fields` until they are answered, in this life or a later one. */
async function again(
  actor: Actor,
  name: string,
  make: () => Promise<Readonly<Record<string, string>>>,
): Promise<Readonly<Record<string, string>>> {
  const fields = actor.unanswered.get(name) ?? (await make());
  actor.unanswered.set(name, fields);
  return fields;
}

function call({ address, token }: Actor, where: string, init: RequestInit = {}): Promise<Response> {
  return fetch(new URL(where, address), { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });
}

function refused(what: string, answer: Response): never {
  throw new Refused(`${what}: ${answer.status}`);
}

/** Not the end of a connection, but an answer that nobody should get. */
export class Refused extends Error {}

const words = (key: string) =>
  `TypeError: Cannot read properties of undefined (${key})\n    at start (/srv/app/src/index.js:2:9)\n`;

async function post(actor: Actor, name: string): Promise<string> {
  const { key = '' } = await again(actor, name, async () => ({ key: `${name}-${actor.next()}` }));
  const body = JSON.stringify({ projectId: actor.projectId, data: words(key), reference: key });
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const answer = await call(actor, '/api/v1/issues/', { method: 'POST', headers, body });
  if (answer.status !== 202) refused('report', answer);
  const id = /inv_\w+/.exec(answer.headers.get('location') ?? '')?.[0] ?? '';
  actor.ledger.reports.set(key, id);
  actor.unanswered.delete(name);
  return id;
}

async function report(actor: Actor): Promise<void> {
  await post(actor, 'report');
  // Each is investigated, too: more would only pile up.
  await sleep(600);
}

async function cancel(actor: Actor): Promise<void> {
  const id = await post(actor, 'cancel');
  const answer = await call(actor, `/api/v1/investigations/${id}/`, { method: 'DELETE' });
  if (answer.status === 200) actor.ledger.cancelled.add(id);
  else if (answer.status !== 409) refused('cancel', answer);
  await sleep(50);
}

/** A report that has become an Issue, which is about to be deleted. */
async function doomed(actor: Actor, name: string): Promise<string> {
  const { issue = '' } = await again(actor, name, async () => {
    const { id = '' } = await again(actor, `${name}-wait`, async () => ({ id: await post(actor, `${name}-report`) }));
    const ended = await call(actor, `/api/v1/investigations/${id}/?wait=60`);
    const { issueId } = (await ended.json()) as { readonly issueId: string | null };
    if (issueId === null) throw new Refused(`no issue of ${id}`);
    actor.ledger.going.add(id);
    actor.unanswered.delete(`${name}-wait`);
    return { issue: issueId };
  });
  return issue;
}

/** Where an earlier answer was lost, it may be gone already. */
function erased(actor: Actor, name: string, issue: string): void {
  actor.ledger.deleted.add(issue);
  actor.unanswered.delete(name);
}

async function erase(actor: Actor): Promise<void> {
  const issue = await doomed(actor, 'erase');
  const answer = await call(actor, `/api/v1/issues/${issue}/`, { method: 'DELETE' });
  if (!answer.ok && answer.status !== 404) refused('erase', answer);
  erased(actor, 'erase', issue);
}

async function formErase(actor: Actor): Promise<void> {
  const issue = await doomed(actor, 'form-erase');
  const answer = await actor.visitor.send('/account/security-credentials', `/issues/${issue}/delete`);
  if (answer.status !== 303 && answer.status !== 404) refused('form-erase', answer);
  erased(actor, 'form-erase', issue);
}

/** The key by which a form on that page, with that action, counts once. */
async function formKey({ visitor }: Actor, page: string, action: string): Promise<string> {
  const { text } = await visitor.open(page);
  const form = text.slice(Math.max(0, text.indexOf(`action="${action}"`)));
  const key = /name="form_key" value="([^"]+)"/.exec(form)?.[1];
  if (key === undefined) throw new Refused(`no form of ${action} on ${page}`);
  return key;
}

async function formReport(actor: Actor): Promise<void> {
  const action = `/projects/${actor.projectId}/reports`;
  const page = `${action}/new`;
  const fields = await again(actor, 'form', async () => {
    const reference = `form-${actor.next()}`;
    return { form_key: await formKey(actor, page, action), reference, text: words(reference), revision: '' };
  });
  const answer = await actor.visitor.send(page, action, fields);
  const id = /inv_\w+/.exec(answer.headers.get('location') ?? '')?.[0];
  if (answer.status !== 303 || id === undefined) refused('form', answer);
  actor.ledger.reports.set(fields['reference'] ?? '', id);
  actor.unanswered.delete('form');
  await sleep(600);
}

async function formToken(actor: Actor): Promise<void> {
  const page = '/account/tokens/new';
  const fields = await again(actor, 'token', async () => {
    const key = await formKey(actor, page, '/account/tokens');
    return { form_key: key, name: `token-${actor.next()}`, scope: 'issues:read', bound: 'all', expiry: '90' };
  });
  const answer = await actor.visitor.send(page, '/account/tokens', fields);
  const token = /cwy_[0-9A-Za-z]{36}/.exec(await answer.text())?.[0];
  // 409: it was made, and its answer was lost.
  if (token === undefined && answer.status !== 409) refused('token', answer);
  if (token !== undefined) actor.ledger.tokens.add(hashToken(token));
  actor.unanswered.delete('token');
  await revoke(actor, fields['name'] ?? '');
}

async function revoke(actor: Actor, name: string): Promise<void> {
  const list = '/account/security-credentials';
  const { text } = await actor.visitor.open(list);
  const [, id] = new RegExp(`/account/tokens/(tok_\\w+)/revoke"(?:(?!</form>).)* ${name}<`, 's').exec(text) ?? [];
  if (id === undefined) return;
  const answer = await actor.visitor.send(list, `/account/tokens/${id}/revoke`);
  if (answer.status >= 400) refused('revoke', answer);
  actor.ledger.revoked.add(id);
}

/** After an answer the new secret is the one that signs, until the next rotation begins. */
async function rotate(actor: Actor): Promise<void> {
  const page = '/account/security-credentials';
  const action = '/account/signing-secret/rotate';
  const { secret: known = '', ...sent } = actor.unanswered.get('rotate') ?? {};
  if (known !== '' && known !== (await shown(actor))) throw new Refused('the rotated secret is lost');
  const fields = sent['form_key'] === undefined ? { form_key: await formKey(actor, page, action) } : sent;
  actor.unanswered.set('rotate', fields);
  const answer = await actor.visitor.send(page, action, fields);
  const secret = secretIn(await answer.text());
  if (secret === '' && answer.status !== 409) refused('rotate', answer);
  actor.unanswered.set('rotate', { secret });
}

async function shown({ visitor }: Actor): Promise<string> {
  const answer = await visitor.send('/account/security-credentials', '/account/signing-secret/show');
  return secretIn(await answer.text());
}

function secretIn(page: string): string {
  return /whsec_[A-Za-z0-9+/=]+/.exec(page)?.[0] ?? '';
}
