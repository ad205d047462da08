// An event as one message to a channel of people: outcome, cause in two sentences, links to us and to GitHub. All text
// from outside is cleaned here; each format escapes it once more as it needs.

import { sanitiseLine } from 'causeway-visible-text';
import type { PullRequestEvent, WebhookContent } from '../core/account/index.ts';
import type { FailureView } from '../core/check/index.ts';
import {
  createIssueView,
  filterIssue,
  getIssueTitle,
  type Issue,
  removeCitations,
  type SourcedIssue,
  splitSentences,
} from '../core/issue/index.ts';
import { describeProof } from '../core/proof/index.ts';

export interface ChatMessage {
  /** Words of ours alone. */
  readonly title: string;
  /** What it is about, from outside; "" for nothing. */
  readonly subject: string;
  /** From outside; "" for nothing. */
  readonly text: string;
  /** Where: the project and what is known of the place, from outside. */
  readonly place: string;
  /** To this service or to GitHub. */
  readonly links: readonly { readonly text: string; readonly url: string }[];
}

export interface ChatFacts {
  /** "" for an example. */
  readonly project: string;
  /** What was found of it; null: nothing, or it was erased. */
  readonly issue: SourcedIssue | null;
  readonly isExample: boolean;
  /** Where the account area is, without a slash at the end; "": people cannot sign in there. */
  readonly accountArea: string;
  /** Where GitHub's pages are; "": there are none. */
  readonly githubUrl: string;
}

const MAX_SUBJECT = 200;
const MAX_TEXT = 600;
const MAX_PLACE = 300;
const MOST_CHECKS = 3;
const CAUSE_SENTENCES = 2;

export function describeEvent(content: WebhookContent, facts: ChatFacts): ChatMessage {
  const message = describeContentInChat(content, facts);
  const links = message.links.flatMap(({ text, url }) => {
    const allowed = parseOwnLink(url, facts);
    return allowed === null ? [] : [{ text, url: allowed }];
  });
  return {
    title: facts.isExample ? `Example: ${message.title}` : message.title,
    subject: cleanText(message.subject, MAX_SUBJECT),
    text: cleanText(message.text, MAX_TEXT),
    place: cleanText([facts.project, message.place].filter(Boolean).join(' · '), MAX_PLACE),
    links,
  };
}

function describeContentInChat(content: WebhookContent, facts: ChatFacts): ChatMessage {
  switch (content.type) {
    case 'issue.created':
      return describeIssue(content.data, facts);
    case 'issue.failed': {
      const { investigationId, reason } = content.data;
      const text = splitSentences(reason.detail, CAUSE_SENTENCES).first;
      const links = [{ text: 'Investigation', url: toPage(facts, `/investigations/${investigationId}`) }];
      return { title: 'No result', subject: '', text, place: '', links };
    }
    case 'failure.opened':
      return describeFailureInChat('New failing check', content.data, facts);
    case 'failure.regressed':
      return describeFailureInChat('Failing check is back', content.data, facts);
    case 'failure.closed':
      return describeFailureInChat(describeClosing(content.data), content.data, facts);
    case 'pull_request.opened':
      return describePullRequest('Pull request opened', content.data, facts);
    case 'pull_request.proven':
      return describePullRequest('Fix proven in CI', content.data, facts);
    case 'pull_request.merged':
      return describePullRequest('Pull request merged', content.data, facts);
    case 'pull_request.closed':
      return describePullRequest('Pull request closed without merging', content.data, facts);
  }
}

function describeIssue(issue: Issue, facts: ChatFacts): ChatMessage {
  const { comment, checkRun, pullRequest } = issue.analysis.links;
  return {
    title: createIssueView(issue).headline,
    subject: getIssueTitle(filterFor(issue, facts), MAX_SUBJECT),
    text: describeCause(facts),
    place: '',
    links: [
      { text: 'Analysis', url: toPage(facts, `/issues/${issue.id}`) },
      { text: 'Pull request', url: pullRequest ?? '' },
      { text: 'Comment', url: comment ?? '' },
      { text: 'Check run', url: checkRun ?? '' },
    ],
  };
}

