// What lies between a version that a report calls good, or the release before a bad one, and the bad one: the commits
// that touch source.
import type { CommitInfo, CommitMessage } from 'causeway-git-objects';
import { formatCounted } from '../core/counted.ts';
import type { Clue } from './clues.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { findNamedRange } from './named-range.ts';
import { classifyFile } from './own-code.ts';
import type { Ground } from './paths.ts';
import { compareVersions, listSpellings, type Revisions } from './resolve-revision.ts';
import type { NamedVersion } from './signals.ts';

const MAX_SHOWN = 10;

interface RangeInput {
  readonly report: string;
  readonly revisions: Revisions;
}

/** What lies between two versions of which one is good and the later one bad. */
export interface VersionRange extends ResolvedRange {
  /** Newest first; those that touch source. */
  readonly commits: readonly SourceCommit[];
  /** Of all commits between the two. */
  readonly total: number;
}

interface Release {
  /** Tag, or version where a commit says that it is its release. */
  readonly name: string;
  readonly sha: string;
}

/** Null: the report names no version that this repository has as the last good or the first bad one. */
export async function findVersionRange(lookups: Lookups, input: RangeInput): Promise<VersionRange | null> {
  const range = await resolveRange(lookups, input);
  // A repository without the tag of one of them may say of the same commit that it is both.
  if (range === null || range.good.sha === range.bad.sha) return null;
  const changes = await attempt(lookups, describeComparison(range), () =>
    listSourceCommits(lookups, range.good.sha, range.bad.sha),
  );
  return changes && { ...range, ...changes };
}

function describeComparison({ good, isGoodNamed, bad, isNamed }: ResolvedRange): string {
  const says = (isSaid: boolean, word: string) => (isSaid ? ` (reported ${word})` : '');
  return `compare ${good.name}${says(isGoodNamed, 'working')} with ${bad.name}${says(isNamed, 'broken')}`;
}

/** A range that touches more files says little of each. */
const MOST_CHANGED = 60;

const CHANGED = 0.3;

/** The source files that changed in the range. */
export function createRangeClues(range: VersionRange | null): readonly Clue[] {
  if (range === null) return [];
  const commits = Map.groupBy(
    range.commits.flatMap((commit) => commit.paths.map((path) => ({ path, commit }))),
    ({ path }) => path,
  );
  if (commits.size > MOST_CHANGED) return [];
  return [...commits].map(([path, touching]) => ({
    kind: 'reference' as const,
    path,
    line: 0,
    function: '',
    strength: CHANGED / Math.sqrt(commits.size),
    reason: `the file changed between ${range.good.name} and ${range.bad.name}, in ${nameCommits(touching.map(({ commit }) => commit))}`,
    isChanged: true,
  }));
}

function nameCommits(commits: readonly SourceCommit[]): string {
  const [first] = commits;
  return first !== undefined && commits.length === 1 ? shortenSha(first.sha) : formatCounted(commits.length, 'commit');
}

/** One step; none where there is no range. `suspects`: files of which it is shown first which commits touch them. */
export async function recordVersionRange(
  lookups: Lookups,
  range: VersionRange | null,
  suspects: readonly string[],
): Promise<void> {
  if (range === null) return;
  const { good, bad, commits, total } = range;
  const before = range.isGoodNamed ? '' : `${good.name} is the release before it. `;
  const shown = orderCommits(range, suspects)
    .slice(0, MAX_SHOWN)
    .map((commit) => describeCommit(commit, suspects));
  const more = commits.length - shown.length;
  if (more > 0) shown.push(`… ${formatCounted(more, 'more commit')} that touch source`);
  await lookups.notebook.record({
    lookup: 'compare',
    action: describeComparison(range),
    result: shown.length === 0 ? 'nothing found' : shown.join('\n'),
    analysis: `${before}${
      total === 0
        ? `${bad.name} has no commits that ${good.name} lacks.`
        : `${commits.length} of ${formatCounted(total, 'commit')} between them ${commits.length === 1 ? 'touches' : 'touch'} source; those that touch the first suspects come first.`
    }`,
  });
}

