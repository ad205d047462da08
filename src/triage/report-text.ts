// A report as lines and sections, without colours and log prefixes; and its fingerprint.
import { createHash } from 'node:crypto';
import { markCode, removeAnsi, removePrefixes } from 'causeway-log-lines';
import type { ReportedError } from './report-errors.ts';

/** HTML comments hold the template's instructions, never the reporter's words. An unclosed one hides nothing. */
export function removeHtmlComments(text: string): string {
  const kept: string[] = [];
  let at = 0;
  for (;;) {
    const from = text.indexOf('<!--', at);
    const to = from < 0 ? -1 : text.indexOf('-->', from);
    if (to < 0) return [...kept, text.slice(at).replaceAll('<!--', '')].join('');
    kept.push(text.slice(at, from));
    at = to + 3;
  }
}

const UNDERLINE = /^(?:={3,}|-{3,})\s*$/;

interface ReportSection {
  /** Without marks and final colon; "" before the first heading. */
  readonly heading: string;
  /** Whether it is not a heading in form, but a label of a few words: it reaches no further than what follows it at once. */
  readonly isLabel: boolean;
  readonly lines: readonly string[];
}

/** What stands under a heading, as far as its words say it. */
export type HeadingKind = 'steps' | 'expected' | 'actual' | 'environment' | 'other';

/** Words of the field in the languages that most reports are written in. English is first, since most are in it. */
const HEADINGS: readonly (readonly [HeadingKind, RegExp])[] = [
  [
    'expected',
    /^(?:(?:the )?expect(?:ed|ation)s?\b|what (?:(?:did|do|had) (?:you|i) expect|(?:you|i) expect|(?:is|was) (?:the )?expected|should (?:have )?happen)|describe what you expect|erwartet|was (?:wurde |hast du )?erwartet|(?:comportement|résultat)s? attendu|attendu\b|(?:comportamiento|resultado|comportamento) esperado|esperado\b|comportamento previsto|risultato atteso|verwacht|ожидаем|期望|预期|期待|想定|예상|기대)/iu,
  ],
  [
    'actual',
    /^(?:(?:the )?actual\b|current(?:ly)? (?:behaviou?r|results?|output)|observed\b|what (?:(?:is|was) (?:the )?(?:actual|current)|(?:actually )?happen(?:s|ed)|did you see|do you see|went wrong)|(?:but )?instead\b|tatsächlich|aktuelles verhalten|was passiert|(?:comportement|résultat)s? (?:actuel|observé|obtenu|constaté)|obtenus?\b|(?:comportamiento|resultado|comportamento) (?:actual|real|atual|obtenido|observado)|risultato (?:attuale|ottenuto)|фактическ|实际|当前(?:行为|结果)|現在の|実際|실제)/iu,
  ],
  [
    'steps',
    /\b(?:steps?(?: \w+){0,2} to (?:re-?produce|re-?create|replicate|repeat|trigger)|how to (?:re-?produce|re-?create|replicate|trigger)|(?:to|can be|i) re-?produce|re-?produc(?:tion|ing|er|ible|e|es)(?: steps?| case| example| code| script| repo(?:sitory)?| of the (?:bug|issue|problem))?|repro(?: steps?| case| code)?|replication steps?|test case|(?:minimal|minimum|short|simple|small|complete|self[- ]contained|full)(?:,? (?:minimal|working|runnable|reproducible|complete|verifiable|code|test|self[- ]contained)){0,3} (?:example|sample|program|snippet|script|code|case|repro\w*)|(?:code|example|sample) to (?:re-?produce|trigger|show)|example code|sample code|code (?:example|sample|snippet)|mwe|mcve|reprex|schritte|reproduktion|reproduzier\w*|minimalbeispiel|beispielcode|pasos|reproducir|ejemplo mínimo|passos|reproduzir|passi per|come riprodurre|stappen)\b|\bétapes\b|\breproduire\b|exemple minimal|шаги|воспроизв|(?:复现|重现|復現|重現)|操作步骤|^步骤|再現|^手順|재현/iu,
  ],
  [
    'environment',
    /^(?:(?:system |your |my )?(?:info(?:rmation)?|environment|versions?)\b|umgebung|systeminfo|environnement|entorno|ambiente|环境|環境|版本|バージョン|動作環境|환경|окружение)/iu,
  ],
];

/** No form's heading is longer. */
const MAX_HEADING = 90;

export function classifyHeading(heading: string): HeadingKind {
  const text = heading.slice(0, MAX_HEADING);
  return HEADINGS.find(([, words]) => words.test(text))?.[0] ?? 'other';
}

