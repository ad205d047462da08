// The Issue that facts alone allow: where they point and why, and what to look at next.

import { cutMiddle } from 'causeway-ci-log';
import type { CommitInfo } from 'causeway-git-objects';
import { formatInlineCode } from 'causeway-safe-markdown';
import { removeInvisibleIn } from 'causeway-visible-text';
import { formatCounted } from '../core/counted.ts';
import {
  type Analysis,
  type Conclusion,
  isReliable,
  type Step,
  type Suspect,
  TOUCHED_BY_CHANGE,
} from '../core/issue/index.ts';
import type { ContextRepository } from '../core/source/index.ts';
import { isLineNamed } from './clues.ts';
import { nameWhatIsRead } from './describe-steps.ts';
import type { Examined } from './examine.ts';
import type { Facts } from './gathered-facts.ts';
import { hasWord } from './identifiers.ts';
import { cutSubject, nameCommit, shortenSha } from './lookups.ts';
import { preventRise } from './rank-suspects.ts';
import type { RankedSuspect } from './ranked.ts';
import { formatError } from './report-errors.ts';
import { isSilent } from './signals.ts';
import { listQuestions } from './statement.ts';
import { orderCommits } from './version-range.ts';

const MAX_ERROR = 160;

type ExaminedPlace = Pick<Suspect, 'file' | 'line' | 'function'>;

/**
 * The conclusion without a model, in which nothing is unseen or acts on a terminal. `seconds` is how long the run
 * took. `isCheck`: the report is a failed check, which says itself how it is reproduced. `changed`: where the change under
 * test touches what fails, null where no such change breaks it; otherwise that is the most likely place, and no earlier
 * change is offered as the one to check.
 */
export function concludeFromFacts(
  facts: Facts,
  context: {
    readonly seconds: number;
    readonly isCheck?: boolean;
    readonly changed?: readonly ExaminedPlace[] | null;
    readonly context?: readonly ContextRepository[];
  },
): Conclusion {
  const { changed = null, isCheck = false } = context;
  const say = isCheck || facts.isOnlyLog ? sayOfCheck : (text: string) => text;
  const shown = placeChanges(facts.shown, changed ?? []).map((one) => ({ ...one, reasons: one.reasons.map(say) }));
  return removeInvisibleIn<Conclusion>({
    problem: facts.problem,
    rootCause: describeRootCause({ ...facts, shown }, isCheck, changed?.[0]),
    stepsToReproduce: facts.stepsToReproduce,
    solutionSteps: buildSolutionSteps(facts, context),
    changeSet: { base: facts.revisions.asked, files: [] },
    investigationSteps: facts.steps,
    analysis: {
      revision: facts.revisions.asked,
      outcome: 'facts_only',
      partial: false,
      reason: 'No model was used, so this is a search of the source only and no fix was attempted.',
      verdict: null,
      // Nothing was proven, and a number would look as if something had been; each suspect carries its own score.
      confidence: null,
      suspects: shown.map(toPublishedSuspects),
      citations: listCitations({ ...facts, shown }, changed?.[0]),
      guards: [],
      // Nobody is there to answer for a check.
      questions: isCheck || facts.isWish ? [] : listQuestions(facts),
      claims: facts.claims,
      model: null,
      usage: { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: context.seconds },
      links: { comment: null, checkRun: null, pullRequest: null },
      ...(context.context && context.context.length > 0 && { context: context.context }),
    },
  });
}

/** A failed check, or a log that was given alone: there is no reporter to ask. */
function sayOfCheck(text: string): string {
  return text.replace(/\b(the|this) report\b/g, '$1 log');
}

/** As the interface has it. */
function toPublishedSuspects({ file, line, function: name, score, reasons }: RankedSuspect): Suspect {
  return { file, line, function: name, score, reasons };
}

/**
 * A change that breaks something is a better place than words that the report shares with its file: the files that it
 * touches come first, at the line that it touches unless the report itself names one.
 */
