// `/analyse mine` and `/analyse not-mine`: a person with write says whose the red checks of a pull request are.
import { type Finding, type Head, isFailing, listRedKeys } from '../../core/check/index.ts';
import { isAtLeast } from '../../core/project/index.ts';
import type { CommentCommand } from '../report/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { acceptCommand, replyToCommand } from './replies.ts';
import type { AnalysisRequest } from './start-analysis.ts';

type OverrideCommand = Extract<CommentCommand, { readonly kind: 'override' }>;

/** Of all red causes that the pull request's newest judged commit has, or of those with the check that was quoted first. */
export async function overrideVerdict(
  deps: CausewayAppDeps,
  command: OverrideCommand,
  request: AnalysisRequest,
  signal: AbortSignal,
): Promise<void> {
  const { project, subject, trigger, comment } = request;
  const refuse = (code: 'override_needs_write' | 'checks_not_kept' | 'no_checks' | 'override_needs_reason') =>
    replyToCommand(deps, request, { code }, signal);
  if (deps.memory === 'github') return await refuse('checks_not_kept');
  if (!isAtLeast(trigger.role, 'write')) return await refuse('override_needs_write');
  const head = subject.kind === 'pull_request' ? await findSeenHead(deps, request) : null;
  if (head === null || comment === null) return await refuse('no_checks');
  const meant = selectMeant(head, command);
  if ('names' in meant) return await replyToCommand(deps, request, { code: 'override_which_check', ...meant }, signal);
  if (command.whose === 'not_mine' && meant.why === '') return await refuse('override_needs_reason');
  const now = deps.now().toISOString();
  const failures = meant.findings.map((finding) => ({
    failureId: finding.failureId,
    checkKeys: listRedKeys(finding),
  }));
  const said = {
    whose: command.whose,
    reason: await deps.redactor.redact(meant.why),
    by: trigger.by,
    at: trigger.at,
    commentId: comment.id,
  };
  const { id, projectId } = head;
  await deps.store.overrideFailures({ id, projectId, pullRequest: subject.number, failures }, said, now);
  deps.log.info(
    { head: id, project: project.id, personId: trigger.by.id, whose: command.whose },
    'a verdict was overridden',
  );
  const words = command.whose === 'mine' ? 'mine' : 'not-mine';
  await acceptCommand(deps, request, { command: words }, signal);
}

/** GitHub's clock need not be ours, and its times are whole seconds. */
const CLOCKS_DIFFER_MS = 60_000;

/** What its writer saw: a commit that was judged since may be red for something else. */
async function findSeenHead({ store }: CausewayAppDeps, { project, subject, trigger }: AnalysisRequest) {
  const until = new Date(Date.parse(trigger.at) + CLOCKS_DIFFER_MS).toISOString();
  const head = await store.findHeadSeen(project.id, subject.number, until);
  return head?.findings.some(isFailing) ? head : null;
}

/** `names`: of the red checks, where several causes are red and none has the check that was named as code. */
function selectMeant(
  { findings }: Head,
  { quoted, why }: OverrideCommand,
): { readonly findings: readonly Finding[]; readonly why: string } | { readonly names: readonly string[] } {
  const red = findings.filter(isFailing);
  const isNamed = ({ checks }: Finding) =>
    checks.some(({ name, isRed }) => isRed && name.toLowerCase() === quoted?.name.trim().toLowerCase());
  const named = red.filter(isNamed);
  if (named.length === 0 && quoted?.isCode === true && red.length > 1)
    return {
      names: [...new Set(red.flatMap(({ checks }) => checks.filter(({ isRed }) => isRed).map(({ name }) => name)))],
    };
  return named.length > 0 && quoted !== null ? { findings: named, why: quoted.rest } : { findings: red, why };
}
