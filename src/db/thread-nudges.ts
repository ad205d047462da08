// What changes an investigation changes what is shown of it: in its thread, and in the check runs of the heads that name the thread.
import type { Subject } from '../core/thread.ts';
import { organisationOf, organisationOfProject, placesOfThreads } from './job-places.ts';
import type { Trx } from './schema.ts';
import { type Nudge, nudgeThreads } from './thread-rows.ts';

/** Heads that wait for one thread at a time; older ones have long shown what there was to show. */
const MOST_HEADS = 100;

/** Enqueues the `publish` jobs of threads and the `check-run` jobs of the heads whose findings name them. */
export async function nudgeShown(trx: Trx, threadIds: readonly (string | null)[], nudge: Nudge): Promise<void> {
  await nudgeThreads(trx, threadIds, nudge);
  await nudgeHeads(trx, threadIds, nudge);
}

/** Enqueues the `check-run` jobs alone, each a group of its own, and as urgent as the most urgent of the threads. */
export async function nudgeHeads(
  trx: Trx,
  threadIds: readonly (string | null)[],
  { enqueuer, runAt, urgency: wanted }: Nudge,
): Promise<void> {
  const threads = [...new Set(threadIds)].filter((id) => id !== null);
  if (threads.length === 0) return;
  const heads = await trx
    .selectFrom('heads')
    .innerJoin('findings', 'findings.head_id', 'heads.id')
    .innerJoin('projects', 'projects.id', 'heads.project_id')
    .select(['heads.id', 'heads.seq', 'projects.source'])
    .distinct()
    .where('findings.thread_id', 'in', threads)
    .orderBy('heads.seq', 'desc')
    .limit(MOST_HEADS)
    .execute();
  if (heads.length === 0) return;
  const places = [...(await placesOfThreads(trx, threads)).values()];
  const urgency = wanted ?? (places.some((place) => place.urgency === 'person') ? 'person' : 'automatic');
  await enqueuer.enqueue(
    trx,
    heads.map(({ id, source }) => {
      const place = { urgency, organisation: organisationOf(JSON.parse(source)) };
      return { kind: 'check-run', subject: id, group: id, runAt, ...place };
    }),
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
  if (!head) return;
  const organisation = await organisationOfProject(trx, projectId);
  const place = { group: projectId, urgency: 'person', organisation } as const;
  await enqueuer.enqueue(trx, [{ kind: 'head', subject: head.id, runAt, ...place }]);
}
