// The message of a commit: a headline and a body of plain words that GitHub reads nothing into.
import type { Issue } from '../../core/issue.ts';
import { shownIssue } from '../../core/shown-issue.ts';
import type { Subject } from '../../core/thread.ts';
import { plainWords } from './plain-words.ts';
import { fixTitle } from './pull-request-text.ts';
import { firstSentences } from './sentences.ts';

const MAX_HEADLINE = 72;
const MAX_BODY = 800;
const ORIGINS: Readonly<Record<Subject['kind'], string>> = {
  issue: 'an issue',
  pull_request: 'red checks of a pull request',
  failure: 'red checks of a branch',
  report: 'a report',
};

/**
 * `headline` is one line of at most 72 characters. Neither part mentions, refers, closes, skips checks or adds trailers: a reference
 * to the subject would show there again with every push, and the pull request has it.
 */
export function commitMessage(whole: Issue, subject: Subject): { readonly headline: string; readonly body: string } {
  // A commit outlives what a repository is today: private ones become public.
  const { issue } = shownIssue(whole, { isPublic: true });
  const cause = plainWords(firstSentences(issue.rootCause, 3).first.replace(/(?<!\s)\s*\[step \d+\]/g, ''), MAX_BODY);
  const origin = ORIGINS[subject.kind];
  const body = [cause, `Proposed by Causeway from ${origin}; the pull request says how it is known.`];
  return { headline: fixTitle(issue, MAX_HEADLINE), body: body.filter((part) => part !== '').join('\n\n') };
}