/**
 * Markdown headings (`## x`, `**x**`, underlined), short lines that end with a colon, and labels that the text follows
 * on the same line (`Expected: x`); none inside code blocks.
 */
export function splitSections(lines: readonly string[]): readonly ReportSection[] {
  const found: StartedSection[] = [{ heading: '', isLabel: false, lines: [] }];
  for (const [index, { text, kind }] of markCode(lines).entries()) {
    const start = kind === 'prose' ? readSectionStart(text, lines[index + 1] ?? '') : null;
    if (start !== null) found.push(start);
    else if (kind !== 'prose' || !UNDERLINE.test(text)) found.at(-1)?.lines.push(text);
  }
  return found.filter((section) => section.heading !== '' || section.lines.length > 0);
}

interface StartedSection extends ReportSection {
  readonly lines: string[];
}

function readSectionStart(line: string, next: string): StartedSection | null {
  const [, together = '', rest = ''] = RUN_TOGETHER.exec(line.slice(0, MAX_LINE)) ?? [];
  if (together !== '') return { heading: together, isLabel: false, lines: splitInlineItems(rest) };
  const heading = readReportHeading(line, next);
  return heading === '' ? readLabel(line) : { heading, isLabel: false, lines: [] };
}

/** The words are enough to be a heading. */
const TELLING: ReadonlySet<HeadingKind> = new Set(['steps', 'expected', 'actual']);

