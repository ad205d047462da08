// What lies between a version that a report calls good, or the release before a bad one, and the bad one: the commits
// that touch source.
import type { CommitInfo, CommitMessage } from 'causeway-git-objects';
import { formatCounted } from '../core/counted.ts';
import { attempt, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile } from './own-code.ts';
import { compareVersions, isUnnamed, listSpellings, type Revisions } from './resolve-revision.ts';
import type { NamedVersion, Signals } from './signals.ts';

const MAX_SHOWN = 10;

interface RangeInput {
  readonly report: string;
  readonly signals: Signals;
  readonly revisions: Revisions;
  /** Files of the first suspects: commits that touch them are shown first. */
  readonly suspects: readonly string[];
}

interface Release {
  /** Tag, or version where a commit says that it is its release. */
  readonly name: string;
  readonly sha: string;
}

/** One step; none where the report does not name a good version that this repository has. */
export async function recordVersionRange(lookups: Lookups, input: RangeInput): Promise<void> {
  const range = await resolveRange(lookups, input);
  // A repository without the tag of one of them may say of the same commit that it is both.
  if (range === null || range.good.sha === range.bad.sha) return;
  const { good, bad } = range;
  const says = (isSaid: boolean, word: string) => (isSaid ? ` (reported ${word})` : '');
  const action = `compare ${good.name}${says(range.isGoodNamed, 'working')} with ${bad.name}${says(range.isNamed, 'broken')}`;
  const before = range.isGoodNamed ? '' : `${good.name} is the release before it. `;
  const changes = await attempt(lookups, action, () => listSourceCommits(lookups, good.sha, bad.sha));
  if (changes === null) return;
  const { commits, total } = changes;
  const near = commits.filter(({ paths }) => paths.some((path) => input.suspects.includes(path)));
  const ordered = [...near, ...commits.filter((commit) => !near.includes(commit))];
  const shown = ordered.slice(0, MAX_SHOWN).map((commit) => describeCommit(commit, input.suspects));
  const more = commits.length - shown.length;
  if (more > 0) shown.push(`… ${formatCounted(more, 'more commit')} that touch source`);
  await lookups.notebook.record({
    lookup: 'compare',
    action,
    result: shown.length === 0 ? 'nothing found' : shown.join('\n'),
    analysis: `${before}${
      total === 0
        ? `${bad.name} has no commits that ${good.name} lacks.`
        : `${commits.length} of ${formatCounted(total, 'commit')} between them ${commits.length === 1 ? 'touches' : 'touch'} source; those that touch the first suspects come first.`
    }`,
  });
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
  const named = findNamedRange(lookups, input);
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

interface NamedRange {
  /** Null: only the first bad one is named. */
  readonly good: NamedVersion | null;
  /** Null: the commit that is looked at. */
  readonly bad: NamedVersion | null;
}

function findNamedRange({ ground }: Lookups, { report, signals }: RangeInput): NamedRange {
  const names = new Set(ground.packages.map(({ name }) => name.toLowerCase()));
  const own = signals.versions.filter((version) => !version.foreign && (isUnnamed(version) || names.has(version.of)));
  const isGood = (version: NamedVersion): boolean => version.fine || isCalledGood(report, version.version);
  const good = own.filter(isGood).sort(compareNamedVersions).at(-1);
  const bad = own.filter((version) => !isGood(version)).sort(compareNamedVersions);
  if (good === undefined) return { good: null, bad: bad.find(isFirstBad) ?? null };
  return { good, bad: bad.find((version) => compareNamedVersions(version, good) > 0) ?? null };
}

/** `broken since 5.2`, `after upgrading to 5.2`, `worked before 5.2`: what is before the version. */
const FIRST_BAD =
  /\b(?:since|before|prior to|introduced in|broken? (?:in|by)|starting (?:with|from|in)|regression (?:in|from)|(?:upgrad|updat|bump|mov|switch|migrat)(?:e|es|ed|ing|ping|ped) [^.]{0,40}\bto)\W{1,4}(?:(?:version|release|[\w@/-]{1,40})\W{1,3})?v?$/;

function isFirstBad({ context }: NamedVersion): boolean {
  return FIRST_BAD.test(context);
}

const SAID_GOOD =
  /^[`*"')]{0,3},? (?:(?:it|still|was|is|all|just|everything) ){0,2}(?:works?|worked|working|fine|ok|good)\b/i;

const LEFT = /\bfrom [`*"'(]{0,3}(?:[\w@/-]{1,40} )?v?$/i;

const TO_OTHER = /^[`*"')]{0,3} (?:to|->|→)/;

/** `8.2.1 works`, `from 8.2.1 to 8.3.0`: the words are behind the version, or name it as the one that was left. */
function isCalledGood(report: string, version: string): boolean {
  const parts = report.split(version);
  return parts.slice(1).some((after, index) => {
    const before = (parts[index] ?? '').slice(-60);
    const next = after.slice(0, 60);
    return SAID_GOOD.test(next) || (LEFT.test(before) && TO_OTHER.test(next));
  });
}

function compareNamedVersions(a: NamedVersion, b: NamedVersion): number {
  return compareVersions(a.version, b.version);
}

/** What the subject of a release commit begins with: `Release version 8.3.0`, `chore(release): 2.1.0`, `v3.2.1`. */
const RELEASE =
  /^(?:\w{2,12}(?:\([\w-]{1,30}\))?!?: )?(?:(?:prepare|cut|tag|publish|bump|set|update|merge)\b.{0,40})?(?:release|version|v?\d)/i;

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
  const { commits } = await tree.history({ message: version.version, limit: 50 }, signal);
  const found = commits.find(({ subject }) => RELEASE.test(subject) && holdsVersion(subject, version.version));
  return found === undefined ? null : { name: `${version.version} (${shortenSha(found.sha)})`, sha: found.sha };
}

/** Ancestors among which the one is chosen that older releases contain. */
const REACH = 2_000;

/** By the tags that are named like the release's own, else by the newest release commit before it. */
async function findReleaseBefore({ repository, signal }: Lookups, release: Release): Promise<Release | null> {
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
  const found = commits.find(
    ({ sha, subject }) => sha !== release.sha && RELEASE.test(subject) && NUMBER.test(subject),
  );
  return found === undefined
    ? null
    : { name: `${NUMBER.exec(found.subject)?.[0]} (${shortenSha(found.sha)})`, sha: found.sha };
}

/** A release of everyone, without `-rc.1` and its like. */
const FINAL = /^\d+(?:\.\d+){1,3}$/;

const NUMBER = /(?<!\d)\d{1,5}\.\d{1,5}(?:\.\d{1,5}){0,2}/;

function holdsVersion(subject: string, version: string): boolean {
  const at = subject.indexOf(version);
  return (
    at >= 0 &&
    !/[\d.]/.test(subject.charAt(at - 1)) &&
    !/[\d-]|\.\d/.test(subject.slice(at + version.length).slice(0, 2))
  );
}

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
  const { commits } = await tree.compare(from, {}, signal);
  const messages = new Map<string, CommitMessage>();
  const ids = commits.map(({ sha }) => sha);
  for await (const some of tree.messages(ids, signal)) for (const each of some) messages.set(each.sha, each);
  const touching = commits.flatMap((commit) => {
    const paths = (messages.get(commit.sha)?.paths ?? []).filter((path) => classifyFile(path) === 'source');
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
