// The Issue that facts alone allow: where they point and why, what to look at next, and that no model was asked.
import { cutText } from '../domain/cut-text.ts';
import { withoutUnseenIn } from '../domain/inert-text.ts';
import type { Analysis, Conclusion, Step, Suspect } from '../domain/issue.ts';
import { isDefinition } from './candidates/definitions.ts';
import type { Examined } from './examine.ts';
import type { Facts } from './facts.ts';
import { shortSha } from './lookups.ts';
import { questionsFor } from './questions.ts';
import { WEAK_SCORE } from './rank-suspects.ts';
import { isSilent } from './signals.ts';

const FACTS_ALONE = 'These are the facts alone: they say where to look, not yet why it breaks.';
const MAX_ERROR = 160;
/** Suspects below this part of the first one's score stand in the list, but nobody is sent there. */
const WORTH_A_LOOK = 0.4;

/** The conclusion without a model, in which nothing is unseen or acts on a terminal. `seconds` is how long the run took. */
export function factsOnlyConclusion(facts: Facts, context: { readonly seconds: number }): Conclusion {
  return withoutUnseenIn<Conclusion>({
    problem: facts.problem,
    rootCause: rootCause(facts),
    stepsToReproduce: facts.stepsToReproduce,
    solutionSteps: solutionSteps(facts),
    changeSet: { base: facts.revisions.asked, files: [] },
    investigationSteps: facts.steps,
    analysis: {
      revision: facts.revisions.asked,
      outcome: 'facts_only',
      partial: false,
      reason: 'No model was asked, so nothing beyond the text and the source was weighed, and no fix was tried.',
      verdict: null,
      // Nothing was proven, and a number would look as if something had been; each suspect carries its own score.
      confidence: null,
      suspects: facts.suspects,
      citations: citations(facts),
      guards: [],
      questions: questionsFor(facts),
      model: null,
      usage: { turns: 0, promptTokens: 0, cachedTokens: 0, completionTokens: 0, costUsd: 0, seconds: context.seconds },
      links: { comment: null, checkRun: null, pullRequest: null },
    },
  });
}

