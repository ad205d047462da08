// Which of the commits since a check was green is likeliest to have turned it red: by what each touches, and what the failure names.
import { ordinal } from '../ordinal.ts';

/** One of them. */
export interface RangeCommit {
  readonly sha: string;
  readonly subject: string;
  /** What it changed, added or deleted; a renamed file under both names. */
  readonly paths: readonly string[];
}

/** What is known of the failure. Paths are of the repository, the most telling first. */
export interface RangeEvidence {
  /** Files that the failing lines name: never one that is merely mentioned, for whoever touched that would be blamed. */
  readonly places: readonly string[];
  /** Those of the failed tests, likewise. */
  readonly tests: readonly string[];
  /** Files that were ranked for it, the best first. */
  readonly suspects: readonly string[];
  /** Its first error line. */
  readonly headline: string;
}

export interface RankedCommit {
  readonly sha: string;
  readonly score: number;
  /** In words, the most telling first; empty: nothing ties it to the failure. */
  readonly reasons: readonly string[];
}

/** Of a commit that touches everything each file says less. */
const WIDE = 12;
const MOST_REASONS = 3;
/** Suspects are ranked by all that a report mentions: five of them and a word, 1.4 together, stay below {@link LEAST}. */
const WEIGHTS = { place: 4, test: 2.5, settings: 2, suspect: 0.9, beside: 1, word: 0.75 } as const;
/** Only the first ones: after them all files of the repository follow. */
const MOST_SUSPECTS = 5;
/** The first stands out where it has as much more than the second. */
const AHEAD = 1.5;
/** Less than a file that was named is no reason to name a person's commit. */
const LEAST = 2;
const SETTINGS =
  /(?:^|\/)(?:package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|requirements[\w.-]*\.txt|poetry\.lock|go\.(?:mod|sum)|Cargo\.(?:toml|lock)|pom\.xml|build\.gradle(?:\.kts)?|Gemfile(?:\.lock)?|composer\.(?:json|lock)|Dockerfile)$/;
const DEPENDENCY =
  /cannot find (?:module|package|symbol)|no module named|module not found|unresolved import|package .{1,80} (?:not found|does not exist)|ModuleNotFoundError|ERESOLVE|version conflict/i;

interface Tie {
  readonly weight: number;
  readonly reason: string;
}

/** The likeliest first; equal ones stay in their order. */
export function rankCommits(commits: readonly RangeCommit[], evidence: RangeEvidence): readonly RankedCommit[] {
  return commits
    .map(({ sha, subject, paths }): RankedCommit => {
      const ties = [...pathTies(paths, evidence), ...subjectTies(subject, evidence)].sort(
        (a, b) => b.weight - a.weight,
      );
      const width = Math.min(1, Math.sqrt(WIDE / Math.max(1, paths.length)));
      // Ties of one commit repeat each other: each further one counts for half of the one before.
      const sum = ties.reduce((all, { weight }, at) => all + weight / 2 ** at, 0);
      return { sha, score: sum * width, reasons: ties.slice(0, MOST_REASONS).map(({ reason }) => reason) };
    })
    .toSorted((a, b) => b.score - a.score);
}

/** The first, where it stands out from the others; null: any of them may be it. */
export function likeliest(ranked: readonly RankedCommit[]): RankedCommit | null {
  const [first, second] = ranked;
  if (first === undefined || first.score < LEAST) return null;
  return second === undefined || first.score >= AHEAD * second.score ? first : null;
}

function pathTies(paths: readonly string[], { places, tests, suspects, headline }: RangeEvidence): readonly Tie[] {
  const named = [
    ...tied(paths, places, (at) => ({
      weight: WEIGHTS.place / Math.sqrt(at + 1),
      reason: 'which the failing lines name',
    })),
    ...tied(paths, tests, () => ({ weight: WEIGHTS.test, reason: 'in which a test failed' })),
  ];
  const ranked = tied(paths, suspects.slice(0, MOST_SUSPECTS), (at) => ({
    weight: WEIGHTS.suspect / (at + 1),
    reason: `which ranks ${ordinal(at + 1)} among the suspects`,
  }));
  return [...(named.length > 0 ? named : nearTies(paths, { places, headline })), ...ranked];
}

/** Of a commit that touches nothing that the failure names. */
function nearTies(
  paths: readonly string[],
  { places, headline }: Pick<RangeEvidence, 'places' | 'headline'>,
): readonly Tie[] {
  const settings = DEPENDENCY.test(headline) ? paths.filter((path) => SETTINGS.test(path)) : [];
  const beside = paths.find(
    (path) => folderOf(path) !== '' && places.some((place) => folderOf(place) === folderOf(path)),
  );
  return [
    ...settings
      .slice(0, 1)
      .map((path) => ({ weight: WEIGHTS.settings, reason: `changes ${path}, and something is not found` })),
    ...(beside === undefined
      ? []
      : [{ weight: WEIGHTS.beside, reason: `touches ${beside}, beside what the failing lines name` }]),
  ];
}

/** Each path counts once, by the first of `wanted` that it is. */
function tied(paths: readonly string[], wanted: readonly string[], tie: (at: number) => Tie): readonly Tie[] {
  return [...new Set(wanted)].flatMap((want, at) => {
    const path = paths.find((one) => isSame(one, want));
    if (path === undefined) return [];
    const { weight, reason } = tie(at);
    return [{ weight, reason: `touches ${path}, ${reason}` }];
  });
}

/** Logs name files by the end of their path or with folders in front; a bare file name could be any of its name. */
function isSame(path: string, named: string): boolean {
  if (path === named) return true;
  return (named.includes('/') && path.endsWith(`/${named}`)) || (path.includes('/') && named.endsWith(`/${path}`));
}

function subjectTies(subject: string, { headline, tests }: RangeEvidence): readonly Tie[] {
  const names = new Set(
    [headline, ...tests].flatMap((text) => text.match(/[A-Za-z_$][\w$]{5,60}/g) ?? []).filter(isName),
  );
  const word = (subject.match(/[A-Za-z_$][\w$]{5,60}/g) ?? []).find((one) => names.has(one));
  return word === undefined ? [] : [{ weight: WEIGHTS.word, reason: `its subject names ${word}, as the failure does` }];
}

/** Of code, not of a sentence: `applyCoupon`, `apply_coupon`, `CouponTest`. */
function isName(word: string): boolean {
  return /[a-z\d][A-Z]|\w_\w|\$/.test(word);
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
