// Suspects in other repositories that may be read: where a stack frame, an error message or a quoted line leads there.

import type { Repository } from 'causeway-git-objects';
import { formatCounted } from '../core/counted.ts';
import { nameContextFile } from '../core/issue/index.ts';
import { createFrameClues, findMessageClues, findQuotedClues, isFirm, type MappedFrame } from './clues.ts';
import { type Examined, examinePlace } from './examine.ts';
import { type Lookups, type Notebook, shortenSha } from './lookups.ts';
import { readOwnPackages } from './own-packages.ts';
import { cleanPath, createPathIndex, type Ground, mapFrame } from './paths.ts';
import { placeSuspects, preventRise, rankSuspects } from './rank-suspects.ts';
import type { RankedSuspect } from './ranked.ts';
import type { Signals } from './signals.ts';
import { fitFrames } from './traces/fit-frames.ts';
import type { Frame } from './traces/frame.ts';

export interface OtherSource {
  /** `owner/name`. */
  readonly repository: string;
  /** Full sha. */
  readonly revision: string;
  /** Folder of the submodule; "" for others. */
  readonly path: string;
  readonly source: Repository;
}

/** A suspect of another repository; `file` is `owner/name:path`. */
export interface OtherSuspect extends RankedSuspect {
  /** Whether it comes before every suspect of the project. */
  readonly leads: boolean;
  /** Where it is looked up: its repository, and its path there. */
  readonly at: { readonly repository: string; readonly lookups: Lookups; readonly path: string };
}

interface TraceInput {
  readonly signals: Signals;
  /** By the project itself. */
  readonly mapped: readonly (readonly MappedFrame[])[];
}

/** Of one repository. Words alone lead to no suspect there: it is not what the report is about. */
const MOST_OF_ONE = 3;
const LEAST_SCORE = 0.2;

/** Best first of each repository. */
export async function findOtherSuspects(
  lookups: Lookups,
  input: TraceInput,
  others: readonly OtherSource[],
): Promise<readonly OtherSuspect[]> {
  const found: OtherSuspect[] = [];
  for (const other of others) found.push(...(await findInOne(lookups, input, other)));
  return found;
}

async function findInOne(lookups: Lookups, input: TraceInput, other: OtherSource): Promise<readonly OtherSuspect[]> {
  const { signals } = input;
  const own = await openOther(lookups, other);
  const mapped = mapOutsideFrames(own.ground, input, other);
  await recordFrames(own, mapped);
  const fitted = await fitFrames(own, mapped);
  const clues = [
    ...createFrameClues(signals.traces, fitted.mapped, other.repository),
    ...(await findMessageClues(own, signals)),
    ...(await findQuotedClues(own, signals.quoted)),
  ].filter(isFirm);
  const ranked = rankSuspects(clues, []).filter(({ score }) => score >= LEAST_SCORE);
  const { suspects } = await placeSuspects(own, ranked.slice(0, MOST_OF_ONE), new Set());
  const isInner = isInnermost(input.mapped, mapped);
  return suspects.map((suspect, index) => ({
    ...suspect,
    file: nameContextFile(other.repository, suspect.file),
    leads: index === 0 && suspect.isFramed && isInner,
    at: { repository: other.repository, lookups: own, path: suspect.file },
  }));
}

async function openOther({ notebook, signal }: Lookups, other: OtherSource): Promise<Lookups> {
  const tree = other.source.tree(other.revision);
  const index = createPathIndex(await tree.files(signal));
  const packages = await readOwnPackages(tree, index, signal);
  return {
    repository: other.source,
    tree,
    ground: { index, packages },
    signal,
    notebook: nameRepository(notebook, other.repository),
  };
}

/** Each step says in which repository it was taken. */
function nameRepository(notebook: Notebook, repository: string): Notebook {
  return {
    get steps() {
      return notebook.steps;
    },
    record: (step) => notebook.record({ ...step, repository, action: `${repository}: ${step.action}` }),
  };
}

