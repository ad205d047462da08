// What changes an investigation changes what is shown of it: in its thread, and in the check runs of the heads that name the thread.
import type { Subject } from '../domain/thread.ts';
import type { Enqueuer } from './enqueuer.ts';
import type { Trx } from './schema.ts';
import { nudgeThreads } from './thread-rows.ts';

/** Heads that wait for one thread at a time; older ones have long shown what there was to show. */
const MOST_HEADS = 100;

interface Nudge {
  readonly enqueuer: Enqueuer;
  readonly runAt: string;
}

/** Enqueues the `publish` jobs of threads and the `check-run` jobs of the heads whose findings name them. */
export async function nudgeShown(trx: Trx, threadIds: readonly (string | null)[], nudge: Nudge): Promise<void> {
  await nudgeThreads(trx, threadIds, nudge);
  await nudgeHeads(trx, threadIds, nudge);
}

/** Enqueues the `check-run` jobs alone, each a group of its own. */
export async function nudgeHeads(
  trx: Trx,
  threadIds: readonly (string | null)[],
  { enqueuer, runAt }: Nudge,
): Promise<void> {
  const threads = [...new Set(threadIds)].filter((id) => id !== null);
  if (threads.length === 0) return;
  const heads = await trx
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .select(['heads.id', 'heads.seq'])
    .distinct()
    .where('findings.thread_id', 'in', threads)
    .orderBy('heads.seq', 'desc')
    .limit(MOST_HEADS)
    .execute();
  await enqueuer.enqueue(
    trx,
    heads.map(({ id }) => ({ kind: 'check-run', subject: id, group: id, runAt })),
  );
}

/** Enqueues the `head` job of the newest head of a pull request: somebody asked, which changes what begins there unasked. */
export async function nudgePullRequest(
  trx: Trx,
  { projectId, subject }: { readonly projectId: string; readonly subject: Subject },
  { enqueuer, runAt }: Nudge,
): Promise<void> {
  if (subject.kind !== 'pull_request') return;
  const head = await trx
    .selectFrom('heads')
    .select('id')
    .where('project_id', '=', projectId)
    .where('pull_request', '=', subject.number)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (head) await enqueuer.enqueue(trx, [{ kind: 'head', subject: head.id, group: projectId, runAt }]);
}