/** Those that touch the suspects first, each part newest first. */
export function orderCommits({ commits }: VersionRange, suspects: readonly string[]): readonly SourceCommit[] {
  const near = commits.filter(({ paths }) => paths.some((path) => suspects.includes(path)));
  return [...near, ...commits.filter((commit) => !near.includes(commit))];
}

interface ResolvedRange {
  readonly good: Release;
  /** Whether the report names the good one; else it is the release before the bad one. */
  readonly isGoodNamed: boolean;
  readonly bad: Release;
  /** Whether the report names the bad one; else it is the commit that is looked at. */
  readonly isNamed: boolean;
}

async function resolveRange(lookups: Lookups, input: RangeInput): Promise<ResolvedRange | null> {
  const named = findNamedRange(input.report, listOwnNames(lookups.ground));
  const bad = named.bad && (await findRelease(lookups, named.bad));
  if (named.good === null) {
    const good = bad && (await findReleaseBefore(lookups, bad));
    return good && { good, isGoodNamed: false, bad, isNamed: true };
  }
  const good = await findRelease(lookups, named.good);
  if (good === null || (named.bad !== null && bad === null)) return null;
  const { asked } = input.revisions;
  const looked = { name: shortenSha(asked), sha: asked };
  return { good, isGoodNamed: true, bad: bad ?? looked, isNamed: bad !== null };
}

/** `[maven-release-plugin] `, `chore(release): `. */
const SUBJECT_KIND =
  /^(?:\[[\w-]{1,40}\] )?(?:(?!(?:fix|feat|docs|tests?|perf|refactor)\b)\w{2,12}(?:\([\w-]{1,30}\))?!?: )?/i;

/** What stands before the version in the subject of a release: `Release version 8.3.0`, `Bump version: 1.2.1 → 1.2.2`. */
const RELEASE_WORD =
  /^(?:prepar(?:e[ds]?|ing)|cut|tag|publish|bump(?:s|ed|ing)?|set|updated?|merge|branch|releas(?:e[ds]?|ing)|versions?|new|final|the|package|project|number|to|from|of|for|v|[-=]?>|\d[\d.]{0,20})$/i;

