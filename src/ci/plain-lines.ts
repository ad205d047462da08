// A CI log as plain lines: no time stamps, no colours; what the runner marked is told apart from what programs printed.
import { removeAnsi } from '../triage/report-text.ts';

export interface PlainLine {
  readonly text: string;
  /** `echo`: the script of a step shown before it runs. `shell`: one command of it, `text` begins with `$ `. `begin`, `end`: a part of the log opens or closes, `text` is its name. */
  readonly mark: '' | 'begin' | 'end' | 'error' | 'warning' | 'command' | 'debug' | 'echo' | 'shell';
  /** Name of the step where each line says it; "" else. */
  readonly step: string;
}

/** Longer lines are cut before any pattern looks at them. */
const MAX_LINE = 1_000;
/** A log of more lines has its cause in the last ones. */
export const MAX_LINES = 100_000;
/** As `gh run view --log` prints it: job, step and line with tabs between. */
const COLUMNS = /^[^\t]{1,200}\t([^\t]{1,200})\t(?=\uFEFF?\d{4}-\d\d-\d\dT)/;
const STAMP =
  /^\[?(?:[a-z:]{2,20} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE][ +]?)? ?/;
/** Harnesses stamp each line a second time: `22:10:06     INFO - `. */
const CLOCK = /^\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]? {1,8}(?:(?=INFO|WARNING|ERROR|DEBUG|CRITICAL)[A-Z]{4,8} {1,4}- )?/;
/** Builds of container images number their parts, and count the seconds. */
const PART_OF_IMAGE = /^#\d{1,4} \d{1,6}\.\d{1,4} /;
const MARKED = /^##\[(group|endgroup|error|warning|debug|command|section)\]/;
const FOLD = /^(?:travis_fold:(start|end):|section_(start|end):\d{1,12}:)([\w.-]{1,100})/;
const TIMER = /^travis_time:(?:start|end):/;
const ECHO = '\u001b[36;1m';
/** As Travis and GitLab print the command that comes next; package managers print theirs in other colours. */
const SHELL = /^(?:\u001b\[0K\u001b\[32;1m|\u001b\[32;1m|\u001b\[0K)\$ \S/;
const MARKS = {
  group: 'begin',
  section: 'begin',
  endgroup: 'end',
  error: 'error',
  warning: 'warning',
  debug: 'debug',
  command: 'command',
} as const;

/** Lines in order; a progress line that rewrites itself is as many as it was written times. */
export function plainLines(log: string): readonly PlainLine[] {
  const lines = log.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  return lines.slice(-MAX_LINES).map(plainLine);
}

/** One line, without its end. */
export function plainLine(raw: string): PlainLine {
  const step = raw.includes('\t') ? (COLUMNS.exec(raw)?.[1] ?? '') : '';
  const cut = (step === '' ? raw : raw.replace(COLUMNS, '')).slice(0, MAX_LINE + 200).replace(/^\uFEFF/, '');
  const stamped = cut.replace(STAMP, '');
  const bare = removeAnsi(stamped)
    .replace(STAMP, '')
    .replace(CLOCK, '')
    .replace(PART_OF_IMAGE, '')
    .slice(0, MAX_LINE)
    .trimEnd();
  if (stamped.startsWith(ECHO)) return { text: bare, mark: 'echo', step };
  if (SHELL.test(stamped)) return { text: bare, mark: 'shell', step };
  return { ...marked(bare), step };
}

function marked(bare: string): Pick<PlainLine, 'text' | 'mark'> {
  const fold = FOLD.exec(bare);
  if (fold) return { text: fold[3] ?? '', mark: (fold[1] ?? fold[2]) === 'start' ? 'begin' : 'end' };
  if (TIMER.test(bare)) return { text: '', mark: '' };
  if (bare.startsWith('[command]')) return { text: bare.slice(9), mark: 'command' };
  const kind = MARKED.exec(bare)?.[1];
  if (!kind) return { text: bare, mark: '' };
  return { text: bare.slice(kind.length + 4), mark: MARKS[kind as keyof typeof MARKS] };
}
