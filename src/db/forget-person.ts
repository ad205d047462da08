// Takes a person on GitHub out of what names them: who asked, who stands behind a pull request, a push or a head.
import type { Updateable } from 'kysely';
import type { HeadPlace } from '../core/head.ts';
import type { Person, ThreadRecord, Trigger } from '../core/thread.ts';
import type { Enqueuer } from './enqueuer.ts';
import { forgottenPlace, unasked } from './forgotten-since.ts';
import type { ThreadTable, Trx } from './schema.ts';
import { nudgeShown } from './thread-nudges.ts';
import { recordColumns } from './thread-rows.ts';

/** GitHub's own stand-in for somebody who is no more there. It has no role anywhere, so that nothing is begun or opened in its name. */
const NOBODY: Person = { id: 10137, login: 'ghost' };

/** What is shown of the threads on GitHub is made anew, without the name. Returns how many threads and heads named that number. */
export async function forgetPerson(
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
