// Erasing a person: how they came in, what they are called, where they were named; what they started stays their project's.

import type { Updateable } from 'kysely';
import type { HeadPlace } from '../core/head.ts';
import type { Person, ThreadRecord, Trigger } from '../core/thread.ts';
import { OPERATOR, onGithub, writeAudit } from './audit.ts';
import type { Enqueuer } from './enqueuer.ts';
import { forgottenPlace, unasked } from './forgotten-since.ts';
import type { ThreadTable, Trx } from './schema.ts';
import type { ErasedAccount } from './store.ts';
import { nudgeShown, recordColumns } from './threads.ts';

interface Erasing {
  readonly enqueuer: Enqueuer;
  readonly now: string;
}

/** Somebody by what is known of them: an account, a number on GitHub, or both. */
interface Known {
  readonly accountId: string | null;
  readonly githubId: number | null;
}

/** Nobody on GitHub can be called so. */
const NO_NAME = '(erased)';

export async function eraseAccount(
  trx: Trx,
  loginOrNumber: string,
  { enqueuer, now }: Erasing,
): Promise<ErasedAccount | null> {
  const { accountId, githubId } = await knownAs(trx, loginOrNumber);
  const mentions = githubId === null ? 0 : await forgetPerson(trx, githubId, { enqueuer, now });
  const acts = githubId === null ? 0 : await renameInAudit(trx, githubId, accountId ?? OPERATOR);
  if (accountId === null && mentions + acts === 0) return null;
  const erased = accountId === null ? NOTHING : await eraseOwn(trx, accountId, enqueuer);
  const who = accountId ?? OPERATOR;
  await writeAudit(trx, { at: now, accountId: who, verb: 'account.erased_by_operator', subject: who });
  return { ...erased, mentions };
}

const NOTHING = { sessions: 0, tokens: 0, webhooks: 0, kept: 0 } as const;

async function knownAs(trx: Trx, loginOrNumber: string): Promise<Known> {
  const number = /^\d{1,15}$/.test(loginOrNumber) ? Number(loginOrNumber) : null;
  // Logins may be digits alone: a login goes first.
  const rows = await trx
    .selectFrom('accounts')
    .select(['id', 'login_lower', 'github_id'])
    .where((or) => or.or([or('login_lower', '=', loginOrNumber.toLowerCase()), or('github_id', '=', number)]))
    .where('login', '!=', NO_NAME)
    .execute();
  const row = rows.find((one) => one.login_lower === loginOrNumber.toLowerCase()) ?? rows[0];
  return row === undefined ? { accountId: null, githubId: number } : { accountId: row.id, githubId: row.github_id };
}

async function eraseOwn(trx: Trx, id: string, enqueuer: Enqueuer): Promise<Omit<ErasedAccount, 'mentions'>> {
  const sessions = await trx.deleteFrom('sessions').where('account_id', '=', id).returning('id').execute();
  const tokens = await trx.deleteFrom('tokens').where('account_id', '=', id).returning('id').execute();
  for (const table of ['sign_in_codes', 'signing_secrets', 'idempotency_keys'] as const) {
    await trx.deleteFrom(table).where('account_id', '=', id).execute();
  }
  const webhooks = await eraseAddresses(trx, id, enqueuer);
  const kept = await startedBy(trx, id);
  if (kept === 0) await trx.deleteFrom('accounts').where('id', '=', id).execute();
  else {
    const nobody = { login: NO_NAME, login_lower: `${NO_NAME} ${id}`, github_id: null };
    await trx.updateTable('accounts').set(nobody).where('id', '=', id).execute();
  }
  return { sessions: sessions.length, tokens: tokens.length, webhooks: webhooks.length, kept };
}

/** Where they were answered, with all attempts, and what they asked to be heeded. What still runs tells nobody. */
async function eraseAddresses(trx: Trx, id: string, enqueuer: Enqueuer): Promise<readonly unknown[]> {
  const webhooks = await trx.deleteFrom('webhooks').where('account_id', '=', id).returning('id').execute();
  await enqueuer.remove(
    trx,
    'webhook',
    webhooks.map((row) => row.id),
  );
  await trx
    .updateTable('investigations')
    .set({ callback_url: '', guidance: '' })
    .where('account_id', '=', id)
    .execute();
  return webhooks;
}

