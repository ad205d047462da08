// Looks into the files of the first suspects: which functions, and so which lines, the report is likeliest about.
import type { Suspect } from '../../core/issue.ts';
import { queryOf } from '../localise/query.ts';
import { type ReadReport, reportTexts } from '../localise/report-texts.ts';
import { attempt, type Lookups, shortenSha } from '../lookups.ts';
import type { RankedSuspect } from '../rank-suspects.ts';
import { pickBestFunction, type RankedFunction, rankFunctions } from './rank-functions.ts';
import { type FunctionFile, markFrames } from './read-units.ts';

const FILES = 10;
/** Characters of one file, and of all: about a second on one core. What people write by hand is shorter. */
const MAX_FILE = 512 * 1_024;
const MAX_ALL = 2 * 1_024 * 1_024;
const TOLD = 10;

export interface SuspectFunctionsInput {
  readonly lookups: Lookups;
  readonly report: ReadReport;
  /** Best first; the first ten are looked into. */
  readonly suspects: readonly Suspect[];
  /** Whether the lines of the report's frames are those of this commit. */
  readonly linesHold: boolean;
}

/** At most 50, best first; one step says which, and what was left out for its length. A file that cannot be read has none. */
export async function findSuspectFunctions(input: SuspectFunctionsInput): Promise<readonly RankedFunction[]> {
  const { lookups, report, linesHold } = input;
  const { files, leftOut } = await readSuspects(lookups, input.suspects.slice(0, FILES));
  const frames = markFrames({ ...report, linesHold });
  const query = queryOf({ ...reportTexts(report), test: '' });
  const ranked = await rankFunctions({ report: report.report, query, frames, files }, lookups.signal);
  const found = ranked.slice(0, TOLD).map(describeFunctions);
  await lookups.notebook.record({
    action: `rank functions of the first ${files.length} suspects at ${shortenSha(lookups.tree.revision)}`,
    result: [...(found.length === 0 ? ['nothing found'] : found), ...leftOut].join('\n'),
    analysis: ranked[0] ? `\`${ranked[0].name}\` comes first.` : 'No function is known in these files.',
  });
  return ranked;
}

interface ReadSuspects {
  readonly files: readonly FunctionFile[];
  /** What is not looked at for its length, in words. */
  readonly leftOut: readonly string[];
}

async function readSuspects(lookups: Lookups, suspects: readonly Suspect[]): Promise<ReadSuspects> {
  const files: FunctionFile[] = [];
  const leftOut: string[] = [];
  let room = MAX_ALL;
  for (const suspect of suspects) {
    const file = room > 0 ? await readSuspect(lookups, suspect) : null;
    const text = file?.text.slice(0, Math.min(MAX_FILE, room)) ?? '';
    if (file !== null) files.push({ ...file, text });
    if (room === 0) leftOut.push(`left out: ${suspect.file}, for the files before it are long`);
    else if (file !== null && text.length < file.text.length) leftOut.push(cutWords(file, text));
    room -= text.length;
  }
  return { files, leftOut };
}

function cutWords({ path, text: whole }: FunctionFile, { length }: string): string {
  return `left out: what follows in ${path} after ${length} of ${whole.length} characters`;
}

async function readSuspect(lookups: Lookups, { file, score }: Suspect): Promise<FunctionFile | null> {
  const { tree, signal } = lookups;
  return attempt(lookups, `outline ${file}`, async () => {
    const read = await tree.read(file, {}, signal);
    return read.kind === 'text'
      ? { path: file, score, text: read.text, outline: await tree.outline(file, signal) }
      : null;
  });
}

function describeFunctions(
  { path, owner, name, line, lastLine, score, reasons }: RankedFunction,
  index: number,
): string {
  const whole = owner === '' ? name : `${owner}.${name}`;
  return `${index + 1}. ${whole} (${path}:${line}-${lastLine}, ${score.toFixed(2)}): ${reasons[0] ?? ''}`;
}

/**
 * The suspects with the function that ranks best in their file, and the line in it to look at first: their own where that lies in
 * the function. A frame or a named place knows better: its place stays, also where it names a function without a line.
 */
export function addFunctions(
  suspects: readonly RankedSuspect[],
  ranked: readonly RankedFunction[],
): readonly RankedSuspect[] {
  return suspects.map((suspect) => {
    const best = pickBestFunction(ranked, suspect.file);
    const isPlaced = suspect.isFramed || (suspect.evidence === 'firm' && suspect.line > 0);
    if (best === null || isPlaced) return suspect;
    const isInside = suspect.line >= best.line && suspect.line <= best.lastLine;
    const place = isInside ? {} : { line: best.place, lineFrom: '' as const };
    return { ...suspect, ...place, function: best.name };
  });
}