function readReportHeading(line: string, next: string): string {
  const text = line.trim();
  if (text.length > MAX_HEADING || text === '') return '';
  const marked =
    /^#{1,6}\s+(.+?)\s*#*$/.exec(text) ?? /^\*\*([^*]{2,80})\*\*:?$/.exec(text) ?? /^__([^_]{2,80})__:?$/.exec(text);
  const plain =
    /^((?:steps?|how) to reproduce|reproduction(?: steps)?|to reproduce|expected(?: behaviou?r| results?)?|actual(?: behaviou?r| results?)?|environment|versions?|additional context|logs?|description|current behaviou?r)[^.]{0,40}:?$/i.exec(
      text,
    );
  const underlined = UNDERLINE.test(next) && /^[\w“"'`(]/.test(text) ? [text, text] : null;
  const heading =
    marked?.[1] ??
    (plain && (text.endsWith(':') || text.length < 40) ? text : null) ??
    underlined?.[1] ??
    (isBareLabel(text) ? text : '');
  return heading.replace(/[:：*_`\s]+$/, '').replace(/^[^\p{L}\p{N}]+/u, '');
}

/** `再現手順` by itself on its line: these scripts have neither capitals nor a need for a mark. */
function isBareLabel(text: string): boolean {
  return /^[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2,12}$/.test(text) && TELLING.has(classifyHeading(text));
}

const MAX_LABEL = 70;

const MAX_LABEL_WORDS = 8;

const LABELS = [
  /^[\s>*_#+-]{0,8}([\p{L}\p{N}][\p{L}\p{N} '’/()-]{1,50})[*_]{0,3}\s?[:：](?!\/\/)[*_]{0,3}\s{0,4}(.*)$/u,
  /^\s{0,3}\*\*([^*]{2,60})\*\*:?\s{1,4}(\S.*)$/,
];

/** `## Steps to Reproduce 1. Open it`: a form that lost its line ends. */
const RUN_TOGETHER =
  /^#{1,6} {1,3}(steps to reproduce|how to reproduce|to reproduce|expected behaviou?r|actual behaviou?r|current behaviou?r)\b[:：]?\s{1,4}(1[.)] \S.*|\S+ (?:\S+ ){2}\S.*)$/i;

/**
 * `Minimal example:`, `复现步骤：`, `Expected: 3 items`, `**Steps to reproduce** 1. Open …`: a few words, of which one says
 * what follows.
 */
function readLabel(line: string): StartedSection | null {
  if (!/[:：*#]/.test(line.slice(0, MAX_LABEL))) return null;
  for (const form of LABELS) {
    const [, heading = '', rest = ''] = form.exec(line.slice(0, MAX_LINE)) ?? [];
    if (
      heading !== '' &&
      heading.trim().split(/\s+/).length <= MAX_LABEL_WORDS &&
      TELLING.has(classifyHeading(heading))
    )
      return { heading: heading.trim(), isLabel: true, lines: rest.trim() === '' ? [] : splitInlineItems(rest) };
  }
  return null;
}

/** A list on one line: `1. Open it. 2. Close it.` */
function splitInlineItems(text: string): string[] {
  return /^1[.)] /.test(text) ? text.split(/\s(?=\d{1,2}[.)] \S)/) : [text];
}

/** Longer first lines are cut to this many characters as titles. */
export const MAX_TITLE = 300;

/** `## Title: …`, `**Issue Title:** …`: the label that a form puts before its title. */
const TITLE_LABEL = /^(?:issue |bug )?title(?:\s*[:：]|$)/i;

/** The first line of a report without marks and label; "" for a label without a title, which the next line then is. */
export function cleanTitle(line: string): string {
  const bare = line.trim().replace(/^(?:#{1,6}\s*|\*{1,2}|_{1,2}(?=[A-Za-z]))+/, '');
  if (!TITLE_LABEL.test(bare.replace(/\*{1,2}|_{1,2}$/g, ''))) return line.trim().replace(/^#{1,6}\s*/, '');
  return bare.replace(/^[^:：]*[:：]?/, '').replace(/^[*_\s]{1,20}|[*_\s]{1,20}$/g, '');
}

/** `[Feature] …`, `Enhancement: …`, `… (feature request)`: what a title says of itself. */
const WISH_TITLE =
  /^\W{0,6}(?:title:? {0,2})?(?:\[(?:feature|feat|enhancement|proposal|rfe|request|idea|suggestion)\b[^\]]{0,20}\]|(?:feature(?:[- ]request)?|feat|enhancement|proposal|rfe|suggestion|wunsch)(?:\([\w/-]{1,30}\))?\*{0,2} ?[:：]|feature[- ]request {1,2}[–—-])|^(?!\W{0,6}bug\b).{0,200}\bfeature[- ]request\W{0,6}$/i;

/** What a form for wishes asks. */
const WISH_HEADING =
  /^\W{0,6}(?:is your feature request related to|describe the (?:solution|feature|enhancement)s? you|feature (?:request|description|proposal)\b\W{0,6}$|describe your feature)/i;

/**
 * Whether the report asks for something new, by its title or by the form that it fills in; one form is for faults as
 * well. What shows an error is no wish, whatever else it says.
 */
export function readsAsWish(
  text: string,
  { traces, errors }: { readonly traces: readonly unknown[]; readonly errors: readonly Pick<ReportedError, 'from'>[] },
): boolean {
  if (traces.length > 0 || errors.some(({ from }) => from !== 'quote')) return false;
  const lines = removeHtmlComments(text)
    .slice(0, 20_000)
    .split('\n', 200)
    .map((line) => line.slice(0, 200));
  if (WISH_TITLE.test(lines.find((line) => /\p{L}/u.test(line)) ?? '')) return true;
  return lines.some((line) => WISH_HEADING.test(line)) && !lines.some((line) => /^\W{0,6}bug report\b/i.test(line));
}

/** Longer lines are cut before any pattern looks at them: a minified bundle in a log must not cost seconds. */
const MAX_LINE = 2_000;

/**
 * Of each half of a report. A megabyte of line ends kept the event loop busy for a second and a half; a log of that
 * size has some 12,000 lines.
 */
const MAX_LINES = 10_000;

const CI_TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z /;

const SERVICE = /^[A-Za-z][\w.-]{0,60} {1,40}\| /;

/** Test runners mark each line of their own failure: `INTERNALERROR> Traceback …`. */
const MARK = /^[A-Z]{4,30}> ?/;

/** `>>> total([1])` is what Python prompts with, and hardly ever a quotation of a quotation of one. */
const QUOTE = /^(?!>>> \S)(?:> ?){1,8}/;

/**
 * Lines of the text without colours and prefixes of CI and container logs; each cut to 2,000 characters. Of a text
 * with more than 20,000 lines the first and the last 10,000. What is inside a code block is no quotation, and stays as
 * it is where `code` is `verbatim`.
 */
export function toPlainLines(text: string, code: 'log' | 'verbatim' = 'log'): string[] {
  const lines: string[] = [];
  const kept = keepBothEnds(removeAnsi(text).split(/\r\n|\n|\r/));
  for (const { text: line, kind } of markCode(code === 'log' ? removePrefixes(kept) : kept)) {
    const isCode = kind === 'code';
    const parts = isCode && code === 'verbatim' ? [line] : removeLineMarks(line, isCode);
    for (const part of parts) lines.push(part.slice(0, MAX_LINE));
  }
  // One line of JSON may hold a trace of 200,000.
  return keepBothEnds(lines);
}

function removeLineMarks(line: string, isCode: boolean): readonly string[] {
  const unmarked = line.replace(CI_TIME, '').replace(SERVICE, '').replace(MARK, '');
  const bare = isCode ? unmarked : unmarked.replace(QUOTE, '');
  if (isFolded(bare)) return unfoldLine(bare);
  return ON_ONE_LINE.test(bare) ? bare.slice(0, MAX_FLOWED).split(ONE_LINE_FRAME) : [bare];
}

/** A form field, or a browser, has made one line of a stack of PHP or of Kotlin/Native. */
const ON_ONE_LINE = / Stack trace: #0 | at 0 {1,40}\S{1,60} {1,40}0x[0-9a-f]{6,16} .{1,400} at 1 {1,40}\S/;

const ONE_LINE_FRAME = / (?=Stack trace: #0 |#\d{1,3} |thrown in |at \d{1,3} {1,40}\S{1,60} {1,40}0x[0-9a-f]{6,16} )/;

/** Characters of such a line that are read. */
const MAX_FLOWED = 20_000;

function keepBothEnds(lines: string[]): string[] {
  return lines.length > 2 * MAX_LINES ? [...lines.slice(0, MAX_LINES), ...lines.slice(-MAX_LINES)] : lines;
}

/** A stack trace inside a JSON string: `"stack":"Error: x\n    at f (a.js:1:2)"`. */
function isFolded(line: string): boolean {
  return line.includes('\\n') && /\\n(?:\\t|\s){0,8}(?:at |File |Caused by|goroutine )/.test(line);
}

/** The lines of the string that holds the trace; the text around it on the line becomes a line of its own. */
function unfoldLine(line: string): string[] {
  const [first = '', ...rest] = line.split('\\n');
  const opening = /^(.*(?<!\\)")([^"]*)$/.exec(first.slice(-MAX_LINE));
  const parts = [opening?.[1] ?? '', opening?.[2] ?? first, ...rest.map((part) => part.replace(/(?<!\\)".*$/s, ''))];
  return parts.map((part) => part.replaceAll('\\r', '').replaceAll('\\t', '\t').replaceAll('\\"', '"'));
}

/** What people type to get a project; nothing in it names a place of its source. A longer line may be a sentence. */
const SET_UP =
  /^[\s$>#%`-]{0,8}(?:sudo )?(?:(?:npm|pnpm|yarn|bun) (?:i|ci|add|install|init|create)|yarn$|(?:python3? -m )?(?:uv )?pip3? install|(?:poetry|uv|cargo|composer|dotnet) (?:add|install|require|init|new)|go (?:get|install|mod)|git (?:clone|checkout|pull|fetch)|(?:gem|brew|apt|apt-get|conda|dnf|yum) install|cd|mkdir)(?: \S{1,200}){0,4}$/;

export function isSetUpCommand(line: string): boolean {
  return SET_UP.test(line);
}

const HEX = '[0-9a-fA-F]';

const UUID = new RegExp(`\\b${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}\\b`, 'g');

const ISO_TIME = /\b\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z\b| ?[+-]\d\d:?\d\d\b)?/g;

/** Web server logs: `02/Jan/2024:13:55:36 +0000`. */
const ACCESS_LOG_TIME = /\b\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d(?: [+-]\d{4})?/g;

const SYSLOG_DAY = /\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}(?= \d\d:\d\d:\d\d)/g;

/** Not after a colon or letter: `file.ts:12:34:56` is a place, not a clock. */
const CLOCK_TIME = /(?<![\w:.])\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AaPp][Mm]\b)?/g;

const EPOCH = /(?<![\w.])1[5-9]\d{8}(?:\d{3}|\.\d{1,9})(?![\w.])/g;

/** Eight digits that begin with 8 or C are result codes (0x80070005, 0xC0000005): those name the error and stay. */
const ADDRESS = /\b0x(?![89cC][0-9a-fA-F]{7}\b)[0-9a-fA-F]{6,16}\b/g;

const DURATION =
  /(?<![\w.])(?:\d{1,6}h)?(?:\d{1,6}m)?\d{1,9}(?:\.\d{1,9})?(?:[nµu]?s| ?ms| ?(?:sec|second|minute|min|hour|millisecond)s?)(?!\w)/g;

/**
 * SHA-256 (hex) of the text without what differs between two sightings of one problem: colours, times, durations,
 * UUIDs, addresses, white space.
 */
export function computeReportFingerprint(text: string): string {
  return createHash('sha256').update(normaliseText(text)).digest('hex');
}

function normaliseText(text: string): string {
  return removeAnsi(text)
    .replace(UUID, '<uuid>')
    .replace(ISO_TIME, '<time>')
    .replace(ACCESS_LOG_TIME, '<time>')
    .replace(SYSLOG_DAY, '<day>')
    .replace(CLOCK_TIME, '<time>')
    .replace(EPOCH, '<time>')
    .replace(ADDRESS, '<address>')
    .replace(DURATION, '<duration>')
    .replace(/\s+/g, ' ')
    .trim();
}
