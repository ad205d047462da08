// A report taken apart at its headings.

import { markCode } from './code-fences.ts';

const UNDERLINE = /^(?:={3,}|-{3,})\s*$/;

export interface Section {
  /** Without marks and final colon; "" before the first heading. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** Markdown headings (`## x`, `**x**`, underlined) and short lines that end with a colon; none inside code blocks. */
export function sections(lines: readonly string[]): readonly Section[] {
  const found: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  for (const [index, { text, kind }] of markCode(lines).entries()) {
    const heading = kind === 'prose' ? headingOf(text, lines[index + 1] ?? '') : '';
    if (heading !== '') found.push({ heading, lines: [] });
    else if (kind !== 'prose' || !UNDERLINE.test(text)) found.at(-1)?.lines.push(text);
  }
  return found.filter((section) => section.heading !== '' || section.lines.length > 0);
}

function headingOf(line: string, next: string): string {
  const text = line.trim();
  if (text.length > 90 || text === '') return '';
  const marked =
    /^#{1,6}\s+(.+?)\s*#*$/.exec(text) ?? /^\*\*([^*]{2,80})\*\*:?$/.exec(text) ?? /^__([^_]{2,80})__:?$/.exec(text);
  const plain =
    /^((?:steps?|how) to reproduce|reproduction(?: steps)?|to reproduce|expected(?: behaviou?r| results?)?|actual(?: behaviou?r| results?)?|environment|versions?|additional context|logs?|description|current behaviou?r)[^.]{0,40}:?$/i.exec(
      text,
    );
  const underlined = UNDERLINE.test(next) && /^[\w“"'`(]/.test(text) ? [text, text] : null;
  const heading =
    marked?.[1] ?? (plain && (text.endsWith(':') || text.length < 40) ? text : null) ?? underlined?.[1] ?? '';
  return heading.replace(/[:：*_`\s]+$/, '').replace(/^[^\p{L}\p{N}]+/u, '');
}
