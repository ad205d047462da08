// A label was put on an issue: the one who put it there may start an analysis, whatever the label says of itself.
import { type GithubProject, repositoryOf } from '../../core/project.ts';
import type { CausewayAppDeps, EventHandler } from './app-deps.ts';
import { beginAnalysis } from './begin-analysis.ts';
import { isOurs } from './ours.ts';
import { isBot, issueLabeled, personOf } from './payloads.ts';
import { projectForTrigger } from './project-for-trigger.ts';
import { isTooOld } from './too-old.ts';
import { mayAsk } from './who-may-ask.ts';

export const onIssueLabeled: EventHandler = async (deps, { id, payload }, signal) => {
  const read = issueLabeled.safeParse(payload);
  if (!read.success) return;
  const { issue, label, sender } = read.data;
  const by = personOf(sender);
  // Pull requests have labels too, and they arrive under another event.
  if (by === null || isBot(sender) || issue.pull_request) return;
  if (isOurs(await deps.clients.identity(signal), { sender })) return;
  if (isTooOld(deps, issue.updated_at, id)) return;
  const project = await projectForTrigger(deps, read.data, signal);
  if (project === null) return;
  const configuration = await deps.configuration.of(project, signal);
  const { labels } = configuration.config;
  if (!isNamed(labels, label.name)) return;
  const role = await mayAsk(deps, { project, by }, signal);
  if (role === null) return;
  const asked = { project, number: issue.number, updatedAt: issue.updated_at, labels };
  if (!(await isStillLabelled(deps, asked, signal))) {
    deps.log.info(
      { delivery: id, project: project.id },
      'the label was removed before its delivery arrived: nothing is started',
    );
    return;
  }
  await beginAnalysis(
    deps,
    {
      deliveryId: id,
      project,
      configuration,
      subject: { kind: 'issue', number: issue.number },
      trigger: { kind: 'label', by, role, commentId: null, guidance: '', at: issue.updated_at },
      issue,
      comment: null,
      fresh: false,
    },
    signal,
  );
};

/** A delivery can arrive hours late. If the label was removed in the meantime, nobody wants the analysis any more. */
async function isStillLabelled(
  { clients }: Pick<CausewayAppDeps, 'clients'>,
  asked: {
    readonly project: GithubProject;
    readonly number: number;
    /** Of the issue in the event. */
    readonly updatedAt: string;
    readonly labels: readonly string[];
  },
  signal: AbortSignal,
): Promise<boolean> {
  const { project, number: issue_number, updatedAt, labels } = asked;
  const { data } = await clients
    .repository(project.source, 'read')
    .call(({ rest }, request) => rest.issues.get({ ...repositoryOf(project), issue_number, request }), signal);
  // Reads can lag behind webhooks: an answer older than the event cannot say that the label was removed since.
  if (Date.parse(data.updated_at) < Date.parse(updatedAt)) return true;
  return data.labels.some((label) => isNamed(labels, typeof label === 'string' ? label : (label.name ?? '')));
}

function isNamed(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}
