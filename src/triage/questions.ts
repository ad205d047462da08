// What to ask the reporter: exactly what is missing, and nothing that the text already says.
import type { Facts } from './facts.ts';
import { isReliable } from './rank-suspects.ts';

/** Empty where the facts point somewhere with more than words. */
export function questionsFor(facts: Facts): readonly string[] {
  const { signals, shown, stepsToReproduce, revisions } = facts;
  const pointed = isReliable(shown[0]);
  const questions: string[] = [];
  if (facts.mismatches.length > 0 && revisions.framesName === '') {
    questions.push(
      'Which version, tag or commit shows the problem? Lines in the report do not fit the commit that was read.',
    );
  }
  if (pointed) return questions;
  if (signals.traces.length === 0) {
    questions.push(
      signals.errors.length === 0
        ? 'What is the exact error message, with its full stack trace or the log around it?'
        : 'What is the full stack trace, or the log around the error message?',
    );
  }
  if (stepsToReproduce.length === 0) {
    questions.push(
      signals.commands.length === 0
        ? 'Which steps or commands lead to it, with what input, and what happens instead of what you expected?'
        : 'With what input and configuration was the command run, and what did you expect to happen?',
    );
  }
  if (
    signals.versions.length === 0 &&
    signals.shas.length === 0 &&
    revisions.framesName === '' &&
    questions.length < 3
  ) {
    questions.push('Which version, tag or commit of this project shows it?');
  }
  return questions;
}