function placeChanges(shown: readonly RankedSuspect[], changed: readonly ExaminedPlace[]): readonly RankedSuspect[] {
  const own = changed.flatMap((place) => {
    const suspect = shown.find(({ file }) => file === place.file);
    if (suspect === undefined) return [];
    const { line, function: name } = isLineNamed(suspect) ? suspect : place;
    return [
      { ...suspect, line, function: name, reasons: [TOUCHED_BY_CHANGE, ...suspect.reasons].slice(0, MOST_REASONS) },
    ];
  });
  return preventRise([...own, ...shown.filter(({ file }) => own.every((one) => one.file !== file))]);
}

const MOST_REASONS = 3;

/** One fact a line, the doubts last. `own`: where the change under test touches what fails; absent: nothing is known of that. */
function describeRootCause(facts: Facts, isCheck: boolean, own?: ExaminedPlace): string {
  const [first] = facts.shown;
  const say = isCheck || facts.isOnlyLog ? sayOfCheck : (text: string) => text;
  const fits = describeFits(facts, isCheck);
  if (own && own.file !== first?.file)
    return joinSentences([`${PLACE} ${formatPlace(own)} (${TOUCHED_BY_CHANGE}).`, describeError(facts), ...fits]);
  if (!first) return joinSentences([say(describeNothingFound(facts)), ...fits]);
  if (!own && facts.isWish) return joinSentences([WISH, `Closest to what it names: ${formatWithReasons(first)}.`]);
  if (!own && !isReliable(first)) return joinSentences([say(describeClosest(facts)), describeError(facts), ...fits]);
  const doubts = own ? [] : [describeDoubt(first, facts), describeRival(facts)];
  const place = `${PLACE} ${formatWithReasons(first)}.`;
  return joinSentences([place, describeError(facts), describeBlame(facts, first), ...doubts, ...fits]);
}

const PLACE = 'Most likely place:';

const WISH = 'This reads as a request for something new, not as a fault.';

function joinSentences(sentences: readonly string[]): string {
  return sentences.filter((sentence) => sentence !== '').join('\n');
}

/** Of what nothing but words led to, a line would claim more than is known. */
function describeClosest({ shown }: Facts): string {
  const [first] = shown;
  const named = shown.find(({ evidence, reasons }) => evidence !== 'words' && reasons.length > 0);
  if (first !== undefined && named !== undefined) {
    const known = formatWithReasons(named);
    return named === first
      ? `No reliable suspect. The closest match is ${known}.`
      : `No reliable suspect. The closest matches are ${formatInlineCode(first.file)} by its words, and ${known}.`;
  }
  const places = shown.slice(0, 2).map((one) => formatPlace({ ...one, line: 0 }));
  return `Nothing in the report names a place in this code; its words are closest to ${places.join(' and ')}.`;
}

function describeRival(facts: Facts): string {
  const [first, second] = facts.shown;
  return first && second && isRival(facts, first, second) ? `${formatPlace(second)} is almost as likely.` : '';
}

/** The line of the place as a step shows it; "" where another line was looked at. */
function quoteCode({ examined }: Facts, { file, line }: Suspect): string {
  const isHere = examined?.suspect.file === file && examined.suspect.line === line;
  return isHere ? examined.code : '';
}

/** Whether the second scores as well. A caller of the first is the same answer, and a named file beats one that isn't. */
function isRival({ callers }: Facts, first: RankedSuspect, second: RankedSuspect): boolean {
  if (first.isNamed && !second.isNamed) return false;
  return first.score - second.score < 0.05 && !(callers.has(second.file) && !callers.has(first.file));
}

function formatWithReasons(suspect: RankedSuspect): string {
  const why = suspect.reasons.slice(0, 2).join('; ');
  return why === '' ? formatPlace(suspect) : `${formatPlace(suspect)} (${why})`;
}

/** Why the place may be wrong; "" where a frame or a message confirms it. */
function describeDoubt(first: RankedSuspect, { shown }: Facts): string {
  if (first.evidence === 'firm') return '';
  const said = shown.find(({ lineFrom }) => lineFrom === 'message');
  return said === undefined
    ? 'No stack frame or error message confirms it.'
    : `The error message itself is at ${formatPlace(said)}.`;
}