async function startedBy(trx: Trx, id: string): Promise<number> {
  const counts = await Promise.all(
    (['investigations', 'runs'] as const).map((table) =>
      trx
        .selectFrom(table)
        .select((expression) => expression.fn.countAll<number>().as('count'))
        .where('account_id', '=', id)
        .executeTakeFirstOrThrow(),
    ),
  );
  // A run may outlive the investigation of whoever began it.
  return Math.max(...counts.map(({ count }) => Number(count)));
}

/** The number of what they did on GitHub names them as well as their login would. Returns how many entries there were. */
async function renameInAudit(trx: Trx, githubId: number, instead: string): Promise<number> {
  const renamed = await trx
    .updateTable('audit')
    .set({ account_id: instead })
    .where('account_id', '=', onGithub({ id: githubId }))
    .returning('seq')
    .execute();
  return renamed.length;
}

/** GitHub's own stand-in for somebody who is no more there. It has no role anywhere, so that nothing is begun or opened in its name. */
const NOBODY: Person = { id: 10137, login: 'ghost' };

/** What is shown of the threads on GitHub is made anew, without the name. Returns how many threads and heads named that number. */
async function forgetPerson(
  trx: Trx,
  githubId: number,
  moment: { readonly enqueuer: Enqueuer; readonly now: string },
): Promise<number> {
  const threads = await forgetInThreads(trx, githubId);
  await nudgeShown(trx, threads, { enqueuer: moment.enqueuer, runAt: moment.now });
  return threads.length + (await forgetInHeads(trx, githubId));
}

async function forgetInThreads(trx: Trx, id: number): Promise<readonly string[]> {
  const named = `%"id":${id},%`;
  const rows = await trx
    .selectFrom('threads')
    .select(['id', 'trigger_json', 'fix_request', 'record'])
    .where(({ or, eb }) =>
      or([
        eb('trigger_json', 'like', named),
        eb('fix_request', 'like', named),
        eb('record', 'like', named),
        eb('record', 'like', `%"request":"${id} %`),
      ]),
    )
    .execute();
  const forgotten: string[] = [];
  for (const row of rows) {
    const changes = withoutPerson(row, id);
    if (Object.keys(changes).length === 0) continue;
    forgotten.push(row.id);
    await trx.updateTable('threads').set(changes).where('id', '=', row.id).execute();
  }
  return forgotten;
}

type Naming = Pick<ThreadTable, 'trigger_json' | 'fix_request' | 'record'>;

/** The columns that change; none where it was another's number that looked like it. */
function withoutPerson(row: Naming, id: number): Updateable<ThreadTable> {
  const trigger: Trigger = JSON.parse(row.trigger_json);
  const request: Person | null = row.fix_request === null ? null : JSON.parse(row.fix_request);
  const record: ThreadRecord = JSON.parse(row.record);
  const left = withoutRequest(record, id);
  return {
    ...(trigger.by.id === id && { trigger_json: JSON.stringify({ ...trigger, by: NOBODY, guidance: '' }) }),
    ...(request?.id === id && { fix_request: null }),
    ...(left !== null && recordColumns(left)),
  };
}

/** Null where nothing of it is theirs. */
function withoutRequest(record: ThreadRecord, id: number): ThreadRecord | null {
  const { withheld, pullRequest } = record;
  const isRefused = withheld?.request.startsWith(`${id} `) === true;
  if (!isRefused && pullRequest?.requestedBy?.id !== id) return null;
  return {
    ...record,
    withheld: isRefused ? { ...withheld, request: '' } : withheld,
    pullRequest: pullRequest?.requestedBy?.id === id ? unasked(pullRequest) : pullRequest,
  };
}

async function forgetInHeads(trx: Trx, id: number): Promise<number> {
  const rows = await trx.selectFrom('heads').select(['id', 'place']).where('place', 'like', `%"id":${id},%`).execute();
  let forgotten = 0;
  for (const row of rows) {
    const place: HeadPlace | null = row.place === null ? null : JSON.parse(row.place);
    const left = place === null ? null : placeWithout(place, id);
    if (left === null || left === place) continue;
    forgotten += 1;
    await trx
      .updateTable('heads')
      .set({ place: JSON.stringify(left) })
      .where('id', '=', row.id)
      .execute();
  }
  return forgotten;
}

function placeWithout(place: HeadPlace, id: number): HeadPlace {
  if (place.kind === 'default' && place.pushedBy?.id === id) return forgottenPlace(place);
  if (place.kind === 'pull_request' && place.author?.id === id) return forgottenPlace(place);
  return place;
}
