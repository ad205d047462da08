// Which function of a file to show where the best match is mostly help text or a template.

import { markCode } from 'causeway-log-lines';
import { isCommentLine, type Span } from '../core/source/index.ts';
import { hasWord } from './identifiers.ts';
import { measureProseShare } from './localise/prose-share.ts';
import type { RankedFunction } from './ranked.ts';

/** One that matches the report much less than the first is not a better choice. */
const LEAST_SCORE = 0.2;

/** A function that is strings in so large a part holds help or a template. */
const MOSTLY_PROSE = 0.4;

export interface ChosenFunction {
  readonly span: Span;
  /** Of the literal, which the report has as well. */
  readonly line: number;
  readonly literal: string;
}

interface Passage {
  readonly path: string;
  /** The function that fits best. */
  readonly span: Span;
  readonly spans: readonly Span[];
  /** Of this file, best first. */
  readonly functions: readonly RankedFunction[];
  readonly report: string;
}

/** In place of a function that is mostly text the next one that has the rarest literal of the report; null: no other. */
export function preferCode(
  lines: readonly string[],
  { path, span, spans, functions, report }: Passage,
): ChosenFunction | null {
  const textOf = (each: Span): string =>
    lines
      .slice(each.line - 1, each.lastLine)
      .filter((line) => !isCommentLine(path, line))
      .join('\n');
  if (measureProseShare(path, textOf(span)) < MOSTLY_PROSE) return null;
  const others = functions
    .filter(({ score }) => score >= LEAST_SCORE)
    .flatMap((each) =>
      spans.filter(({ kind, line }) => kind === 'function' && line === each.line && line !== span.line),
    )
    .filter((each) => measureProseShare(path, textOf(each)) < MOSTLY_PROSE);
  const found = findLiterals(report).flatMap((literal) => {
    const places = others.flatMap((each): readonly ChosenFunction[] => {
      const index = lines.slice(each.line - 1, each.lastLine).findIndex((line) => hasWord(line, literal, OF_LITERAL));
      return index === -1 ? [] : [{ span: each, line: each.line + index, literal }];
    });
    return places.slice(0, 1).map((place) => ({ place, holding: places.length }));
  });
  return found.toSorted((a, b) => a.holding - b.holding)[0]?.place ?? null;
}

/** `--` is not in `--all`. */
const OF_LITERAL = /[\w-]/;

/** What the report writes as code within a sentence, in its order. */
function findLiterals(report: string): readonly string[] {
  const found = markCode(report.split(/\r?\n/).slice(0, 2_000)).flatMap(({ text, kind }) =>
    kind === 'prose' ? [...text.slice(0, 2_000).matchAll(/`([^`\s]{2,60})`/g)].map(([, literal = '']) => literal) : [],
  );
  return [...new Set(found)];
}
