// Who or what caused a failure, as far as it is known for certain: what our check run says first, in its title and above each cause.
import type { Finding } from '../../core/head.ts';
import { formatCodeSpan } from '../../core/markdown/github.ts';
import { type Cause, type CheckRunGround, causeFound } from './check-run-ground.ts';
import { plainWords } from './plain-words.ts';

/** Only for the verdicts `code` and `inconclusive`: the others are nobody's fault here. */
export type Attribution =
  /** The change under test touches what fails. */
  | { readonly kind: 'change' }
  /** It was seen first on another pull request, and is told there. */
  | { readonly kind: 'elsewhere'; readonly number: number }
  /** Red here. `base`: what the same checks are there; null: not known. */
  | { readonly kind: 'here'; readonly base: 'green' | 'red' | null }
  /** On the default branch: the only commit since it was green. */
  | { readonly kind: 'push' }
  /** The same, with others in between. */
  | { readonly kind: 'pushes'; readonly commits: number }
  | { readonly kind: 'back' }
  /** Red on the default branch by an earlier commit already; "": by which is not known. */
  | { readonly kind: 'since'; readonly sha: string }
  /** Red on the default branch; since when is not known. */
  | { readonly kind: 'default' }
  | { readonly kind: 'unknown' }
  /** What fails is known, and not whether it is the change that does it. */
  | { readonly kind: 'open' }
  /** It was not known whose, until its cause was found. */
  | { readonly kind: 'found' };

export function attributeFailure(ground: CheckRunGround, cause: Cause): Attribution {
  const { finding } = cause;
  const { place } = ground.head;
  if (place?.kind === 'default')
    return finding.verdict === 'code' ? attributeOnDefault(ground, cause) : attributeByCause(cause);
  const number = cause.failure?.firstSeen.pullRequest ?? null;
  const own = place?.kind === 'pull_request' ? place.number : null;
  const isElsewhere = finding.standing !== 'new' && !finding.isOwnThread && number !== null && number !== own;
  if (isElsewhere && number !== null) return { kind: 'elsewhere', number };
  if (finding.verdict !== 'code') return attributeByCause(cause);
  return finding.isTouched === true ? { kind: 'change' } : { kind: 'here', base: finding.base ?? null };
}

function attributeByCause(cause: Cause): Attribution {
  if (causeFound(cause) !== null) return { kind: 'found' };
  return { kind: isUntied(cause.finding) ? 'open' : 'unknown' };
}

function isUntied({ reasons, excerpt }: Finding): boolean {
  return excerpt.headline !== '' && reasons.some(({ code }) => code === 'untied');
}

/** The range is that of the commit which turned the branch red, and stays so while it is red. */
function attributeOnDefault({ head }: CheckRunGround, { finding, failure }: Cause): Attribution {
  if (finding.standing === 'regression') return { kind: 'back' };
  const range = failure?.range ?? null;
  if (range?.to === head.sha) return range.total === 1 ? { kind: 'push' } : { kind: 'pushes', commits: range.total };
  if (range !== null) return { kind: 'since', sha: range.to };
  const first = failure?.firstSeen ?? null;
  if (first === null || finding.standing === 'new' || first.sha === head.sha) return { kind: 'default' };
  return { kind: 'since', sha: first.isOnDefault && failure?.opening === 1 ? first.sha : '' };
}

/** In plain words that GitHub reads nothing into: the number of a pull request is ours, and no title links it. */
export function describeInPlain(ground: CheckRunGround, cause: Cause, whose: Attribution): string {
  const check = plainWords(
    firstCheck(cause, (name) => plainWords(name, MAX_NAME) || 'a check'),
    2 * MAX_NAME,
  );
  const said = words(ground, whose, { check, isOne: cause.finding.checks.length === 1, name: (name) => name });
  return whose.kind === 'elsewhere' ? `${said} #${whose.number}` : plainWords(said, 4 * MAX_NAME);
}

/** In Markdown, inert. */
export function describeInMarkdown(ground: CheckRunGround, cause: Cause, whose: Attribution): string {
  const check = firstCheck(cause, (name) => formatCodeSpan(name.slice(0, MAX_NAME)) || 'a check');
  const isOne = cause.finding.checks.length === 1;
  const said = words(ground, whose, { check, isOne, name: (name) => formatCodeSpan(name) || '–' });
  if (whose.kind !== 'elsewhere') return said;
  return `${said} [#${whose.number}](${ground.webUrl}/${ground.repository}/pull/${whose.number})`;
}

const MAX_NAME = 60;

interface Names {
  /** Such as `test (18)` and 2 more. */
  readonly check: string;
  readonly isOne: boolean;
  readonly name: (name: string) => string;
}

function words(ground: CheckRunGround, whose: Attribution, { check, isOne, name }: Names): string {
  const main = name(ground.head.place?.kind === 'default' ? ground.head.place.branch : ground.defaultBranch);
  switch (whose.kind) {
    case 'change':
      return 'Your change';
    case 'elsewhere':
      return 'Known from';
    case 'here':
      return `${check} ${isOne ? 'is' : 'are'} red here${besides(whose.base, name(baseOf(ground)))}`;
    case 'push':
      return 'This push';
    case 'pushes':
      return `Red on ${main}, ${whose.commits} commits after it was green`;
    case 'back':
      return `Back on ${main}`;
    case 'since':
      return `Red on ${main} since ${whose.sha === '' ? 'before this push' : name(whose.sha.slice(0, 7))}`;
    case 'default':
      return `Red on ${main}`;
    case 'unknown':
      return "I don't know";
    case 'open':
      return "I don't know whether it is your change";
    case 'found':
      return 'Cause found';
  }
}

function besides(base: 'green' | 'red' | null, branch: string): string {
  if (base === null) return '';
  return base === 'green' ? ` and green on ${branch}` : `, for another cause than on ${branch}`;
}

export function baseOf({ head, defaultBranch }: CheckRunGround): string {
  return head.place?.kind === 'pull_request' ? head.place.base.branch : defaultBranch;
}

function firstCheck({ finding }: Cause, shown: (name: string) => string): string {
  const [first] = inOrder(finding.checks);
  const more = finding.checks.length - 1;
  return `${shown(first?.name ?? '')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `test (18)` before `test (22)`, whichever ended first. */
export function inOrder<T extends { readonly name: string }>(checks: readonly T[]): readonly T[] {
  return checks.toSorted((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
}