function rootCause(facts: Facts): string {
  const [first, second] = facts.suspects;
  if (!first) return [nothingFound(facts), ...fitNotes(facts)].join(' ');
  const looked = facts.examined[0];
  const sentences = [
    pointing(facts, first),
    errorSentence(facts),
    looked && looked.code !== '' ? `${lineSaid(looked)}${changed(looked)}.` : '',
    second && isRival(facts, first, second) ? `${placeName(second)} is almost as likely.` : '',
    ...fitNotes(facts),
    FACTS_ALONE,
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** A score as good; but who called the place where it broke is no other answer. */
function isRival({ callers }: Facts, first: Suspect, second: Suspect): boolean {
  return first.score - second.score < 0.05 && !(callers.has(second.file) && !callers.has(first.file));
}

function pointing({ firm }: Facts, { score, reasons, ...place }: Suspect): string {
  const why = reasons.slice(0, 2).join('; ');
  if (score < WEAK_SCORE) return `I don't know the cause; only weak hints point at ${placeName(place)}: ${why}.`;
  return firm.has(place.file)
    ? `The facts point at ${placeName(place)}: ${why}.`
    : `Names in the report lead to ${placeName(place)}: ${why}. No stack frame or message confirms it.`;
}

function nothingFound(facts: Facts): string {
  const { signals, dependencies } = facts;
  if (isSilent(signals))
    return "I don't know: the report names no error, file, function or command that could be looked up.";
  if (dependencies.length > 0) {
    return `I don't know: the stack trace runs only through dependencies (${dependencies.slice(0, 3).join(', ')}), none of it through this repository.`;
  }
  return `I don't know: nothing that the report names was found in this repository at ${shortSha(facts.revisions.asked)}.`;
}

/** An error type that only the prose mentions may be a wish: it is not said to be the error. */
function errorSentence({ signals }: Facts): string {
  const error = signals.errors[0];
  if (!error || (error.from === 'prose' && error.message === '')) return '';
  const text = [error.type, error.message]
    .filter((part) => part !== '')
    .join(': ')
    .replace(/\.$/, '');
  const shown = quoted(text.length > MAX_ERROR ? `${text.slice(0, MAX_ERROR)}…` : text);
  return error.from === 'prose' ? `The report speaks of ${shown}.` : `The report's error is ${shown}.`;
}

/** Where only the function is known, its first line is shown as that. */
function lineSaid({ suspect, code }: Examined): string {
  const isStart = suspect.function !== '' && isDefinition(code, suspect.function);
  return `${isStart ? 'It begins' : 'The line reads'} ${quoted(code)}`;
}

function changed({ blame }: Examined): string {
  return blame
    ? `, last changed in ${shortSha(blame.sha)} (${blame.date.slice(0, 10)}, “${cutText(blame.subject, 80)}”)`
    : '';
}

/** What the reader must know about the fit of report and commit. */
function fitNotes({ revisions, mismatches, signals }: Facts): readonly string[] {
  const hasPlaces = signals.traces.length + signals.places.length > 0;
  const read =
    revisions.framesName === '' || !hasPlaces
      ? []
      : [`Stack frames were read at ${revisions.framesName}, which the report names.`];
  const [mismatch] = mismatches;
  if (!mismatch) return read;
  return revisions.framesName === ''
    ? [`It does not fit this commit: ${mismatch}. The report is from another version.`]
    : [...read, `Not all of it fits: ${mismatch}.`];
}

function solutionSteps(facts: Facts): readonly Step[] {
  const [first] = facts.examined;
  const others = worthALook(facts);
  const descriptions = [
    first ? lookAt(facts, first) : '',
    others.length > 0 ? `Then look at ${others.map(placeName).join('; ')}.` : '',
    first && first.commits.length > 0 ? recentChanges(first) : '',
    facts.stepsToReproduce.length === 0
      ? 'Add the steps that show the problem: none could be read from the report.'
      : 'Run the reproduction steps above at this commit, and keep them as a failing test.',
  ];
  return descriptions
    .filter((description) => description !== '')
    .map((description, index) => ({ stepNumber: index + 1, description }));
}

/** Up to three further suspects that come near the first one and stand on as much: nobody is sent where only words lead. */
function worthALook({ suspects: [first, ...others], firm }: Facts): readonly Suspect[] {
  if (!first) return [];
  return others
    .slice(0, 3)
    .filter(({ file, score }) => score >= first.score * WORTH_A_LOOK && (firm.has(file) || !firm.has(first.file)));
}

function lookAt(facts: Facts, { suspect }: Examined): string {
  const question = errorSentence(facts) === '' ? '' : ', and ask what there leads to the error';
  return `Read ${placeName(suspect)}${question}.`;
}

function recentChanges({ suspect, commits }: Examined): string {
  const list = commits.map(
    ({ sha, date, subject }) => `${shortSha(sha)} (${date.slice(0, 10)}) ${cutText(subject, 80)}`,
  );
  return `Check whether one of the last commits to ${quoted(suspect.file)} fits the time the problem began: ${list.join('; ')}.`;
}

function citations({ suspects, examined }: Facts): Analysis['citations'] {
  const [looked] = examined;
  const [first] = suspects;
  if (!looked || !first || looked.readStep === 0 || looked.code === '') return [];
  return [{ claim: `The facts point at ${first.file}:${first.line}.`, step: looked.readStep, quote: looked.code }];
}

function placeName({ file, line, function: name }: { file: string; line: number; function: string }): string {
  return `${quoted(line > 0 ? `${file}:${line}` : file)}${name === '' ? '' : `, in ${quoted(name)}`}`;
}

/** As inline code, which a backtick inside must not end. */
function quoted(text: string): string {
  return `\`${text.replaceAll('`', "'").replaceAll('\n', ' ')}\``;
}
