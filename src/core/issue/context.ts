// Other repositories that an investigation reads besides its own: which, at which commit, or why not; how their files
// are named; and an Issue without what was found in them.

import { isSafePath } from 'causeway-paths';
import type { ContextRefusal, ContextRepository } from '../source/index.ts';
import type { Issue } from './issue.ts';

/** At most so many are read. */
export const MAX_CONTEXT = 5;

export function listRead(context: readonly ContextRepository[]): readonly ContextRepository[] {
  return context.filter(({ refused }) => refused === null);
}

/** A file of another repository: `owner/name:path`. */
export function nameContextFile(repository: string, path: string): string {
  return `${repository}:${path}`;
}

/** Null: the file is of the project's own repository. */
export function findContextFile<T extends Pick<ContextRepository, 'repository'>>(
  file: string,
  context: readonly T[],
): { readonly of: T; readonly path: string } | null {
  const of = context.find(({ repository }) => file.startsWith(`${repository}:`));
  return of === undefined ? null : { of, path: file.slice(of.repository.length + 1) };
}

const REFUSALS: Readonly<Record<ContextRefusal, string>> = {
  other_owner: 'it has another owner',
  unreadable: 'the App is not installed on it, or not everybody who can read this repository can read it',
  unreachable: 'it could not be fetched',
  commit_missing: 'the commit is on none of its branches and tags',
  too_many: `at most ${MAX_CONTEXT} are read`,
};

/** Such as `acme/lib at 1a2b3c4 (v1.2.0)`, or why it was not read. */
export function describeContext({ repository, via, path, revision, ref, refused }: ContextRepository): string {
  const name = via === 'submodule' ? `${repository} (submodule ${path})` : repository;
  if (refused !== null) return `${name} was not read: ${REFUSALS[refused]}`;
  return `${name} at ${revision.slice(0, 7)}${ref === '' ? '' : ` (${ref})`}`;
}

export const WITHHELD_TITLE = 'This result is withheld.';

const CONTEXT_WITHHELD =
  'This result is withheld: it also relies on another repository, which not everyone who can see this project can read (any longer). A new analysis uses only what all of them can read.';

/** Is in copies of such an Issue too, and in no JSON: nothing of it is stored. */
const WITHHELD = Symbol('withheld');

/** Known by {@link withholdIssue}, not by words: a report may have the same ones. */
export function isWithheld(issue: object): boolean {
  return WITHHELD in issue;
}

/** Without anything that may come from another repository: any text may, once the model has read there. */
export function withholdIssue(issue: Issue): Issue & { readonly [WITHHELD]: true } {
  return {
    ...issue,
    [WITHHELD]: true,
    problem: WITHHELD_TITLE,
    rootCause: '',
    stepsToReproduce: [],
    solutionSteps: [],
    diff: { files: [] },
    investigationSteps: [],
    analysis: {
      ...issue.analysis,
      outcome: 'inconclusive',
      reason: CONTEXT_WITHHELD,
      confidence: null,
      suspects: [],
      citations: [],
      guards: [],
      questions: [],
      claims: [],
      secondLook: null,
      proof: null,
      ownership: null,
      context: [],
    },
  };
}

/** As `.gitmodules` has it. Nothing of it is ever given to git. */
interface Submodule {
  readonly path: string;
  readonly url: string;
}

const MAX_MODULES = 200;

/** The sections of `.gitmodules` that have a path and an address; everything else in it is ignored. */
export function parseSubmodules(text: string): readonly Submodule[] {
  const found: Record<string, string>[] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line.startsWith('[')) found.push({});
    const at = line.indexOf('=');
    const last = found.at(-1);
    if (at === -1 || last === undefined || found.length > MAX_MODULES) continue;
    const value = line.slice(at + 1).trim();
    last[line.slice(0, at).trim().toLowerCase()] = value.replace(/^"(.*)"$/, '$1');
  }
  return found
    .map(({ path = '', url = '' }) => ({ path, url }))
    .filter(({ path, url }) => url !== '' && isSafePath(path));
}

/**
 * The `owner/name` that a submodule's address means on the host of the project; null for every other address.
 * `origin`: of the project's own clone address, such as `https://github.com`; "": only relative addresses count.
 */
export function resolveSubmodule(
  url: string,
  { name, origin }: { readonly name: string; readonly origin: string },
): string | null {
  const place = url.startsWith('./') || url.startsWith('../') ? climb(name, url) : resolveLink(url, origin);
  const parts = place?.replace(/\.git\/?$/, '').split('/') ?? [];
  return parts.length === 2 && parts.every(isNamePart) ? parts.join('/') : null;
}

/** As git does it: each `../` leaves out one part of the project's own address. */
function climb(name: string, url: string): string | null {
  const parts = name.split('/');
  for (const part of url.split('/')) {
    if (part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function resolveLink(url: string, origin: string): string | null {
  const host = URL.parse(origin)?.host ?? '';
  if (host === '') return null;
  const short = /^[\w.-]{1,40}@([^:/\s]{1,200}):([^/\s][^\s]{0,300})$/.exec(url);
  if (short !== null) return short[1] === host ? (short[2] ?? null) : null;
  const parsed = URL.parse(url);
  const isRemote = parsed !== null && ['https:', 'http:', 'ssh:', 'git:'].includes(parsed.protocol);
  return isRemote && parsed.host === host && parsed.search === '' ? parsed.pathname.slice(1) : null;
}

function isNamePart(part: string): boolean {
  return /^[A-Za-z0-9._-]{1,100}$/.test(part) && /[A-Za-z0-9]/.test(part);
}
