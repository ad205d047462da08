// `/analyse known`, carried out: what is tied, proposed or untied, and what the person is told.
import type { Finding, NamedFailure } from '../../core/check/index.ts';
import { isAtLeast } from '../../core/project/index.ts';
import type { CommandReply } from '../../core/thread/index.ts';
import { confirmPattern, type KnownAnswer, proposePattern, tieFailure, untieIssue } from '../../services/index.ts';
import type { KnownCommand } from '../report/index.ts';
import type { CausewayAppDeps } from './app-deps.ts';
import { acceptCommand, type EventSubject, replyToCommand } from './replies.ts';

/** Candidates that are listed in an answer. */
const MOST_NAMED = 5;

export async function carryOutKnown(
  deps: CausewayAppDeps,
  command: KnownCommand,
  at: EventSubject,
  signal: AbortSignal,
): Promise<void> {
  const reply = (why: CommandReply['why']) => replyToCommand(deps, at, why, signal);
  if (deps.memory === 'github') return await reply({ code: 'known_not_kept' });
  if (!isAtLeast(at.trigger.role, 'write')) return await reply({ code: 'known_needs_write' });
  const answer = await answerKnown(deps, command, at, signal);
  switch (answer.kind) {
    case 'refused':
      return await reply({ code: 'known_refused', issue: findIssueOf(command, at), refusal: answer.refusal });
    case 'proposed': {
      const { issue, pattern, matches } = answer;
      return await reply({ code: 'known_proposed', issue, pattern, matches });
    }
    case 'tied':
      // What is tied at once shows in the check run; a pattern was asked about before.
      if (answer.pattern !== '')
        return await reply({ code: 'known_tied', issue: answer.issue, pattern: answer.pattern });
      return await acceptCommand(deps, at, { command: `known #${answer.issue}` }, signal);
    case 'ended': {
      const issue = findIssueOf(command, at);
      const overtakes = { codes: ['known_proposed', 'known_tied'], issue } as const;
      return await acceptCommand(deps, at, { command: `known #${issue ?? ''} no`, overtakes }, signal);
    }
  }
}

/** On an issue without a number, that one. */
function findIssueOf({ issue }: KnownCommand, { subject }: EventSubject): number | null {
  return issue ?? (subject.kind === 'issue' ? subject.number : null);
}

async function answerKnown(
  deps: CausewayAppDeps,
  command: KnownCommand,
  at: EventSubject,
  signal: AbortSignal,
): Promise<KnownAnswer> {
  const { project, trigger } = at;
  const { what } = command;
  const issue = findIssueOf(command, at);
  if (what.kind === 'malformed' && what.isBelow) return { kind: 'refused', refusal: { code: 'known_pattern_below' } };
  if (issue === null || what.kind === 'malformed') return { kind: 'refused', refusal: { code: 'known_needs_issue' } };
  const isElsewhere = command.repository !== null && command.repository.toLowerCase() !== project.name.toLowerCase();
  if (isElsewhere) return { kind: 'refused', refusal: { code: 'known_issue_gone' } };
  const request = { project, issue, by: { id: trigger.by.id, login: trigger.by.login } };
  switch (what.kind) {
    case 'pattern':
      return await proposePattern(deps, request, what.pattern, signal);
    case 'confirm':
      return await confirmPattern(deps, request, signal, what.pattern === '' ? undefined : what.pattern);
    case 'untie':
      return await untieIssue(deps, request);
    case 'failure': {
      const failures = what.failureId === '' ? await listMeant(deps, at, issue) : [{ id: what.failureId }];
      const [first] = failures;
      if (first === undefined) return { kind: 'refused', refusal: { code: 'known_no_failure' } };
      if (failures.length === 1) return await tieFailure(deps, request, first.id, signal);
      const named = failures.map(({ id, headline = '' }: Partial<NamedFailure>) => ({ id: id ?? '', headline }));
      return { kind: 'refused', refusal: { code: 'known_which_failure', failures: named.slice(0, MOST_NAMED) } };
    }
  }
}

/** What is red on the pull request, or what the issue names that has the label. */
async function listMeant(
  { store }: CausewayAppDeps,
  { project, subject }: EventSubject,
  issue: number,
): Promise<readonly NamedFailure[]> {
  if (subject.kind === 'pull_request') {
    const findings = (await store.findHeadOfPullRequest(project.id, subject.number))?.findings ?? [];
    const red = findings.filter(({ checks }) => checks.some(({ isRed }) => isRed)).map(toNamed);
    return [...new Map(red.map((one) => [one.id, one])).values()];
  }
  const named = (await store.findKnownIssueOf(project.id, issue))?.named ?? [];
  const found = await Promise.all(named.map((id) => store.findFailure(id)));
  return found.flatMap((failure) => (failure === null ? [] : [{ id: failure.id, headline: failure.headline }]));
}

function toNamed({ failureId: id, excerpt: { headline } }: Finding): NamedFailure {
  return { id, headline };
}
