// What a red check says by itself: its log, its annotations and its own words cut to the cause.
import type { Excerpt } from '../core/head.ts';
import {
  causeFingerprint,
  faultFingerprint,
  nameFingerprint,
  ownWordsFingerprint,
  withoutVariables,
  wordsFingerprint,
} from './cause-fingerprint.ts';
import { cutExcerpt, headlineText } from './cut-excerpt.ts';
import type { CheckTexts, InfrastructureFault, Place, ReadCheck } from './evidence.ts';
import { type Cause, ERROR, findCause, rankOf } from './find-cause.ts';
import { findFault } from './infrastructure.ts';
import { TIME_OUT } from './infrastructure-signs.ts';
import { readOwnWords, saidExcerpt } from './own-words.ts';
import { type PassingLog, readPassing } from './passing-log.ts';
import { findPlaces } from './places.ts';
import { type PlainLine, plainLines } from './plain-lines.ts';
import { repositoryPath } from './repository-path.ts';
import { findSteps } from './steps.ts';

interface Text {
  readonly lines: readonly PlainLine[];
  readonly cause: Cause;
  readonly fault: InfrastructureFault | null;
  /** Whether these are the check's own words. */
  readonly isOwn: boolean;
}

/** Ranks, see {@link rankOf}. */
const VERDICT = 4;
const WEAK = 1;

const SAYS_NOTHING =
  /^(?:Process completed with exit code \d+\.?|The (?:job|run) was canceled.{0,200}|The operation was canceled\.?)$/;

/** Reads in linear time; nothing in the texts makes it fail. */
export function readCheck(texts: CheckTexts): ReadCheck {
  const told = toldBy(texts.annotations);
  const noted = readText(told.map(annotationLine).join('\n'));
  const own = () => withFault(readOwnWords(texts.output), true);
  const text = besidesNoted(mostTelling([() => readText(texts.log), () => noted, own]), noted);
  const { lines, cause, fault } = text;
  const shown = comparedText(text, texts.passing ?? '');
  const excerpt = (rankOf(cause) < WEAK ? saidExcerpt(texts) : null) ?? excerptOf(shown, told);
  // That time ran out says nothing of what took it.
  const isTimeOut = fault === null && excerpt.tests.length === 0 && TIME_OUT.test(excerpt.headline);
  const print = isTimeOut ? null : tellingPrint(texts.name, text, told);
  return {
    excerpt,
    places: distinctPlaces([...annotated(told), ...findPlaces(lines, shown.cause), ...testPlaces(cause)]),
    infrastructure: fault,
    fingerprint: print ?? nameFingerprint(isTimeOut ? `${texts.name}: out of time` : texts.name),
    isTelling: print !== null,
  };
}

function tellingPrint(name: string, { lines, cause, fault, isOwn }: Text, told: readonly Place[]): string | null {
  if (fault) return faultFingerprint(fault.what);
  const print = causeFingerprint(lines, cause);
  if (print === null) return wordsFingerprint(told.map(({ message }) => withoutVariables(message)));
  const isVerdict = cause.tests.length > 0 || rankOf(cause) >= VERDICT;
  return isOwn && !isVerdict ? ownWordsFingerprint(name, print) : print;
}

/** Warnings did not make it red; that a process ended is GitHub's own annotation on each step that failed. */
function toldBy(annotations: CheckTexts['annotations']): readonly Place[] {
  return annotations
    .filter(({ level, message }) => level === 'failure' && message !== '' && !SAYS_NOTHING.test(message))
    .map(({ path, line, message }) => ({ path, line, message }));
}

/** A runner that dies has its log cut anywhere: what GitHub notes of its end counts, unless the log has the verdict of a tool. */
function besidesNoted(text: Text, noted: Text): Text {
  return text.fault === null && noted.fault !== null && rankOf(text.cause) < VERDICT ? noted : text;
}

/** A text is asked only where those before it told nothing but that it failed. */
function mostTelling(readers: readonly (() => Text)[]): Text {
  let best: Text | null = null;
  for (const read of readers) {
    const text = read();
    if (!best || rankOf(text.cause) > rankOf(best.cause)) best = text;
    if (rankOf(best.cause) >= ERROR) break;
  }
  return best ?? readText('');
}

function readText(text: string): Text {
  const lines = text === '' ? [] : plainLines(text);
  return withFault({ lines, cause: findCause(lines, findSteps(lines)) }, false);
}

function withFault({ lines, cause }: Pick<Text, 'lines' | 'cause'>, isOwn: boolean): Text {
  const fault = findFault(lines, cause);
  if (!fault) return { lines, cause, fault, isOwn };
  const { what, line, at } = fault;
  return { lines, cause: { ...cause, headline: at, message: at }, fault: { what, line }, isOwn };
}

interface Shown {
  readonly lines: readonly PlainLine[];
  readonly cause: Cause;
  readonly passing?: PassingLog;
}

/**
 * What people see, with what a passing run printed as well left out of it. Fingerprint and fault do not know of that run, or one failure
 * would be two: with such a log at hand and without.
 */
function comparedText({ lines, cause, fault, isOwn }: Text, log: string): Shown {
  if (log === '' || fault !== null || isOwn) return { lines, cause };
  const passing = readPassing(log);
  const compared = findCause(lines, findSteps(lines), passing);
  return rankOf(compared) < WEAK ? { lines, cause } : { lines, cause: compared, passing };
}

function annotationLine({ path, line, message }: Place): string {
  const first = message.split('\n', 1)[0] ?? '';
  return `##[error]${path}:${line}: ${first}${message.slice(first.length)}`;
}

function excerptOf({ lines, cause, passing }: Shown, told: readonly Place[]): Excerpt {
  const excerpt = cutExcerpt(lines, cause, passing);
  const [first] = told;
  if (excerpt.headline === '' && first) return { ...excerpt, headline: headlineText(first.message) };
  // A name that is spread over lines, such as suites and test, is told whole.
  const test = cause.tests.find(({ at }) => at === cause.message);
  const isSpread = test && /^\s*\d+\) /.test(lines[test.at]?.text ?? '');
  return isSpread ? { ...excerpt, headline: headlineText(`${test.name} failed`) } : excerpt;
}

function annotated(told: readonly Place[]): readonly Place[] {
  return told.flatMap((place) => {
    const path = place.path === '.github' ? null : repositoryPath(place.path);
    return path === null ? [] : [{ ...place, path, isMarked: true }];
  });
}

function testPlaces({ tests }: Cause): readonly Place[] {
  return tests.flatMap(({ path, name }) => {
    const own = path === '' ? null : repositoryPath(path);
    return own === null ? [] : [{ path: own, line: 0, message: name }];
  });
}

const MAX_PLACES = 40;

function distinctPlaces(places: readonly Place[]): readonly Place[] {
  const found = new Map(places.map((place) => [`${place.path}:${place.line}`, place] as const).reverse());
  return [...found.values()].reverse().slice(0, MAX_PLACES);
}
