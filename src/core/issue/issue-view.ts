// An Issue as people read it on any surface: title, outcome, and its claims, suspects and guards in groups.

import { sanitiseLine } from 'causeway-visible-text';
import type { Outcome } from '../outcome/index.ts';
import { findContextFile } from './context.ts';
import type { Analysis, Issue, Step, Suspect } from './issue.ts';

/** Less likely suspects are folded away. */
const LIKELY = 0.15;

const OUTCOMES: Readonly<Record<Outcome, string>> = {
  code_fix: 'Cause and fix',
  action_recommended: 'Cause and advice',
  needs_information: 'Needs information',
  already_fixed: 'Already fixed',
  not_a_bug: 'Not a bug',
  inconclusive: 'Cause not found',
  facts_only: 'Facts only',
};

export const ALL_OUTCOMES = Object.keys(OUTCOMES) as readonly Outcome[];

/** One claim with all quotations that support it. */
interface QuotedClaim {
  readonly claim: string;
  readonly quotes: readonly { readonly step: number; readonly quote: string }[];
}

export interface IssueView {
  /** Outcome, its limits, and confidence. */
  readonly headline: string;
  /** In order, each once. */
  readonly claims: readonly QuotedClaim[];
  readonly likely: readonly Suspect[];
  readonly unlikely: readonly Suspect[];
  /** Guards that prevent publishing the change. */
  readonly blocking: Analysis['guards'];
  /** Guards that a person should look at. */
  readonly toCheck: Analysis['guards'];
}

export function createIssueView(issue: Issue): IssueView {
  const { confidence, citations, suspects, guards } = issue.analysis;
  const claims = new Map<string, QuotedClaim['quotes']>();
  for (const { claim, ...quote } of citations) claims.set(claim, [...(claims.get(claim) ?? []), quote]);
  const isLikely = ({ score }: Suspect, index: number) => score >= LIKELY || index === 0;
  const isBlocking = ({ rule }: Analysis['guards'][number]) => rule.startsWith('never/');
  const limit = describeOutcomeLimit(issue);
  return {
    headline: [
      describeOutcome(issue.analysis.outcome),
      ...(limit === '' ? [] : [limit]),
      ...(confidence === null ? [] : [`confidence ${formatPercent(confidence)}`]),
    ].join(' · '),
    claims: [...claims].map(([claim, quotes]) => ({ claim, quotes })),
    likely: suspects.filter(isLikely),
    unlikely: suspects.filter((suspect, index) => !isLikely(suspect, index)),
    blocking: guards.filter(isBlocking),
    toCheck: guards.filter((guard) => !isBlocking(guard)),
  };
}

function describeOutcomeLimit({ analysis: { outcome, partial } }: Issue): string {
  if (outcome === 'facts_only') return partial ? 'the model gave no answer' : 'no model was used';
  return partial ? 'stopped early' : '';
}

/** What the report names and is not here, in one line; "": all of it is. */
export function describeMissingClaims({ claims }: Pick<Analysis, 'claims'>): string {
  const missing = claims.filter(({ state }) => state !== 'exists' && state !== 'unchecked');
  const [first] = missing;
  if (first === undefined) return '';
  const more = missing.length === 1 ? '' : `; ${missing.length - 1} more under analysis.claims`;
  return `Named in the report: ${first.text}: ${first.note}${more}.`;
}

/** In two or three words. */
export function describeOutcome(outcome: Outcome): string {
  return OUTCOMES[outcome];
}

/** The problem in one line of at most `max` characters. */
export function getIssueTitle({ problem, id }: Pick<Issue, 'problem' | 'id'>, max: number): string {
  const lines = problem.split('\n').map((line) => sanitiseLine(line.replace(/^#{1,6}\s/, ''), max));
  return lines.find((line) => line !== '') ?? id;
}

/** Such as `82 %`. */
export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The first step in a line; "" for no steps. Of a list that is its head. */
export function describeNext([first]: readonly Step[]): string {
  const [line = ''] = (first?.description ?? '').split('\n');
  const text = line.replace(/:$/, ', listed below.');
  return text === '' ? '' : `Next: ${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** A numbered line as steps show it: `  41 | code`, `> 42: code`. */
const NUMBERED = /^[ >*]*(\d{1,7})\s?[|│:](?: (.*)|(\S.*)|)$/;

interface ExcerptLine {
  /** With its number: `> 42 | code`. */
  readonly text: string;
  readonly isSuspect: boolean;
}

/** At most `most` lines around that of the first suspect, out of the first step that shows it; empty where none does. */
export function findExcerpt(
  { analysis, investigationSteps }: Pick<Issue, 'analysis' | 'investigationSteps'>,
  most: number,
): readonly ExcerptLine[] {
  const [suspect] = analysis.suspects;
  if (suspect === undefined) return [];
  const path = findContextFile(suspect.file, analysis.context)?.path ?? suspect.file;
  const from = suspect.line - Math.floor(most / 2);
  const lines = investigationSteps
    .filter(({ action }) => action.includes(path))
    .map(({ result }) => listNumberedLines(result).filter(({ number: n }) => n >= from && n < from + most))
    .find((found) => found.some(({ number }) => number === suspect.line));
  if (lines === undefined) return [];
  const isSaid = ({ number, code }: (typeof lines)[number]): boolean => number === suspect.line || code.trim() !== '';
  const shown = lines.slice(lines.findIndex(isSaid), lines.findLastIndex(isSaid) + 1);
  const digits = String(shown.at(-1)?.number ?? 0).length;
  return shown.map(({ number, code }) => {
    const isSuspect = number === suspect.line;
    return { text: `${isSuspect ? '>' : ' '} ${String(number).padStart(digits)} | ${code}`.trimEnd(), isSuspect };
  });
}

function listNumberedLines(text: string): readonly { readonly number: number; readonly code: string }[] {
  return text.split('\n').flatMap((line) => {
    const [, number = '', spaced, tight = ''] = NUMBERED.exec(line) ?? [];
    return number === '' ? [] : [{ number: Number(number), code: spaced ?? tight }];
  });
}

const SENTENCE_END = /[.!?…][)"”’\]]*\s+(?=[\p{Lu}\p{Lo}\p{N}`"“'(])/gu;
const ABBREVIATION = /(?:\b(?:e\.g|i\.e|etc|cf|vs|no|approx|resp)|\b\p{L})\.\s+$/iu;

/** At most `count` sentences, and what follows them. A full stop within code or an abbreviation ends none. */
export function splitSentences(text: string, count: number): { readonly first: string; readonly rest: string } {
  let seen = 0;
  let counted = 0;
  let ticks = 0;
  for (const { 0: end, index } of text.matchAll(SENTENCE_END)) {
    const at = index + end.length;
    ticks += text.slice(counted, at).split('`').length - 1;
    counted = at;
    if (ticks % 2 === 1 || ABBREVIATION.test(text.slice(Math.max(0, at - 12), at))) continue;
    seen += 1;
    if (seen === count) return { first: text.slice(0, at).trimEnd(), rest: text.slice(at) };
  }
  return { first: text, rest: '' };
}

/** Without the numbers of steps, for texts that show no steps. */
export function removeCitations(text: string): string {
  return text.replace(/(?<!\s)\s*\[step \d+\]/g, '');
}
