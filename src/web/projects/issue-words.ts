// What an Issue came to, in a word; and the one sentence that stands for it in a list.
import { html } from 'hono/html';
import { inertLine } from '../../core/inert-text.ts';
import type { Outcome } from '../../core/issue.ts';
import type { Origin } from '../../core/report.ts';
import type { Html } from '../show.ts';
import { badge, type Tone } from '../words.ts';

const OUTCOMES: Readonly<Record<Outcome, readonly [text: string, tone: Tone]>> = {
  code_fix: ['Cause and fix', 'good'],
  action_recommended: ['Cause and advice', 'good'],
  already_fixed: ['Already fixed', 'good'],
  not_a_bug: ['Not a bug', 'quiet'],
  needs_information: ['Needs information', 'busy'],
  inconclusive: ['Cause not found', 'quiet'],
  facts_only: ['Facts only', 'quiet'],
};

const ORIGINS: Readonly<Record<Origin, string>> = {
  api: 'report',
  'github-issue': 'GitHub issue',
  'check-run': 'red check',
  cli: 'terminal',
};

export function outcomeBadges({ outcome, partial }: { readonly outcome: Outcome; readonly partial: boolean }): Html {
  const [text, tone] = OUTCOMES[outcome];
  return html`${badge(text, tone)}${partial ? html` ${badge('cut short', 'busy')}` : ''}`;
}

export function originWord(origin: Origin): string {
  return ORIGINS[origin];
}

/** Such as `82 %`. */
export function percentage(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** A point ends it only before white space: `src/cart.ts` is a name. A few letters and a point are more likely an abbreviation. */
const SENTENCE = /^.{24,}?[.!?](?=\s)/u;

/** The first sentence of what somebody wrote, on one line of at most `max` characters. */
export function firstSentence(text: string, max = 180): string {
  const all = inertLine(text, 400);
  return inertLine(SENTENCE.exec(all)?.[0] ?? all, max);
}
