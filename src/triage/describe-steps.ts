// The steps that are not lookups, in words: reading the report, choosing the commit, mapping frames, ranking.

import type { ReadLog } from 'causeway-ci-log';
import { formatCounted } from '../core/counted.ts';
import { isReliable } from '../core/issue/index.ts';
import { countImages, formatLogResult, type InvestigationStep, type SourcedStep } from '../core/report/index.ts';
import { nameBranch } from '../core/source/index.ts';
import type { MappedFrame } from './clues.ts';
import { joinReasons, shortenSha } from './lookups.ts';
import type { RankedSuspect } from './ranked.ts';
import { formatError } from './report-errors.ts';
import type { AskedCommit, Revisions } from './resolve-revision.ts';
import { isSilent, type Signals } from './signals.ts';
import type { Trace } from './traces/find-traces.ts';
import type { Frame } from './traces/frame.ts';

const MAX_SHOWN_FRAMES = 30;

/** Of a log that has no name it is clear which one it is. */
export function describeLog({ name, lines, excerpt }: ReadLog): SourcedStep {
  const { step, headline, tests, cut } = excerpt;
  const shown = [...excerpt.lines, ...(cut === '' ? [] : [`[${cut}]`])];
  const where = step === '' ? '' : ` in the step "${step}"`;
  const count = tests.length === 0 ? '' : ` ${formatCounted(tests.length, 'failed test')} named.`;
  return {
    source: 'log',
    lookup: 'log',
    action: `read the log${name === '' ? '' : ` ${JSON.stringify(name)}`} (${formatCounted(lines, 'line')})`,
    result: formatLogResult({ lines: shown, tests }),
    analysis: `The first error${where}: ${headline}${/[.!?]$/.test(headline) ? '' : '.'}${count}`,
  };
}

export function describeSignals(signals: Signals, report: string): SourcedStep {
  const frames = signals.traces.reduce((sum, trace) => sum + trace.frames.length, 0);
  const { errors } = signals;
  const found = [
    formatNamedItems(
      'stack traces',
      signals.traces.map((trace) => `${trace.language}, ${formatCounted(trace.frames.length, 'frame')}`),
    ),
    formatNamedItems('errors', errors.filter(({ from }) => from !== 'quote').map(formatError)),
    formatNamedItems('quoted', errors.filter(({ from }) => from === 'quote').map(formatError)),
    formatNamedItems(
      'places',
      signals.places.map(({ file, line }) => `${file}:${line}`),
    ),
    formatNamedItems('paths', signals.paths),
    formatNamedItems(
      'names',
      signals.identifiers.map(({ name }) => name),
    ),
    formatNamedItems('commands', signals.commands),
    formatNamedItems(
      'versions',
      signals.versions.map(({ of, version }) => `${of} ${version}`.trim()),
    ),
    formatNamedItems('commit ids', signals.shas),
    describeImages(report),
  ].filter((line) => line !== '');
  return {
    source: 'report',
    lookup: 'signals',
    action: 'read the report',
    result: found.length === 0 ? 'nothing found' : found.join('\n'),
    analysis: explainSignals(signals, frames),
  };
}

function describeImages(report: string): string {
  const { images } = countImages(report);
  return images === 0 ? '' : `${formatCounted(images, 'image')}, which cannot be read`;
}

function explainSignals(signals: Signals, frames: number): string {
  if (frames === 1) return 'Found 1 stack frame.';
  if (frames > 0) return `Found ${frames} stack frames.`;
  if (signals.places.length > 0) return 'Found places in files; they come first.';
  if (isSilent(signals)) return 'Found nothing to look up.';
  return 'No stack trace; going by names, paths and messages.';
}

export function describeRevision(revisions: Revisions, signals: Signals, head: AskedCommit): InvestigationStep {
  const hasPlaces = signals.traces.length + signals.places.length > 0;
  const { asked, askedName, frames, framesName, tried } = revisions;
  const lines = [`${askedName}: ${asked}${describeAskedCommit(head)}`];
  if (framesName !== '') lines.push(`${framesName} (mentioned in the report): ${frames}`);
  else if (tried.length > 0)
    lines.push(`mentioned in the report, but unknown here or the same commit: ${tried.slice(0, 8).join(', ')}`);
  return {
    action: `resolve ${[askedName, ...(framesName === '' ? [] : [framesName])].join(', ')}`,
    result: lines.join('\n'),
    analysis:
      framesName === '' || !hasPlaces
        ? `Reading the source at ${shortenSha(asked)}.`
        : `Reading ${nameWhatIsRead(signals).toLowerCase()} at ${framesName}, which the report names; everything else at ${shortenSha(asked)}.`,
  };
}

/** What a report has lines of: frames, or else only places such as `src/cart.ts:33`. */
export function nameWhatIsRead({ traces }: Pick<Signals, 'traces'>): string {
  return traces.length > 0 ? 'Stack frames' : 'Places in files';
}

