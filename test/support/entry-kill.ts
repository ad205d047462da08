// Rounds in which the service is killed while callers and people use it, and the ledger of what it acknowledged.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { hashToken } from '../../src/core/account/account.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import { printedToken, type Service, startService, temporaryFolder } from './service.ts';
import { type WebVisitor, webVisitor } from './web-visitor.ts';

/** Everything that was acknowledged. Keys of reports lead to the investigation that was named. */
interface Ledger {
  readonly reports: Map<string, string>;
  readonly cancelled: Set<string>;
  /** Investigations whose Issue somebody began to delete: they may be there or not. */
  readonly going: Set<string>;
  /** Issues of which it was answered that they are deleted. */
  readonly deleted: Set<string>;
  /** Hashes of tokens that were shown. */
  readonly tokens: Set<string>;
  readonly revoked: Set<string>;
  /** Ids that GitHub gave its deliveries. */
  readonly deliveries: Set<string>;
}

export function emptyLedger(): Ledger {
  return {
    reports: new Map(),
    ...{ cancelled: new Set(), going: new Set(), deleted: new Set() },
    ...{ tokens: new Set(), revoked: new Set(), deliveries: new Set() },
  };
}

interface Losses {
  readonly integrity: readonly string[];
  /** What was acknowledged and is not so, in words. */
  readonly lost: readonly string[];
  /** Keys of which there is more than one. */
  readonly doubled: readonly string[];
}

export const NO_LOSSES: Losses = { integrity: ['ok'], lost: [], doubled: [] };

/** Of a service that is dead: `causeway.db` and its log in `dataDir` are copied and read. */
export async function lossesIn(dataDir: string, ledger: Ledger): Promise<Losses> {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-ledger-'));
  try {
    for (const name of ['causeway.db', 'causeway.db-wal']) {
      await copyFile(path.join(dataDir, name), path.join(folder, name)).catch(() => {});
    }
    const database = new Sqlite(path.join(folder, 'causeway.db'));
    try {
      return read(database, ledger);
    } finally {
      database.close();
    }
  } finally {
    await rm(folder, { recursive: true });
  }
}

function read(database: Sqlite.Database, ledger: Ledger): Losses {
  const texts = (query: string) => database.prepare<[], string>(query).pluck().all();
  const missing = (what: string, wanted: Iterable<string>, query: string) => {
    const there = new Set(texts(query));
    return [...wanted].filter((one) => !there.has(one)).map((one) => `${what} ${one}`);
  };
  const reports = [...ledger.reports.values()].filter((id) => !ledger.going.has(id));
  const returned = texts('SELECT id FROM issues').filter((id) => ledger.deleted.has(id));
  return {
    integrity: [...texts('PRAGMA integrity_check'), ...texts('PRAGMA foreign_key_check')],
    lost: [
      ...missing('report', reports, 'SELECT id FROM investigations'),
      ...missing('cancelled', ledger.cancelled, "SELECT id FROM investigations WHERE state = 'cancelled'"),
      ...returned.map((id) => `deleted ${id}`),
      ...missing('token', ledger.tokens, 'SELECT hash FROM tokens'),
      ...missing('revoked', ledger.revoked, 'SELECT id FROM tokens WHERE revoked_at IS NOT NULL'),
      ...missing('delivery', ledger.deliveries, 'SELECT id FROM deliveries'),
    ],
    doubled: [
      ...texts('SELECT reference FROM investigations GROUP BY reference HAVING count(*) > 1'),
      ...texts("SELECT name FROM tokens WHERE name != 'first start' GROUP BY name HAVING count(*) > 1"),
      ...texts('SELECT investigation_id FROM issues GROUP BY investigation_id HAVING count(*) > 1'),
      ...texts('SELECT meaning FROM deliveries GROUP BY meaning HAVING count(*) > 1'),
    ],
  };
}

