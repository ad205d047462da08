// From somebody's wish to an accepted report: gathered and pinned now, stored once, and shown on its thread.
import { newId } from '../../core/ids.ts';
import type { GithubProject } from '../../core/project.ts';
import type { Report } from '../../core/report.ts';
import { isAtLeast } from '../../core/role.ts';
import type { Person, Trigger } from '../../core/thread.ts';
import { acceptReport } from '../../services/accept-report.ts';
import { investigationSettings } from '../configuration/investigation-settings.ts';
import type { ReadConfig } from '../configuration/repository-config.ts';
import type { GatheredReport } from '../report/gather-deps.ts';
import { gatherIssueReport } from '../report/gather-issue-report.ts';
import { gatherPullRequestReport } from '../report/gather-pull-request-report.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { complainOnce } from './complain-once.ts';
import type { CommentPayload, IssuePayload } from './payloads.ts';
import { react } from './react.ts';
import { reply } from './reply.ts';

export interface Wish {
  readonly deliveryId: string;
  readonly project: GithubProject;
  readonly configuration: ReadConfig;
  readonly subject: { readonly kind: 'issue' | 'pull_request'; readonly number: number };
  readonly trigger: Trigger;
  /** As the delivery showed them: later edits are not read. */
  readonly issue: IssuePayload;
  readonly comment: CommentPayload | null;
  /** True: an equal report is investigated all the same. */
  readonly fresh: boolean;
  /** True: a pull request is asked for in so many words. */
  readonly isForFix?: boolean;
}

/** Throws GithubFailure where what belongs to the report could not be read; nothing has been accepted then. */
export async function beginAnalysis(deps: CausewayAppDeps, wish: Wish, signal: AbortSignal): Promise<void> {
  // Who asked sees within a moment that they were heard; what belongs to the report may take longer to read.
  const isSeen = wish.subject.kind === 'issue' && (await react(deps, wish, 'eyes', signal));
  await complainOnce(deps, wish, signal);
  const gathered = await gather(deps, wish, signal);
  if (gathered === null) {
    if (wish.comment !== null) await reply(deps, wish, { code: 'nothing_failed' }, signal);
    return;
  }
  signal.throwIfAborted();
  const account = await accountOf(deps, wish.trigger.by);
  // The delivery, not the text, makes it once: read again, the text may have changed.
  const idempotency = { key: `delivery ${wish.deliveryId}`, bodyHash: wish.deliveryId };
  await acceptReport(deps, reportOf(deps, wish, gathered, account), {
    idempotency,
    thread: {
      kind: 'opens',
      threadId: newId('thr'),
      subject: wish.subject,
      trigger: wish.trigger,
      fixRequest: fixRequestOf(wish),
      isSeen,
    },
  });
}

/** Null: a pull request of which nothing failed. */
async function gather(deps: CausewayAppDeps, wish: Wish, signal: AbortSignal): Promise<GatheredReport | null> {
  return wish.subject.kind === 'issue'
    ? await gatherIssueReport(deps, wish, signal)
    : await gatherPullRequestReport(deps, wish, signal);
}

async function accountOf(deps: CausewayAppDeps, { login, id }: Person): Promise<string> {
  const now = deps.now().toISOString();
  const signingSecret = deps.newSigningSecret();
  return (await deps.store.ensureAccount({ login, githubId: id, signingSecret, now })).id;
}

function reportOf(
  deps: CausewayAppDeps,
  { project, subject, configuration, fresh }: Wish,
  gathered: GatheredReport,
  accountId: string,
): Report {
  return {
    projectId: project.id,
    accountId,
    origin: subject.kind === 'issue' ? 'github-issue' : 'check-run',
    text: gathered.text,
    reference: `${project.name}#${subject.number}`,
    revision: gathered.revision,
    callbackUrl: '',
    isTrusted: gathered.isTrusted,
    settings: investigationSettings(configuration.config, deps),
    fresh,
  };
}

/** Whoever has write stands behind the pull request; for one on top of another they ask in so many words. */
function fixRequestOf({ subject, trigger, isForFix = false }: Wish): Person | null {
  const isMeant = subject.kind === 'issue' || isForFix;
  return isMeant && isAtLeast(trigger.role, 'write') ? trigger.by : null;
}
