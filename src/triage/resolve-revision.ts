// Which commit to read at: the requested one, and the one that the report is about where it names a version, tag or
// sha.

import type { Repository } from 'causeway-git-objects';
import { CausewayError } from '../core/errors.ts';
import { nameBranch } from '../core/source/index.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { getFileName } from './paths.ts';
import type { NamedVersion, Signals } from './signals.ts';

export interface Revisions {
  /** Full sha of the requested revision: the diff applies to it. */
  readonly asked: string;
  /** Its name for people: the branch, tag or short sha. */
  readonly askedName: string;
  /** Full sha that stack frames are read at. */
  readonly frames: string;
  /** Whether whoever asked named it, so that nothing in the report chose it. */
  readonly isGiven: boolean;
  /** The tag or sha in the report that leads to it; "" where it is the requested revision. */
  readonly framesName: string;
  /** What was tried because the report names it, in order. */
  readonly tried: readonly string[];
}

/** Each is one question to git; a report that lists forty versions must not cost forty. */
const MAX_TRIED = 24;

/**
 * Throws `revision_not_found` where the requested revision does not exist. An explicit revision is read as it is,
 * also where the report names others.
 */
export async function resolveRevisions(
  input: {
    readonly revision: string;
    readonly repository: Repository;
    readonly ownNames: readonly string[];
    readonly signals: Signals;
  },
  signal: AbortSignal,
): Promise<Revisions> {
  const { revision, repository } = input;
  const asked = await resolveAsked(repository, revision, signal);
  const askedName = revision === '' ? repository.defaultBranch || asked.slice(0, 7) : revision;
  const isGiven = revision !== '';
  if (isGiven) return { asked, askedName, isGiven, frames: asked, framesName: '', tried: [] };
  const tried: string[] = [];
  for (const name of listCandidates(input.signals, input.ownNames).slice(0, MAX_TRIED)) {
    tried.push(name);
    const sha = await repository.resolve(name, signal);
    if (sha !== null) return { asked, askedName, isGiven, frames: sha, framesName: sha === asked ? '' : name, tried };
  }
  return { asked, askedName, isGiven, frames: asked, framesName: '', tried };
}

/** The commit that is looked at, compared with the default branch. */
export interface AskedCommit {
  /** Day of that commit. */
  readonly date: string;
  /** Name of the branch that `place` is compared with. */
  readonly branch: string;
  readonly place: CommitStanding;
}

/** `apart`: commits that the default branch doesn't have, and those that only it has. */
type CommitStanding =
  | { readonly kind: 'unknown' | 'tip' }
  | { readonly kind: 'apart'; readonly ahead: number; readonly behind: number };

export async function readHead(lookups: Omit<Lookups, 'ground'>): Promise<AskedCommit> {
  const { repository, tree, signal } = lookups;
  const action = `history (last 1) at ${shortenSha(tree.revision)}`;
  const [last, place] = await Promise.all([
    attempt(lookups, action, () => tree.history({ limit: 1 }, signal)),
    placeHead(lookups),
  ]);
  return { date: last?.commits[0]?.date.slice(0, 10) ?? '', branch: repository.defaultBranch, place };
}

async function placeHead(lookups: Omit<Lookups, 'ground'>): Promise<CommitStanding> {
  const { repository, tree, signal } = lookups;
  const tip = await repository.resolve('', signal);
  if (tip === null) return { kind: 'unknown' };
  if (tip === tree.revision) return { kind: 'tip' };
  const action = `compare ${shortenSha(tree.revision)} with ${nameBranch(repository)}`;
  const apart = await attempt(lookups, action, () => tree.countApart(tip, signal));
  return apart === null ? { kind: 'unknown' } : { kind: 'apart', ...apart };
}

/** Full sha of the requested revision; throws `revision_not_found`, naming it and the default branch. */
export async function resolveAsked(repository: Repository, revision: string, signal: AbortSignal): Promise<string> {
  const sha = await repository.resolve(revision, signal);
  if (sha !== null) return sha;
  const instead =
    repository.defaultBranch === ''
      ? 'Leave the revision out'
      : `Leave the revision out to use ${repository.defaultBranch}`;
  const missing =
    revision === ''
      ? 'The default branch has no commit'
      : `There is no branch, tag or commit ${JSON.stringify(revision)} here`;
  throw new CausewayError(
    'revision_not_found',
    `${missing}. ${instead}, or give a branch, a tag, or at least 7 digits of the id of a commit on one of its branches.`,
    { reason: { code: 'revision_not_found', revision, defaultBranch: repository.defaultBranch } },
  );
}

/**
 * What the report says it is about, the surest first. Versions of other software, and those said to be fine, are no
 * candidates.
 */
function listCandidates({ versions, shas }: Signals, ownNames: readonly string[]): readonly string[] {
  const own = new Set(ownNames.flatMap((name) => [name.toLowerCase(), getFileName(name).toLowerCase()]));
  const broken = versions.filter(({ fine, foreign, of }) => !fine && (!foreign || own.has(of)));
  const named = broken.filter((version) => own.has(version.of) || (isUnnamed(version) && listMentions(version, own)));
  const labelled = broken.filter((version) => !named.includes(version) && version.labelled && isUnnamed(version));
  const ordered = [...named, ...labelled].sort((a, b) => compareVersions(b.version, a.version));
  const tags = ordered.flatMap((version) => listSpellings(version, ownNames));
  return [...new Set([...tags, ...shas])];
}

/** `version: 1.2.3`, `v1.2.3`, `in release 1.2.3`: nothing else claims the number. */
export function isUnnamed({ of }: NamedVersion): boolean {
  return /^(?:|versions?|releases?|tag|v|affected|current|latest|package|app|library)$/.test(of);
}

/** `upgrading shop from 1.2.2 to 1.2.3`: the name is further away. */
function listMentions({ context }: NamedVersion, names: ReadonlySet<string>): boolean {
  return context.split(/[^\w@/.-]+/).some((word) => names.has(word));
}

export function listSpellings(
  { version, of }: Pick<NamedVersion, 'version' | 'of'>,
  ownNames: readonly string[],
): readonly string[] {
  const name =
    ownNames.find((own) => own.toLowerCase() === of || getFileName(own).toLowerCase() === of) ?? ownNames[0] ?? '';
  const full = /^\d+\.\d+$/.test(version) ? [version, `${version}.0`] : [version];
  return full.flatMap((number) => [
    `v${number}`,
    number,
    ...(name === '' ? [] : [`${name}@${number}`, `${getFileName(name)}-${number}`, `${getFileName(name)}-v${number}`]),
    `release-${number}`,
  ]);
}

export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