function describeNothingFound(facts: Facts): string {
  const { signals, dependencies, suspects } = facts;
  const at = shortenSha(facts.revisions.asked);
  if (isSilent(signals))
    return "I don't know: the report names no error, file, function or command that could be looked up.";
  if (dependencies.length > 0) {
    return `I don't know: the stack trace runs only through dependencies (${dependencies.slice(0, 3).join(', ')}), not through this repository.`;
  }
  return suspects.length === 0
    ? `I don't know: no reliable suspect. Nothing that the report names was found in this repository at ${at}.`
    : `I don't know: no reliable suspect. The files of this repository at ${at} share only a few words with the report.`;
}

/** An error type that only the prose mentions may be a wish: it is not said to be the error. */
function describeError({ signals, logs: [log] }: Facts): string {
  if (log !== undefined)
    return `First error in the log: ${formatInlineCode(cutMiddle(log.excerpt.headline, MAX_ERROR))}.`;
  const error = signals.errors.find(({ from, message }) => from !== 'quote' && (from !== 'prose' || message !== ''));
  if (!error) return '';
  // "Error: Error: …" says it twice.
  const type = error.type === 'Error' && error.message !== '' ? '' : error.type;
  const said = formatError({ type, message: error.message }).replace(/\.$/, '');
  const text = `${said} ${error.values}`.trimEnd();
  const shown = formatInlineCode(text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text);
  if (error.from === 'prose') return `The report mentions ${shown}.`;
  return `Error: ${shown}.`;
}

function describeBlame(facts: Facts, first: RankedSuspect): string {
  const blame = quoteCode(facts, first) === '' ? null : (facts.examined?.blame ?? null);
  return blame === null ? '' : `Line ${first.line} last changed in ${nameCommit(blame)}.`;
}

/** What the reader must know about the fit of report and commit. */
function describeFits(
  { revisions, mismatches, removals, signals, logs, isOnlyLog }: Facts,
  isCheck: boolean,
): readonly string[] {
  if (isCheck) {
    // A check of a pull request runs what it would be merged to.
    return mismatches
      .slice(0, 1)
      .map(
        (one) => `The log doesn't match this commit: ${sayOfCheck(one)}. It may have run on the merge with the base.`,
      );
  }
  const hasPlaces = signals.traces.length + signals.places.length > 0;
  const read =
    revisions.framesName === '' || !hasPlaces
      ? []
      : [`${nameWhatIsRead(signals)} were read at ${revisions.framesName}, which the report names.`];
  const [mismatch] = mismatches;
  if (!mismatch) return read;
  const [removal] = removals;
  const given = isOnlyLog ? 'log' : 'report';
  const since = removal
    ? `${nameCommit(removal)} removed a line that the ${given} prints, so the ${given} may be from before that.`
    : `The ${given} may be from another version.`;
  if (logs.length > 0 && !isOnlyLog && revisions.framesName === '')
    return [`Report and log don't match this commit: ${mismatch.replace('the report names', 'they name')}. ${since}`];
  return revisions.framesName === ''
    ? [`The ${given} doesn't match this commit: ${isOnlyLog ? sayOfCheck(mismatch) : mismatch}. ${since}`]
    : [...read, `One thing doesn't match: ${mismatch}.`];
}

function buildSolutionSteps(
  facts: Facts,
  {
    isCheck = false,
    changed = null,
  }: { readonly isCheck?: boolean; readonly changed?: readonly ExaminedPlace[] | null },
): readonly Step[] {
  if (facts.isWish && !isCheck) return [];
  const first = facts.examined;
  const isSure = isReliable(facts.shown[0]);
  const descriptions = [
    isCheck ? '' : listChangesBetween(facts),
    isCheck ? '' : describeReproduction(facts, isSure),
    first && isSure && facts.between === null && changed === null ? listRecentChanges(first, facts) : '',
  ];
  return descriptions
    .filter((description) => description !== '')
    .map((description, index) => ({ stepNumber: index + 1, description }));
}

/**
 * A test near a place that is not to be relied on is near nothing. Steps are asked for only where the report has nothing
 * to begin with: no code, no command, no trace.
 */
