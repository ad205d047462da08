// A report taken apart into what tells differently: title, prose, names in backticks, code, log; forms and versions dropped.

import type { MappedFrame } from '../clues.ts';
import { findTraces } from '../frames/find-traces.ts';
import type { Trace } from '../frames/frame.ts';
import { getFileName, listPaths } from '../paths.ts';
import { isLogLine, markCode, toPlainLines } from '../report-text.ts';

export type PartName = 'title' | 'prose' | 'name' | 'code' | 'log';
export type ReportTexts = Readonly<Record<PartName, string>>;

/** Lines of code and of log that are read: the rest of a log repeats them. */
const MAX_LINES = 400;
const MAX_FRAMES = 12;
const ADDRESS = /https?:\/\/\S+/g;
const INLINE = /`([^`]{1,200})`/g;
const CHECKBOX = /^\s*[-*]\s*\[[ xX]\]/;
const ERROR_LINE = /^\s*(?:[A-Z]\w{0,80}(?:Error|Exception)\b|error\b|warning:|panicked|thread '|E\s{2,})/i;
/** Headings of forms: they say what is asked, not what is wrong. */
const FORM =
  /^(?:(?:describe|summary of) the (?:bug|issue|problem|feature)|bug(?: report| summary)?|summary|description|(?:steps? |how )?to reproduce.*|reproduction|minimal .{0,30}example|reproducible code|code (?:for reproduction|sample)|(?:expected|actual|current) (?:behaviou?r|results?|outcome)|what (?:did you expect|happened|did you).*|additional (?:context|information|notes)|logs?|stack ?traces?|screenshots?|debug output|context|detailed description.*|motivation|alternatives.*|proposal|feature request|related|before.*check.*|information.*)$/i;
/** Sections about the machine and the form: nothing in them names the place of a fault. */
const ASIDE =
  /^(?:your )?(?:environment|system info(?:rmation)?|(?:[\w.]+ )?versions?(?: .{0,30})?|severity|checklist|operating system|installation|installed packages|browsers?|affected version.*|prerequisites?)\b/i;

export interface ReadReport {
  readonly report: string;
  /** As `findSignals` found it; the first line is then not read again as prose. */
  readonly title: string;
  readonly traces: readonly Trace[];
  /** The frames of each trace with where they lead. */
  readonly mapped: readonly (readonly MappedFrame[])[];
}

/** Linear in the length. Of traces only the errors and the frames in own files are kept: the others name a test runner, not the fault. */
export function reportTexts({ report, title, traces, mapped }: ReadReport): ReportTexts {
  const lines = toPlainLines(withoutComments(report));
  const { lines: traced } = findTraces(lines);
  const reader = createReader(title);
  for (const [index, { text, kind }] of markCode(lines).entries()) {
    if (kind === 'fence') continue;
    if (traced.has(index)) continue;
    if (isLogLine(text)) reader.parts.log.push(text);
    else if (kind === 'prose') reader.prose(text);
    else reader.code(text);
  }
  const { prose, name, code } = reader.parts;
  const log = [...traces.flatMap((trace, index) => traceWords(trace, mapped[index] ?? [])), ...reader.parts.log];
  return {
    title,
    prose: prose.join('\n'),
    name: name.join('\n'),
    code: code.slice(0, MAX_LINES).join('\n'),
    log: log.slice(0, MAX_LINES).join('\n'),
  };
}

/** What a form tells its reader alone. One that is never closed is text. */
function withoutComments(report: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const from = report.indexOf('<!--', at);
    const to = from < 0 ? -1 : report.indexOf('-->', from);
    if (to < 0) return [...kept, report.slice(at)].join('');
    kept.push(report.slice(at, from));
    at = to + 3;
  }
}

function traceWords({ errorType, message }: Trace, frames: readonly MappedFrame[]): readonly string[] {
  const own = frames.filter(({ mapping }) => listPaths(mapping).length > 0).slice(0, MAX_FRAMES);
  const last = (name: string): string => name.split(/[.:]+/).slice(-2).join(' ');
  return [
    `${errorType} ${message}`,
    ...own.map(({ frame }) => `${last(frame.function)} ${last(frame.symbol)} ${frame.code} ${getFileName(frame.file)}`),
  ];
}

interface Reader {
  readonly parts: Readonly<Record<Exclude<PartName, 'title'>, string[]>>;
  prose(line: string): void;
  code(line: string): void;
}

function createReader(title: string): Reader {
  const parts = { prose: [] as string[], name: [] as string[], code: [] as string[], log: [] as string[] };
  let isAside = false;
  let isTitle = title !== '';
  const withoutNames = (line: string): string =>
    line.replace(INLINE, (_, name: string) => {
      parts.name.push(name);
      return ' ';
    });
  return {
    parts,
    prose(line) {
      if (isTitle && line.trim() !== '') {
        isTitle = false;
        withoutNames(line);
        return;
      }
      const heading = headingOf(line);
      if (heading !== '') {
        isAside = ASIDE.test(heading);
        if (!isAside && !FORM.test(heading)) parts.prose.push(heading);
      } else if (!isAside && !CHECKBOX.test(line)) parts.prose.push(withoutNames(line).replace(ADDRESS, ' '));
    },
    code(line) {
      if (isAside) return;
      parts[ERROR_LINE.test(line) ? 'log' : 'code'].push(line.replace(ADDRESS, ' '));
    },
  };
}

function headingOf(line: string): string {
  const text = line.trim();
  if (text.length > 100) return '';
  const marked = /^#{1,6}\s+(.+)$/.exec(text) ?? /^\*\*([^*]{2,80})\*\*:?$/.exec(text);
  return (marked?.[1] ?? '').replace(/[:#*_`\s?!.]{1,20}$/, '').replace(/^[^\p{L}\p{N}]{1,20}/u, '');
}
