// Ranks the commits since a check was green by what each touches, tells it as a step, and names the one that stands out.
import type { CommitRange, LikeliestCommit } from '../../core/failure.ts';
import type { Suspect } from '../../core/issue.ts';
import type { MappedFrame } from '../candidates/from-frames.ts';
import { counted } from '../counted.ts';
import type { Trace } from '../frames/frame.ts';
import { attempt, type Lookups, shortSha } from '../lookups.ts';
import { failingEvidence } from './failing-evidence.ts';
import { likeliest, type RangeCommit, type RangeEvidence, type RankedCommit, rankCommits } from './rank-commits.ts';

interface Known {
  readonly report: string;
  /** Never read from the report: a log could list commits there as well. */
  readonly range: CommitRange;
  /** Its stack traces, and of each the frames, innermost first. */
  readonly traces: readonly Trace[];
  readonly mapped: readonly (readonly MappedFrame[])[];
  /** Best first. */
  readonly suspects: readonly Suspect[];
}

const SHOWN = 8;

/**
 * Null: none stands out, or not all of them could be ranked, so that the culprit may be one that was not; also where there are fewer than
 * two, or git knows none of them, and there is no step.
 */
export async function rankRange(lookups: Lookups, known: Known): Promise<LikeliestCommit | null> {
  const { commits: listed, total } = known.range;
  if (listed.length === 0 || total < 2) return null;
  const touched = await attempt(lookups, actionOf(listed.length, total), () => pathsOf(lookups, listed));
  if (touched === null || touched.size === 0) return null;
  const commits: readonly RangeCommit[] = listed.flatMap(({ sha, subject }) => {
    const paths = touched.get(sha);
    return paths === undefined ? [] : [{ sha, subject, paths }];
  });
  const ranked = rankCommits(commits, evidenceOf(lookups, known));
  const left = total - commits.length;
  const first = left > 0 ? null : likeliest(ranked);
  const reason = first?.reasons[0] ?? '';
  const analysis = left > 0 ? unranked(left, total) : meaning(first, reason);
  await lookups.notebook.record({ action: actionOf(commits.length, total), result: shown(ranked, commits), analysis });
  return first === null ? null : { sha: first.sha, reason };
}

function actionOf(ranked: number, total: number): string {
  const which = ranked < total ? `${ranked.toLocaleString('en')} of the` : 'the';
  return `rank ${which} ${counted(total, 'commit')} since the check was green, by what they touch`;
}

function evidenceOf({ ground }: Lookups, { suspects, range, ...told }: Known): RangeEvidence {
  const listed = range.commits.map(({ sha }) => `- ${sha} `);
  return { ...failingEvidence({ ...told, listed, ground }), suspects: suspects.map(({ file }) => file) };
}

async function pathsOf(
  { tree, signal }: Lookups,
  listed: readonly { readonly sha: string }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  const ids = listed.map(({ sha }) => sha);
  for await (const messages of tree.messages(ids, signal)) for (const { sha, paths } of messages) found.set(sha, paths);
  return found;
}

function shown(ranked: readonly RankedCommit[], commits: readonly RangeCommit[]): string {
  const subjects = new Map(commits.map(({ sha, subject }) => [sha, subject]));
  const lines = ranked
    .filter(({ reasons }) => reasons.length > 0)
    .slice(0, SHOWN)
    .map(({ sha, reasons }) => `${shortSha(sha)} ${subjects.get(sha) ?? ''}: ${reasons.join('; ')}`);
  return lines.length === 0 ? 'none of them touches what the failure names' : lines.join('\n');
}

function unranked(left: number, total: number): string {
  return `No commit is named: ${left.toLocaleString('en')} of the ${counted(total, 'commit')} could not be ranked, and may have turned the check red.`;
}

function meaning(first: RankedCommit | null, reason: string): string {
  if (first !== null) return `${shortSha(first.sha)} is the likeliest to have turned the check red: it ${reason}.`;
  return 'No commit stands out: any of them may have turned the check red.';
}