function describeReproduction({ stepsToReproduce, examined, signals, logs }: Facts, isSure: boolean): string {
  const test = isSure ? (examined?.test ?? null) : null;
  const place = test === null ? '' : formatInlineCode(`${test.path}:${test.line}`);
  const [failed] = logs.flatMap(({ excerpt }) => excerpt.tests);
  if (failed !== undefined) return `Run the failing test ${nameTest(failed)} alone at this commit.`;
  if (logs.length > 0) return '';
  if (stepsToReproduce.length > 0)
    return `Turn the steps to reproduce into a failing test${place === '' ? '' : `; the nearest one is ${place}`}.`;
  // That a test would help is not news to anybody: which one to begin with may be.
  if (signals.traces.length + signals.commands.length + signals.quoted.length > 0)
    return place === '' ? '' : `Write a failing test; the nearest one is ${place}.`;
  return place === '' ? '' : `The nearest test is ${place}.`;
}

/** pytest takes `file::name` as it is; other runners want the name. */
function nameTest(test: string): string {
  const [, file = '', name = ''] = /^([^\s:]{1,300}\.(?!py:)\w{1,10})::(.+)$/.exec(test) ?? [];
  return name === '' ? formatInlineCode(test) : `${formatInlineCode(name)} of ${formatInlineCode(file)}`;
}

/** The commits between the last good version of the report and the first bad one. */
function listChangesBetween({ between, shown, signals }: Facts): string {
  if (between === null || between.commits.length === 0) return '';
  const { good, bad, commits } = between;
  const ordered = orderCommits(
    between,
    shown.map(({ file }) => file),
  );
  const names = [...signals.identifiers.map(({ name }) => name), ...signals.words.map(({ word }) => word)];
  // One of fewer than five letters is in many.
  const telling = names.flatMap((name) => (name.length < 5 ? [] : [name.toLowerCase()]));
  const isAbout = ({ subject }: CommitInfo) => telling.some((name) => hasWord(subject.toLowerCase(), name));
  const about = ordered.filter(isAbout);
  const list = [...about, ...ordered.filter((commit) => !about.includes(commit))]
    .slice(0, MOST_COMMITS)
    .map(({ sha, date, subject }) => `- ${shortenSha(sha)} (${date.slice(0, 10)}) ${cutSubject(subject)}`);
  const more = commits.length - list.length;
  const all = commits.length === 1 ? 'commit' : formatCounted(commits.length, 'commit');
  const some = more > 0 ? `these ${list.length} of ` : '';
  const lead = `Check ${some}the ${all} that changed source between ${good.name} and ${bad.name}${more > 0 ? ' first' : ''}:`;
  return [lead, ...list, ...(more > 0 ? [`- … ${more} more`] : [])].join('\n');
}

const MOST_COMMITS = 5;

/** But for those that came after what the report tells of, such as its own fix: they cannot have caused it. */
function listRecentChanges({ suspect, commits }: Examined, { removals }: Facts): string {
  const later = commits.findLastIndex(({ sha }) => removals.some((removal) => removal.sha === sha));
  const list = commits
    .slice(later + 1)
    .map(({ sha, date, subject }) => `- ${shortenSha(sha)} (${date.slice(0, 10)}) ${cutSubject(subject)}`);
  return list.length === 0
    ? ''
    : [`Look at the recent changes to ${formatInlineCode(suspect.file)}:`, ...list].join('\n');
}

/** None of a place that is not to be relied on. `own`: that of the change under test, which is named as the most likely one. */
function listCitations(facts: Facts, own?: ExaminedPlace): Analysis['citations'] {
  const [first] = facts.shown;
  if (own === undefined && (facts.isWish || !isReliable(first))) return [];
  const step = facts.steps.findIndex(({ lookup }) => lookup === 'place') + 1;
  const quote = first ? quoteCode(facts, first) : '';
  if (!first || step === 0 || quote === '') return [];
  const isNamed = own === undefined || own.file === first.file;
  return [{ claim: `${isNamed ? PLACE : 'Also look at:'} ${first.file}:${first.line}.`, step, quote }];
}

function formatPlace({ file, line, function: name }: ExaminedPlace): string {
  // A name with a capital may be a class.
  const within = /(?:^|[.#])[a-z_$][\w$]*$/.test(name) ? `${name}()` : name;
  return `${formatInlineCode(line > 0 ? `${file}:${line}` : file)}${name === '' ? '' : ` in ${formatInlineCode(within)}`}`;
}