/** One person with a browser and a token, through all lives of the service. */
interface Actor {
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

const ACTS = { report, cancel, erase, formReport, formToken, rotate, formErase } satisfies Record<string, Act>;

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
class Refused extends Error {}

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

interface EntryGround extends AsyncDisposable {
  readonly actor: Actor;
  readonly dataDir: string;
  start(): Promise<Service>;
}

interface Round {
  readonly losses: Losses;
  /** Answers that nobody should get, however the service was killed. */
  readonly refusals: readonly string[];
  /** From the start of the process until a run that was waiting has begun; null: none was waiting. */
  readonly toWorkMs: number | null;
  /** From the signal to the end of the process. */
  readonly toEndMs: number;
  readonly exit: number | string;
}

/** Local mode: the API with its token, and the pages with a browser that is signed in. */
export async function entryGround(): Promise<EntryGround> {
  await using opening = new AsyncDisposableStack();
  const repository = opening.use(await gitRepository());
  const files = { 'src/index.js': 'function start(config) {\n  return config.port;\n}\nstart();\n' };
  await repository.commit(files, 'Start');
  const { path: dataDir } = opening.use(await temporaryFolder());
  const plan = { projects: [repository.path], dataDir };
  await using first = await startService({ ...plan, env: { RATE_LIMIT: 'off' } });
  const env = { RATE_LIMIT: 'off', PORT: new URL(first.address).port };
  const token = printedToken(first);
  const { id: projectId } = await apiClient(first.address, token).project();
  let count = 0;
  const next = () => ++count;
  const visitor = webVisitor(first.address);
  const opened = opening.move();
  return {
    actor: { address: first.address, token, visitor, projectId, ledger: emptyLedger(), unanswered: new Map(), next },
    dataDir,
    start: () => startService({ ...plan, env }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Each life prints a code of its own; what needs a recent sign-in has one. */
async function signIn({ actor }: EntryGround, service: Service): Promise<void> {
  const code = /\/sign-in\/local\?code=([\w-]+)/.exec(service.output())?.[1] ?? '';
  const answer = await actor.visitor.send(`/sign-in/local?code=${code}`, '/sign-in/local', { code });
  if (answer.status !== 303) throw new Error(`signing in: ${answer.status}`);
}

/** One life: `afterMs` after it answers it gets the signal, with all acts under way at once. */
export async function entryKillRound(
  ground: EntryGround,
  afterMs: number,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<Round> {
  const began = performance.now();
  const waiting = waitingRuns(ground.dataDir);
  const service = await ground.start();
  const toWorkMs = waiting.size === 0 ? null : await worksAgain(ground.dataDir, waiting, began);
  await signIn(ground, service);
  const life = new AbortController();
  const refusals: string[] = [];
  const acting = Object.values(ACTS).map(async (act) => {
    try {
      while (!life.signal.aborted) await act(ground.actor);
    } catch (error) {
      // Afterwards any answer will do, and none.
      if (!life.signal.aborted) refusals.push(error instanceof Refused ? error.message : String(error));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  life.abort();
  const asked = performance.now();
  const exit = await service.end(signal);
  const toEndMs = performance.now() - asked;
  await Promise.all(acting);
  const losses = await lossesIn(ground.dataDir, ground.actor.ledger);
  return { losses, refusals, toWorkMs, toEndMs, exit };
}

/** Investigations that were acknowledged and have no end, after the last life had time for all. */
export async function unended(ground: EntryGround, ledger: Ledger): Promise<readonly string[]> {
  await using service = await ground.start();
  const api = apiClient(service.address, ground.actor.token);
  const left: string[] = [];
  for (const id of ledger.reports.values()) {
    if (ledger.going.has(id)) continue;
    const state = await endOf(api, id);
    if (state !== 'concluded' && state !== 'cancelled') left.push(`${id} ${state}`);
  }
  return left;
}

/** Many wait for each other by now: it is asked for ten minutes. */
async function endOf(api: ApiClient, id: string): Promise<string> {
  let state = 'queued';
  for (let minute = 0; minute < 10 && /^(queued|running)$/.test(state); minute++) {
    ({ state } = await api.end(`/api/v1/investigations/${id}/`));
  }
  return state;
}

/** Runs that wait, with how often each was begun. */
function waitingRuns(dataDir: string): ReadonlyMap<string, number> {
  const database = new Sqlite(path.join(dataDir, 'causeway.db'), { readonly: true });
  try {
    const jobs = database.prepare<[], { id: string; generation: number }>(
      "SELECT id, generation FROM jobs WHERE kind = 'run' AND state != 'dead'",
    );
    return new Map(jobs.all().map(({ id, generation }) => [id, generation]));
  } finally {
    database.close();
  }
}

/** Milliseconds since `began` when one of those was begun again, or is done. */
async function worksAgain(dataDir: string, waiting: ReadonlyMap<string, number>, began: number): Promise<number> {
  for (;;) {
    const now = waitingRuns(dataDir);
    const ms = performance.now() - began;
    if ([...waiting].some(([id, generation]) => now.get(id) !== generation) || ms > 60_000) return ms;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