function describeAskedCommit({ date, branch, place }: AskedCommit): string {
  const day = date === '' ? '' : `, of ${date}`;
  switch (place.kind) {
    case 'unknown':
      return day;
    case 'tip':
      return `${day}: ${branch === '' ? nameBranch({ defaultBranch: branch }) : `the newest commit of ${branch}`}`;
    case 'apart': {
      const { ahead, behind } = place;
      const parts = [
        ...(ahead > 0 ? [`${formatCounted(ahead, 'commit')} ahead of`] : []),
        ...(behind > 0 ? [`${formatCounted(behind, 'commit')} behind`] : []),
      ];
      return `${day}: ${parts.join(' and ')} ${nameBranch({ defaultBranch: branch })}`;
    }
  }
}

export function describeFrames(
  traces: readonly Trace[],
  mapped: readonly (readonly MappedFrame[])[],
  revisions: Revisions,
): InvestigationStep {
  const lines = mapped.flatMap((frames, index) => [formatTrace(traces[index]), ...frames.map(formatMappedFrame)]);
  const own = mapped.flat().filter(({ mapping }) => mapping.kind === 'own' || mapping.kind === 'ambiguous').length;
  const all = mapped.flat().length;
  const shown = lines.slice(0, MAX_SHOWN_FRAMES);
  if (lines.length > shown.length) shown.push(`… ${lines.length - shown.length} more lines not shown`);
  return {
    action: `map ${formatCounted(all, 'stack frame')} to files at ${revisions.framesName || shortenSha(revisions.frames)}`,
    result: shown.join('\n'),
    analysis: own === 0 ? 'None of the frames is in this repository.' : explainOwnFrames(own, all),
  };
}

function explainOwnFrames(own: number, all: number): string {
  if (all === 1) return 'The frame is in this repository.';
  return own === 1 ? `1 of ${all} frames is in this repository.` : `${own} of ${all} frames are in this repository.`;
}

function formatTrace(trace: Trace | undefined): string {
  const error = [trace?.errorType ?? '', trace?.message ?? ''].filter((part) => part !== '').join(': ');
  return error === '' ? 'trace without a message' : error.slice(0, 200);
}

function formatMappedFrame({ frame, mapping }: MappedFrame): string {
  const name = formatWritten(frame);
  switch (mapping.kind) {
    case 'own':
      return `  ${name} → ${mapping.path}${mapping.compiled ? ' (compiled; line not known)' : ''}`;
    case 'ambiguous':
      return `  ${name} → one of ${mapping.paths.join(', ')}`;
    case 'dependency':
      return `  ${name}: dependency ${mapping.of}`;
    case 'runtime':
      return `  ${name}: runtime`;
    case 'unknown':
      return `  ${name}: not in this repository`;
  }
}

function formatWritten({ file, line, symbol, function: name }: Frame): string {
  const place = file === '' ? symbol : `${file}${line > 0 ? `:${line}` : ''}`;
  return name === '' ? place : `${name} (${place})`;
}

interface RankingMade {
  /** How many files were ranked. */
  readonly ranked: number;
  readonly revision: string;
  /** The dependencies that all stack frames lie in; empty where not all do. */
  readonly outside: readonly string[];
}

/** `shown` are worth showing. */
export function describeSuspects(
  shown: readonly RankedSuspect[],
  { ranked, revision, outside }: RankingMade,
): SourcedStep {
  const lines = shown.map(({ file, line, function: name, score, reasons }, index) =>
    joinReasons(
      `${index + 1}. ${file}${line > 0 ? `:${line}` : ''}${name === '' ? '' : ` ${name}`} (${score.toFixed(2)})`,
      reasons,
    ),
  );
  return {
    lookup: 'rank_suspects',
    action: `rank suspects at ${shortenSha(revision)}`,
    result: lines.length === 0 ? 'nothing found' : lines.join('\n'),
    analysis: [describeOutside(outside), lines.length === 0 ? explainNoSuspect(ranked) : explainRanking(shown)]
      .filter((sentence) => sentence !== '')
      .join(' '),
  };
}

function describeOutside(outside: readonly string[]): string {
  if (outside.length === 0) return '';
  const noun = outside.length === 1 ? 'dependency' : 'dependencies';
  return `All stack frames are in the ${noun} ${outside.slice(0, 3).join(', ')}: the cause may be there, or in how it is called.`;
}

function explainNoSuspect(ranked: number): string {
  return ranked === 0
    ? 'No reliable suspect: nothing in the report points into this repository.'
    : `No reliable suspect: ${formatCounted(ranked, 'file')} ${ranked === 1 ? 'shares' : 'share'} only a few words with the report.`;
}

function explainRanking([first, second]: readonly RankedSuspect[]): string {
  if (!isReliable(first)) return 'No reliable suspect: the best matches share only words and names with the report.';
  if (first?.isFramed && second?.isFramed) return 'The stack trace leads to the first one.';
  if (first?.isNamed) return second?.isNamed ? 'The report names the first ones.' : 'The report names the first one.';
  const isClose = first && second && first.score - second.score < 0.05;
  return isClose ? 'The first suspects score about the same; no single file stands out.' : 'One file stands out.';
}

function formatNamedItems(name: string, items: readonly string[]): string {
  if (items.length === 0) return '';
  // "Expected values to be equal:" goes on in lines that are not listed.
  const shown = items.slice(0, 10).map((item) => item.slice(0, 160).replace(/(?<![\s:;,])[\s:;,]+$/, ''));
  return `${name}: ${shown.join('; ')}${items.length > shown.length ? `; … ${items.length - shown.length} more` : ''}`;
}