/** Frames that lie outside of the project, mapped to files of the other repository; all others as unknown. */
function mapOutsideFrames(
  ground: Ground,
  { mapped }: Pick<TraceInput, 'mapped'>,
  { repository, path }: OtherSource,
): readonly (readonly MappedFrame[])[] {
  const names = [repository, ...ground.packages.map(({ name }) => name)].map(
    (name) => name.toLowerCase().split('/').at(-1) ?? '',
  );
  const mapOne = ({ frame, mapping: { kind } }: MappedFrame): MappedFrame => {
    const inside = path === '' ? null : findInside(frame, path);
    const isOutside = kind === 'dependency' || (kind === 'unknown' && (inside !== null || isFrameNamed(frame, names)));
    const mapping = isOutside ? mapFrame(ground, inside ?? frame) : null;
    const isSure = mapping?.kind === 'own' && (mapping.certain || mapping.compiled);
    return { frame, mapping: isSure ? mapping : { kind: 'unknown' } };
  };
  return mapped.map((frames) => frames.map(mapOne));
}

/** The frame by its path in the submodule; null: it is not in its folder. */
function findInside(frame: Frame, folder: string): Frame | null {
  const [, inside] = `/${cleanPath(frame.file)}`.split(`/${folder}/`);
  return inside === undefined ? null : { ...frame, file: inside };
}

/** A path that only looks alike may be of the project at another version; a class or module names its package. */
function isFrameNamed({ file, symbol }: Frame, names: readonly string[]): boolean {
  const parts = cleanPath(file).toLowerCase().split('/');
  return symbol !== '' || names.some((name) => parts.some((part) => part === name || part.startsWith(`${name}@`)));
}

async function recordFrames({ notebook, tree }: Lookups, mapped: readonly (readonly MappedFrame[])[]): Promise<void> {
  const own = mapped.flat().flatMap(({ frame, mapping }) => (mapping.kind === 'own' ? [{ frame, mapping }] : []));
  if (own.length === 0) return;
  const lines = own.map(({ frame, mapping }) => {
    const place = `${frame.file || frame.symbol}${frame.line > 0 ? `:${frame.line}` : ''}`;
    return `${frame.function === '' ? place : `${frame.function} (${place})`} → ${mapping.path}`;
  });
  await notebook.record({
    action: `map stack frames to files at ${shortenSha(tree.revision)}`,
    result: lines.slice(0, 20).join('\n'),
    analysis: `${formatCounted(own.length, 'stack frame')} of the report ${own.length === 1 ? 'is' : 'are'} in this repository.`,
  });
}

/** Whether the trace reached the other repository after it left the project: the innermost frame says where it broke. */
function isInnermost(
  project: readonly (readonly MappedFrame[])[],
  other: readonly (readonly MappedFrame[])[],
): boolean {
  const isOwn = ({ mapping: { kind } }: MappedFrame) => kind === 'own' || kind === 'ambiguous';
  return other.some((frames, at) => {
    const first = frames.findIndex(isOwn);
    const before = (project[at] ?? []).findIndex(isOwn);
    return first !== -1 && (before === -1 || first < before);
  });
}

const MOST_SHOWN = 8;

/**
 * The suspects of the project with those of other repositories among them: first what leads, or has the error message
 * where nothing as firm is in the project; then by score.
 */
export function mergeSuspects<T extends RankedSuspect>(
  own: readonly T[],
  others: readonly OtherSuspect[],
): readonly (T | OtherSuspect)[] {
  if (others.length === 0) return own;
  const isFirst = ({ leads }: OtherSuspect) => leads || own[0]?.evidence !== 'firm';
  const first = others.filter(isFirst);
  const rest = [...own, ...others.filter((other) => !isFirst(other))].sort((a, b) => b.score - a.score);
  return preventRise([...first.toSorted((a, b) => b.score - a.score), ...rest].slice(0, MOST_SHOWN));
}

export async function examineOther(
  suspect: OtherSuspect,
  notebook: Notebook,
  input: Pick<Parameters<typeof examinePlace>[1], 'names' | 'report' | 'isDoubtful'>,
): Promise<Examined> {
  const { repository, lookups, path } = suspect.at;
  const place = { ...suspect, file: path };
  const own = { ...lookups, notebook: nameRepository(notebook, repository) };
  const examined = await examinePlace(own, { ...input, suspect: place, others: [], functions: [] });
  return { ...examined, suspect };
}