function filterFor(issue: Issue, { issue: sourced }: ChatFacts): Pick<Issue, 'problem' | 'id'> {
  return sourced === null ? issue : filterIssue(sourced, { isPublic: true }).issue;
}

/** Without what monitoring systems have said, and without blocks of code or log. */
function describeCause({ issue }: ChatFacts): string {
  if (issue === null) return '';
  const { rootCause } = filterIssue(issue, { isPublic: true }).issue;
  return splitSentences(removeCitations(removeFences(rootCause)), CAUSE_SENTENCES).first;
}

function removeFences(markdown: string): string {
  return markdown
    .split(/^ {0,3}(?:`{3,}|~{3,}).*$/m)
    .filter((_, index) => index % 2 === 0)
    .join('\n');
}

function describeClosing({ closed }: FailureView): string {
  switch (closed?.by) {
    case 'green':
      return 'Failing check fixed on the default branch';
    case 'pull_request':
      return 'Failing check gone: its pull request passed or was closed';
    default:
      return 'Failing check not seen for 30 days';
  }
}

/** Without the error line, which is of a log. */
function describeFailureInChat(title: string, failure: FailureView, facts: ChatFacts): ChatMessage {
  const { lastSeen, checkNames, projectId, id, closed } = failure;
  const others = checkNames.length - MOST_CHECKS;
  const names = checkNames.slice(0, MOST_CHECKS).join(', ') + (others > 0 ? ` and ${others} more` : '');
  const pullRequest = lastSeen.pullRequest === null ? '' : `#${lastSeen.pullRequest}`;
  const { sha } = closed ?? lastSeen;
  return {
    title,
    subject: names,
    text: describeCause(facts),
    place: [lastSeen.branch, pullRequest, sha.slice(0, 12)].filter(Boolean).join(' · '),
    links: [{ text: 'Failure', url: toPage(facts, `/projects/${projectId}/failures/${id}`) }],
  };
}

function describePullRequest(title: string, event: PullRequestEvent, facts: ChatFacts): ChatMessage {
  const { number, url, issueId, proof } = event;
  const isProven = proof?.state === 'proven';
  return {
    title: `${title}: #${number}`,
    subject: facts.issue === null ? '' : getIssueTitle(filterFor(facts.issue, facts), MAX_SUBJECT),
    text: title === 'Fix proven in CI' && isProven ? describeProof(proof) : describeCause(facts),
    place: `${event.branch} → ${event.base}`,
    links: [
      { text: 'Pull request', url },
      { text: 'Analysis', url: toPage(facts, `/issues/${issueId}`) },
    ],
  };
}

function toPage({ accountArea, isExample }: ChatFacts, path: string): string {
  return accountArea === '' || isExample ? '' : accountArea + path;
}

/** Null: it leads elsewhere. */
function parseOwnLink(link: string, { accountArea, githubUrl }: ChatFacts): string | null {
  const url = URL.parse(link);
  const origins = [accountArea, githubUrl].flatMap((own) => URL.parse(own)?.origin ?? []);
  return url !== null && /^https?:$/.test(url.protocol) && origins.includes(url.origin) ? url.href : null;
}

/** Frames of a stack trace name files like this; only the path is worth reading. */
const FILE_SCHEME = /\bfile:\/\/(?=\/)/gi;
const LINK = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s`"'<>)]{1,2000}|\bwww\.[^\s`"'<>)]{1,2000}/gi;

/** On one line; a link in it would be made clickable by some clients. */
function cleanText(text: string, max: number): string {
  const paths = text.slice(0, 8 * max).replace(FILE_SCHEME, '');
  return sanitiseLine(paths.replace(LINK, '[link]'), max);
}
