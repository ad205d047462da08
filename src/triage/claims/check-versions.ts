// Versions and commits that a report names, held against the repository's tags and commits.

import { markCode } from 'causeway-log-lines';
import type { Lookups } from '../lookups.ts';
import { compareVersions, isUnnamed, listSpellings } from '../resolve-revision.ts';
import { findVersionsIn, type NamedVersion } from '../signals.ts';
import type { FoundClaim } from './claim.ts';
import { hasMainFile, readRelease } from './own-names.ts';

const MAX_VERSIONS = 8;
const MAX_COMMITS = 6;

/** Fewer tags tell nothing of what was released. */
const LEAST_RELEASES = 3;

/** Words that, without another program's name in the sentence, speak of releases of the project itself. */
const OF_RELEASES =
  /\b(?:since|introduced|regress\w*|bisect\w*|upgrad\w*|downgrad\w*|updat\w*|affect\w*|fix(?:ed|es)?|was fine|works? in|worked in|first bad|last good|broke\w*|release\w*|patched)\b/i;

const SENTENCE = /(?<=[.!?])\s+(?=[A-Z])/;

interface OwnVersion {
  readonly version: NamedVersion;
  /** Whether the project's name is next to it. */
  readonly isNamed: boolean;
  /** Whether what the text says of it leaves no other program: only then it may be called absent. */
  readonly isSaid: boolean;
  /** Number of its sentence. */
  readonly line: number;
}

