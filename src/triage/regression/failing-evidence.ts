// What a failure itself names, of all that its report mentions: failed tests, the places and frames of its failing lines, its error.

import { type Cause, findCause } from '../../ci/find-cause.ts';
import { findPlaces } from '../../ci/places.ts';
import { type PlainLine, plainLines } from '../../ci/plain-lines.ts';
import { repositoryPath } from '../../ci/repository-path.ts';
import { findSteps } from '../../ci/steps.ts';
import type { MappedFrame } from '../candidates/from-frames.ts';
import { fileKind } from '../file-kind.ts';
import type { Trace } from '../frames/frame.ts';
import { type Ground, type Mapping, mapPath } from '../map-paths.ts';
import type { RangeEvidence } from './rank-commits.ts';

interface Told {
  readonly report: string;
  /** Its lines that begin so list commits: no part of the failure, whatever their subjects say. */
  readonly listed: readonly string[];
  readonly ground: Ground;
  readonly traces: readonly Trace[];
  /** Of each trace, innermost frames first. */
  readonly mapped: readonly (readonly MappedFrame[])[];
}

/** Runners of JavaScript head what a file printed with its name and how it went. */
const FILE_HEAD = /^\s{0,4}(PASS|FAIL) {1,3}([^\s>]{1,400}\.[cm]?[jt]sx?)(?=\s|$)/;
/** What ends the part of a file that passed. */
const PART_END = /^\s{0,4}(?:● |Summary of all failing tests|Test Suites?: |Tests?: |={3,} |##\[)/;
/** One test that passed, on one line. */
const PASSED =
  /^\s{0,40}(?:[✓✔√] |ok \d|--- PASS: |\[ {7}OK \])|::\S.{0,400} PASSED\b|^PASSED |\.\.\. ok$| > \S.{0,300} PASSED$/;

const MAX_SAID = 120;

/** Frames come first, the innermost of each trace before the others. Paths are of the repository where they could be mapped. Linear in the report; nothing in it makes this fail. */
export function failingEvidence({ report, listed, ground, ...told }: Told): Omit<RangeEvidence, 'suspects'> {
  const lines = withoutPassed(plainLines(report).filter(({ text }) => !listed.some((start) => text.startsWith(start))));
  const cause = fromFirstVerdict(findCause(lines, findSteps(lines)));
  const headed = cause.telling.flatMap(({ at }) => FILE_HEAD.exec(lines[at]?.text ?? '')?.[2] ?? []);
  const places = findPlaces(lines, cause).map(({ path }) => path);
  const tests = [...cause.tests.map(({ path }) => path), ...headed].flatMap((path) => repositoryPath(path) ?? []);
  const framed = told.traces.flatMap((trace, at) =>
    isTold(trace, lines, cause) ? framesOf(told.mapped[at] ?? []) : [],
  );
  const named = [...framed, ...[...places, ...tests].map((path) => ownPath(mapPath(ground, path)) ?? path)];
  return {
    places: distinct(named.filter((path) => fileKind(path) !== 'test')),
    tests: distinct(named.filter((path) => fileKind(path) === 'test')),
    headline: lines[cause.message]?.text ?? '',
  };
}

/** What passed says nothing of the failure, though it stands among its lines: those are emptied, so that all keep their order. */
function withoutPassed(lines: readonly PlainLine[]): readonly PlainLine[] {
  let isPassing = false;
  return lines.map((line) => {
    const head = FILE_HEAD.exec(line.text)?.[1];
    if (head !== undefined) isPassing = head === 'PASS';
    else if (PART_END.test(line.text) || line.mark !== '') isPassing = false;
    return isPassing || PASSED.test(line.text) ? { ...line, text: '' } : line;
  });
}

/** A summary at the end says most, but what it sums up, with its places, stands before it. */
function fromFirstVerdict(cause: Cause): Cause {
  const first = cause.telling.find(({ kind }) => kind === 'verdict')?.at ?? cause.headline;
  return { ...cause, headline: Math.min(first, cause.headline) };
}

/** Whether its error is one of those that the check failed with: programs print traces of errors that they get over. */
function isTold({ errorType, message }: Trace, lines: readonly PlainLine[], { telling, headline }: Cause): boolean {
  const said = (message.split('\n', 1)[0] ?? '').slice(0, MAX_SAID).trim();
  const head = [errorType, said].filter((part) => part !== '').join(': ');
  if (head === '') return false;
  return telling.some(({ at, kind }) => {
    const text = lines[at]?.text.trimEnd() ?? '';
    const start = kind === 'weak' || kind === 'end' || at < headline ? -1 : text.indexOf(head);
    // `TypeError: x` is no `Error: x`, and `TypeError: x` no `TypeError`.
    return start >= 0 && !/[\w$.]/.test(text.charAt(start - 1)) && (said !== '' || text.endsWith(head));
  });
}

function framesOf(frames: readonly MappedFrame[]): readonly string[] {
  return frames.flatMap(({ mapping }) => ownPath(mapping) ?? []);
}

/** Null: not known. A bare name that agrees with a file's may be that of another program's file. */
function ownPath(mapping: Mapping): string | null {
  return mapping.kind === 'own' && (mapping.certain || mapping.compiled) ? mapping.path : null;
}

function distinct(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)];
}