/** What may stand behind it: `1.2.2 release (#123)`; not what makes it another one (`+dev`, `-rc.1`, ` of kombu`). */
const SUBJECT_END =
  /^['"`*]{0,2}(?:,? release)?\.?(?: into [\w/.-]{1,40})?(?: \(#\d{1,7}\)| \[(?:skip ci|ci skip)\]){0,2}[.!]?$/i;

/**
 * The version that a commit is the release of, by its subject: the last one that it names, which ends it; "" for other
 * commits.
 */
export function readReleaseVersion(subject: string, names: ReadonlySet<string>): string {
  const rest = subject.trim().slice(0, 200).replace(SUBJECT_KIND, '');
  const last = [...rest.matchAll(NUMBERS)].at(-1);
  if (last === undefined || !SUBJECT_END.test(rest.slice(last.index + last[0].length))) return '';
  // Of `release shop-1.2.2` the name says of what.
  const words = rest
    .slice(0, last.index)
    .replace(/(?<=\s)[\w.-]{1,60}-$/, '')
    .split(/[\s:,'"`*→@/]/);
  const said = words.filter((word) => word !== '');
  const isRelease = (word: string, at: number): boolean =>
    RELEASE_WORD.test(word) || (at > 0 && names.has(word.toLowerCase()));
  return said.every(isRelease) ? last[0] : '';
}

const NUMBERS = /(?<![\d.])\d{1,5}\.\d{1,5}(?:\.\d{1,5}){0,2}(?![\d])/g;

/** By a tag, else by the newest commit before the one looked at that has the subject of a release. */
async function findRelease(
  { repository, tree, ground, signal }: Lookups,
  version: NamedVersion,
): Promise<Release | null> {
  for (const name of listSpellings(
    version,
    ground.packages.map((own) => own.name),
  )) {
    const sha = await repository.resolve(name, signal);
    if (sha !== null) return { name, sha };
  }
  const names = listOwnNames(ground);
  const { commits } = await tree.history({ message: version.version, limit: 50 }, signal);
  const wanted = new Set([version.version, `${version.version}.0`]);
  const found = commits.find(({ subject }) => wanted.has(readReleaseVersion(subject, names)));
  return found === undefined ? null : { name: `${version.version} (${shortenSha(found.sha)})`, sha: found.sha };
}

function listOwnNames({ packages }: Pick<Ground, 'packages'>): ReadonlySet<string> {
  return new Set(packages.map(({ name }) => name.toLowerCase()));
}

/** Ancestors among which the one is chosen that older releases contain. */
const REACH = 2_000;

/** By the tags that are named like the release's own, else by the newest release commit before it. */
async function findReleaseBefore({ repository, ground, signal }: Lookups, release: Release): Promise<Release | null> {
  const tree = repository.tree(release.sha);
  const { ids } = await tree.ancestors(REACH, signal);
  const tags = (await repository.findTags(ids.at(-1) ?? release.sha, signal)) ?? [];
  const [prefix = ''] = release.name.split(/\d/, 1);
  const before = tags
    .filter(
      (tag) => tag.startsWith(prefix) && FINAL.test(tag.slice(prefix.length)) && compareVersions(tag, release.name) < 0,
    )
    .sort(compareVersions)
    .at(-1);
  if (before !== undefined) {
    const sha = await repository.resolve(before, signal);
    return sha === null ? null : { name: before, sha };
  }
  const { commits } = await tree.history({ limit: 200 }, signal);
  const own = listOwnNames(ground);
  const bad = /\d[\d.]*\d/.exec(release.name)?.[0] ?? '';
  for (const { sha, subject } of commits) {
    const version = readReleaseVersion(subject, own);
    if (sha !== release.sha && version !== '' && isJustBefore(version, bad))
      return { name: `${version} (${shortenSha(sha)})`, sha };
  }
  return null;
}

/** Of the same line of releases, or of the one before: `1.2.2` of a plugin is not the release before `1.23.7`. */
function isJustBefore(version: string, bad: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [badMajor = 0, badMinor = 0] = bad.split('.').map(Number);
  const isNear = major === badMajor ? badMinor - minor <= 1 : badMajor - major === 1 && badMinor === 0;
  return isNear && compareVersions(version, bad) < 0;
}

/** A release of everyone, without `-rc.1` and its like. */
const FINAL = /^\d+(?:\.\d+){1,3}$/;

interface SourceCommit extends CommitInfo {
  /** Source files that it touches. */
  readonly paths: readonly string[];
}

/** Newest first. `total`: of all commits between the two. */
async function listSourceCommits(
  { repository, signal }: Lookups,
  from: string,
  to: string,
): Promise<{ readonly commits: readonly SourceCommit[]; readonly total: number }> {
  const tree = repository.tree(to);
  const { commits, files } = await tree.compare(from, {}, signal);
  // A file may be identical at both ends: changed and reverted, or changed on a branch that both contain.
  const differing = new Set(files.flatMap(({ path, previousPath }) => [path, previousPath]));
  const messages = new Map<string, CommitMessage>();
  const ids = commits.map(({ sha }) => sha);
  for await (const some of tree.messages(ids, signal)) for (const each of some) messages.set(each.sha, each);
  const touching = commits.flatMap((commit) => {
    const paths = (messages.get(commit.sha)?.paths ?? []).filter(
      (path) => classifyFile(path) === 'source' && differing.has(path),
    );
    return paths.length === 0 ? [] : [{ ...commit, paths }];
  });
  return { commits: touching, total: commits.length };
}

function describeCommit({ sha, date, author, subject, paths }: SourceCommit, suspects: readonly string[]): string {
  const ordered = [
    ...paths.filter((path) => suspects.includes(path)),
    ...paths.filter((path) => !suspects.includes(path)),
  ];
  const more = ordered.length > 2 ? ` and ${ordered.length - 2} more` : '';
  return `${shortenSha(sha)} ${date.slice(0, 10)} ${author}: ${subject} [${ordered.slice(0, 2).join(', ')}${more}]`;
}
