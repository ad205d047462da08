// A label was put on an issue: the one who put it there may start an analysis, whatever the label says of itself.
import type { EventHandler } from './app-deps.ts';
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
  if (!isNamed(configuration.config.labels, label.name)) return;
  const role = await mayAsk(deps, { project, by }, signal);
  if (role === null) return;
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

function isNamed(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}