/** `Elixir version`, `version of Go`: another program's, where it is not this project's. */
const VERSION_OF =
  /(?<![\w.+#-])([A-Za-z][\w.+#-]{0,40})(?:['’]s)?\W{1,3}versions?\b|\bversions? of ([A-Za-z][\w.+#-]{0,40})/gi;
/** `upgrading lodash from`: what follows are its versions. */
const UPGRADE_OF = /\b(?:upgrad|updat|downgrad|bump|install|migrat)\w{0,5}\s([\w@/.-]{2,60})\s(?:from|to|past)\b/gi;
const NO_PROGRAM =
  /^(?:the|this|that|which|what|a|an|any|all|our|your|my|its|in|of|and|or|latest|current|package|framework|library|lib|app|error|installed|affected|fixed|first|last|previous|new|newer|old|older|same|software|product|plugin|module|bug|release|stable|minimum|tested|since|from|with|on|using|version|versions|including|contains?|up|than|below|above|commit|tag|branch|or|to|is|was)$/i;

/** `isOwn`: whether a word in small letters is the name of this project or of a package of it. */
export function listOwnVersions(report: string, isOwn: (name: string) => boolean): readonly OwnVersion[] {
  const found = new Map<string, OwnVersion>();
  const sentences = markCode(report.split(/\r?\n/).slice(0, 2_000)).flatMap(({ text, kind }) =>
    kind === 'fence' || text.length > 1_000 ? [] : text.split(SENTENCE).map((part) => ({ text: part, kind })),
  );
  for (const [line, { text, kind }] of sentences.entries()) {
    const places = findVersionsIn(text).map(({ version }) => version);
    const isNamed = ({ of, foreign }: NamedVersion) => !foreign && of !== '' && isOwn(of);
    const isUnclaimed = (one: NamedVersion) =>
      !one.foreign && (isUnnamed(one) || !/[a-z]/.test(one.of) || NO_PROGRAM.test(one.of));
    const programs = [...text.matchAll(VERSION_OF), ...text.matchAll(UPGRADE_OF)].map(([, before, behind]) =>
      (before ?? behind ?? '').toLowerCase(),
    );
    const isMixed =
      programs.some((word) => !NO_PROGRAM.test(word) && !isOwn(word)) ||
      places.some((one) => !isNamed(one) && !isUnclaimed(one));
    for (const version of places) {
      const isClaimed = isNamed(version);
      if (!isClaimed && (isMixed || !isUnclaimed(version))) continue;
      const isSaid = isClaimed || (kind === 'prose' && (version.labelled || OF_RELEASES.test(text)));
      const known = found.get(version.version);
      if (known === undefined || (isSaid && !known.isSaid))
        found.set(version.version, { version, isNamed: isClaimed, isSaid, line });
    }
  }
  return [...found.values()].slice(0, MAX_VERSIONS);
}

/** Present ones, and those that are beyond all releases of their line, where the tags show that it is known. */
export async function checkVersions(
  { repository, ground, signal }: Lookups,
  report: string,
  ownNames: readonly string[],
): Promise<readonly FoundClaim[]> {
  const packages = ground.packages.map(({ name }) => name);
  const releases = repository.tags
    .map(readRelease)
    .filter((number) => number !== '')
    .toSorted(compareVersions);
  const own = new Set([...ownNames, ...packages.map((name) => name.toLowerCase())]);
  const versions = listOwnVersions(report, (name) => own.has(name) || hasMainFile(ground, name));
  const tags = new Set(repository.tags);
  const isThere = ({ version }: OwnVersion): boolean =>
    releases.some((each) => isSameRelease(each, version.version)) ||
    [...listSpellings(version, packages), ...ownNames.map((name) => `${name}-${version.version}`)].some((name) =>
      tags.has(name),
    );
  const there = versions.filter(isThere);
  const majors = new Set(there.map(({ version }) => getMajor(version.version)));
  const isOwnMajor = (major: string): boolean =>
    majors.has(major) ||
    ([...majors].some((known) => Number(known) > Number(major)) &&
      releases.filter((each) => getMajor(each) === major).length >= LEAST_RELEASES);
  const lines = new Set(there.map(({ line }) => line));
  const claims: FoundClaim[] = [];
  for (const one of versions) {
    const text = one.version.version;
    const claim = { text, kind: 'version' as const };
    // A number without a name is of this project only where another one in the report is a release of it, of the same
    // line or a later one.
    const isSure = one.isNamed || (one.isSaid && isOwnMajor(getMajor(text)));
    if (there.includes(one)) claims.push({ ...claim, state: 'exists', note: '' });
    else if (isSure) claims.push({ ...claim, ...judgeMissing(one, releases, lines) });
  }
  const isWritten = await findWritten({ repository, signal }, claims);
  return claims.map((claim) => (isWritten.has(claim.text) ? { ...claim, state: 'unchecked', note: '' } : claim));
}

/** `1.2` and `1.2.0` are one. */
function isSameRelease(one: string, other: string): boolean {
  return one === other || `${one}.0` === other || one === `${other}.0`;
}

function getMajor(version: string): string {
  return version.slice(0, version.indexOf('.'));
}

function judgeMissing(
  { version, isNamed, line }: OwnVersion,
  releases: readonly string[],
  sureLines: ReadonlySet<number>,
): Pick<FoundClaim, 'state' | 'note'> {
  const text = version.version;
  const unchecked = { state: 'unchecked' as const, note: '' };
  const newest = releases.at(-1);
  if (releases.length < LEAST_RELEASES || newest === undefined || !/^\d+(?:\.\d+)+$/.test(text)) return unchecked;
  const major = getMajor(text);
  const minor = text.split('.').slice(0, 2).join('.');
  const isBeyondAll = compareVersions(text, newest) > 0;
  for (const start of [minor, major]) {
    const same = releases.filter((each) => each === start || each.startsWith(`${start}.`));
    const last = same.at(-1);
    if (last === undefined || compareVersions(text, last) <= 0) {
      if (last !== undefined) return unchecked;
      continue;
    }
    const isKnown =
      start === minor || isNamed || sureLines.has(line) || (!isBeyondAll && same.length >= LEAST_RELEASES);
    if (!isKnown) return unchecked;
    const of = last === newest ? `newest ${newest}` : `the last of ${start} is ${last}`;
    return { state: 'absent', note: `no such release; ${of}` };
  }
  return unchecked;
}

/** Absent ones that a file of the newest commit has: a release without its tag. */
async function findWritten(
  { repository, signal }: Pick<Lookups, 'repository' | 'signal'>,
  claims: readonly FoundClaim[],
): Promise<ReadonlySet<string>> {
  const texts = claims.flatMap(({ state, text }) => (state === 'absent' ? [text] : []));
  const head = texts.length === 0 ? null : await repository.resolve('', signal);
  if (head === null) return new Set();
  const found = await Promise.all(
    texts.map(async (pattern) => {
      const query = { pattern, regex: false, word: true, ignoreCase: false, paths: [], limit: 20 };
      const { hits, cuts } = await repository.tree(head).search(query, signal);
      const isWritten = hits.some((hit) => hasNumber(hit.text, pattern));
      return isWritten || cuts.some(({ kind }) => kind !== 'large_files') ? [pattern] : [];
    }),
  );
  return new Set(found.flat());
}

/** `1.2.3` is not in `11.2.3` and `1.2.34`. */
function hasNumber(text: string, version: string): boolean {
  for (let at = text.indexOf(version); at !== -1; at = text.indexOf(version, at + 1)) {
    const isWhole = !/[\d.]$/.test(text.slice(Math.max(0, at - 1), at));
    if (isWhole && !/^[\w.]{0,20}\d/.test(text.slice(at + version.length, at + version.length + 21))) return true;
  }
  return false;
}

const COMMIT =
  /(?<word>\b(?:commits?|sha|rev(?:ision)?|bisect(?:ed)?(?: to)?|revert(?:ing|ed)?|in|by|since|with|from|at|to)\b\W{1,4}|`)?(?<![\w/.?=&-])(?<sha>[0-9a-f]{7,40})(?![\w/-]|\.\w)/gi;

/** Hexadecimal numbers that the text calls a commit, or that are long enough for nothing else. */
export function listNamedCommits(report: string): readonly string[] {
  const lines = markCode(report.split(/\r?\n/).slice(0, 2_000));
  const found = lines.flatMap(({ text, kind }) => {
    if (kind !== 'prose' || /\b(?:sha-?256|sha-?1sum|md5|digest|checksum|docker|image|uuid|0x)\b/i.test(text))
      return [];
    return [...text.slice(0, 2_000).matchAll(COMMIT)].flatMap(({ groups, index }) => {
      const sha = groups?.['sha'] ?? '';
      const isMixed = /\d/.test(sha) && /[a-f]/.test(sha);
      const isElsewhere = /https?:\S{0,300}$/.test(text.slice(0, index));
      return isMixed && sha.length !== 32 && !isElsewhere && (groups?.['word'] !== undefined || sha.length >= 12)
        ? [sha]
        : [];
    });
  });
  return [...new Set(found)].slice(0, MAX_COMMITS);
}

export async function checkNamedCommits(
  { repository, signal }: Lookups,
  report: string,
): Promise<readonly FoundClaim[]> {
  return await Promise.all(
    listNamedCommits(report).map(async (text): Promise<FoundClaim> => {
      const claim = { text, kind: 'commit' as const };
      if ((await repository.resolve(text, signal)) !== null) return { ...claim, state: 'exists', note: '' };
      // This includes commits of forks and of deleted branches.
      return repository.shallow
        ? { ...claim, state: 'unchecked', note: '' }
        : { ...claim, state: 'absent', note: 'no commit on a branch or tag here has this id' };
    }),
  );
}
