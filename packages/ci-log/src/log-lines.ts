// A CI log as lines without time stamps and colours, the steps that they belong to, and what a passing log of the same
// job prints as well.
import { removeAnsi, removePrefix } from 'causeway-log-lines';

export interface LogLine {
  readonly text: string;
  /**
   * `echo`: the script of a step shown before it runs. `shell`: one command of it, `text` begins with `$ `. `begin`,
   * `end`: a part of the log opens or closes, `text` is its name.
   */
  readonly mark: '' | 'begin' | 'end' | 'error' | 'warning' | 'command' | 'debug' | 'echo' | 'shell';
  /** Name of the step where each line says it; "" else. */
  readonly step: string;
  /** Whether most of it is red: tools colour what they call a failure. */
  readonly isRed?: boolean;
}

/** Longer lines are cut before any pattern looks at them. */
const MAX_CHARACTERS = 1_000;

/** A log of more lines has its cause in the last ones. */
const MAX_LINES = 100_000;

/** As `gh run view --log` prints it: job, step and line with tabs between. */
const COLUMNS = /^[^\t]{1,200}\t([^\t]{1,200})\t(?=\uFEFF?\d{4}-\d\d-\d\dT)/;

/** What `gh` prints where it cannot tell the step. */
const UNKNOWN_STEP = 'UNKNOWN STEP';

/** An escape character as other programs write it out: `cat -v`, JSON, shells. */
const WRITTEN_ESCAPE = /(?:\^\[|\\x1b|\\u001b|\\033|\u241b)(?=\[[\d;]{0,20}[mKGJ])/gi;

/** Colours that lost their escape character on the way, on lines with one that is nothing else. */
const LOST_COLOUR = /\[(?:\d{1,3}(?:;\d{1,3}){0,4})?m(?!\])/g;
const SURE_COLOUR = /\[(?:0|22|27|39|49|[349][0-7]|\d{1,3}(?:;\d{1,3}){1,4})m(?!\])/;

const TIME_STAMP =
  /^\[?(?:[a-z:]{2,20} )?\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]?(?: \d\d[OE][ +]?)? ?/;

/** Harnesses stamp each line a second time: `22:10:06     INFO - `. What is after a clock in brackets may be indented. */
const CLOCK =
  /^(?:\[\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]:? |\[?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]? {1,8}(?:(?=INFO|WARNING|ERROR|DEBUG|CRITICAL)[A-Z]{4,8} {1,4}- )?)/;

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
export function readLogLines(log: string): readonly LogLine[] {
  const lines = log.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  return markSettings(removePrefix(lines.slice(-MAX_LINES)).map(readLogLine));
}

const SETTINGS = /^(?:shell: \S|env:$|with:$)/;

/** How GitHub Actions runs a step: the end of the group that shows its script. */
function markSettings(lines: readonly LogLine[]): readonly LogLine[] {
  let part: ScriptPart = 'other';
  return lines.map((line) => {
    part = findScriptPart(line, part);
    return part === 'settings' && line.mark === '' ? { ...line, mark: 'echo' } : line;
  });
}

type ScriptPart = 'other' | 'script' | 'settings';

function findScriptPart({ mark, text }: LogLine, part: ScriptPart): ScriptPart {
  if (mark === 'begin') return RUN.test(text) ? 'script' : 'other';
  if (mark === 'end') return 'other';
  if (mark !== '' || part === 'other') return part;
  if (SETTINGS.test(text)) return 'settings';
  // The end of the group may be cut out of a long log.
  return part === 'settings' && !text.startsWith('  ') ? 'other' : part;
}

/** One line, without its end. */
export function readLogLine(raw: string): LogLine {
  const named = raw.includes('\t') ? (COLUMNS.exec(raw)?.[1] ?? '') : '';
  const step = named === UNKNOWN_STEP ? '' : named;
  const cut = (named === '' ? raw : raw.replace(COLUMNS, '')).slice(0, MAX_CHARACTERS + 200).replace(/^\uFEFF/, '');
  const stamped = restoreColours(cut).replace(TIME_STAMP, '');
  const bare = removeAnsi(stamped)
    .replace(TIME_STAMP, '')
    .replace(CLOCK, '')
    .replace(PART_OF_IMAGE, '')
    .slice(0, MAX_CHARACTERS)
    .trimEnd();
  if (stamped.startsWith(ECHO)) return { text: bare, mark: 'echo', step };
  if (SHELL.test(stamped)) return { text: bare, mark: 'shell', step };
  const line = { ...readMark(bare), step };
  return isMostlyRed(stamped) ? { ...line, isRed: true } : line;
}

/** What changes a colour. */
const COLOUR = /\u001b\[([\d;]{0,20})m/g;

/** Red in front or behind, bright, or of the palette of 256. */
const RED = /(?:^|;)(?:31|91|41|101|38;5;(?:1|9|160|196))(?:;|$)/;

/** None, or another one in front. */
const OTHER = /^$|(?:^|;)(?:0{1,2}|3[02-9]|9[02-7])(?:;|$)/;

/** Whether more of it is printed in red than not. */
function isMostlyRed(text: string): boolean {
  if (!text.includes('\u001b[')) return false;
  let [isRed, after] = [false, 0];
  const count = [0, 0];
  const add = (to: number) => {
    count[isRed ? 1 : 0] = (count[isRed ? 1 : 0] ?? 0) + text.slice(after, to).replace(/\s+/g, '').length;
  };
  for (const { 0: code, 1: codes = '', index } of text.matchAll(COLOUR)) {
    add(index);
    isRed = RED.test(codes) || (isRed && !OTHER.test(codes));
    after = index + code.length;
  }
  add(text.length);
  return (count[1] ?? 0) > (count[0] ?? 0);
}

function restoreColours(text: string): string {
  if (!text.includes('[')) return text;
  const restored = text.replace(WRITTEN_ESCAPE, '\u001b');
  return SURE_COLOUR.test(restored) && !restored.includes('\u001b') ? restored.replace(LOST_COLOUR, '') : restored;
}

function readMark(bare: string): Pick<LogLine, 'text' | 'mark'> {
  const fold = FOLD.exec(bare);
  if (fold) return { text: fold[3] ?? '', mark: (fold[1] ?? fold[2]) === 'start' ? 'begin' : 'end' };
  if (TIMER.test(bare)) return { text: '', mark: '' };
  if (bare.startsWith('[command]')) return { text: bare.slice(9), mark: 'command' };
  const kind = MARKED.exec(bare)?.[1];
  if (!kind) return { text: bare, mark: '' };
  return { text: bare.slice(kind.length + 4), mark: MARKS[kind as keyof typeof MARKS] };
}

/** Whether a program printed it, or the runner as an error; not what the runner shows of the script. */
export function isPrinted({ mark }: LogLine): boolean {
  return mark === '' || mark === 'error';
}

export function measureLineIndent(text: string): number {
  return text.length - text.trimStart().length;
}

export interface LogStep {
  /** "" where the log names none. */
  readonly name: string;
  /** `setup`: fetching what the work needs: checkout, tools, dependencies, images. */
  readonly phase: 'setup' | 'work' | 'cleanup';
  /** Index of its first line, and of the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly isFailed: boolean;
}

interface StepOpening {
  readonly name: string;
  readonly phase: LogStep['phase'];
  readonly at: number;
}

const MAX_NAME = 200;

const RUN = /^Run \S/;

const RUNNING = /^(?:Run \S|Starting: )/;

const CLEANUP = /^(?:Post job cleanup\.|Cleaning up orphan processes|Post Run |Post )/;

/** Names of the parts that Travis and GitLab fold. */
const SETUP_PART =
  /^(?:worker_info|system_info|git[._]|before_install|install|cache|apt|services|resolvconf|prepare_|get_sources|restore_cache|download_artifacts|rvm|nvm|announce)/;

const CLEANUP_PART = /^(?:after_|archive_cache|upload_artifacts|cleanup|cache\.2)/;

const SETUP_ACTION =
  /^(?:Run |Starting: )?(?:(?:actions\/(?:checkout|cache|download-artifact)|[\w.-]{1,60}\/(?:[\w.-]{0,60}setup[\w.-]{0,60}|login-action|checkout[\w.-]{0,40}))(?:\/[\w.-]{1,60})?@|Checkout\b|Initialize |Set ?up\b|Prepare |Pull )/i;

const INSTALL =
  /(?:^|[\s;&|])(?:npm (?:ci|i|install)|yarn(?: install|$)|pnpm (?:i|install)|bun install|pip3? install|python3? -m pip install|poetry install|uv (?:sync|pip)|pipenv install|conda (?:install|env|create)|apt(?:-get)? (?:-\S{1,60} ){0,10}(?:install|update)|apk add|yum |dnf |brew |choco |bundle install|gem install|composer install|go mod download|cargo fetch|dotnet restore|nuget restore|docker (?:pull|login)|git (?:clone|fetch|checkout|submodule)|wget |curl |rustup )/;

/** Travis says after each command how it ended, in several lines where the command has several. */
const COMMAND = 'The command "';

const COMMAND_ENDED = /" (?:failed(?: \d times\.|\.$| and exited)|(?:failed and )?exited with (\d{1,3}))/;

/** The code of a long command is so many lines below. */
const MAX_COMMAND_LINES = 12;

/** A command is known by its start: what it prints itself may be glued to its end. */
const COMMAND_START = 60;

/** The runner says among so many last lines of a step that it failed. */
const LAST_LINES = 12;

/** A log that names no step is one, failed. What comes after the end of a command is of none. */
export function findSteps(lines: readonly LogLine[]): readonly LogStep[] {
  const openings = readOpenings(lines);
  const ends = findEndedCommands(findCommandEnds(lines), openings);
  return openings.map(({ name, phase, at }, index): LogStep => {
    const end = ends.get(at);
    const to = Math.min(openings[index + 1]?.at ?? lines.length, end === undefined ? lines.length : end.at + 1);
    const last = lines.slice(Math.max(at, to - LAST_LINES), to);
    const isFailed = openings.length === 1 || end?.isFailed === true || last.some(({ mark }) => mark === 'error');
    return { name: name.slice(0, MAX_NAME), phase, from: at, to, isFailed };
  });
}

function readOpenings(lines: readonly LogLine[]): readonly StepOpening[] {
  const openings: StepOpening[] = [{ name: '', phase: 'work', at: 0 }];
  let part = '';
  for (const [at, line] of lines.entries()) {
    part = findPartAfter(line, part);
    const opening = readOpening(line, part);
    if (!opening || (line.step !== '' && openings.at(-1)?.name === opening.name)) continue;
    if (at === 0) openings.pop();
    openings.push({ ...opening, at });
  }
  return openings;
}

function findPartAfter({ mark, text }: LogLine, part: string): string {
  if (mark === 'begin') return text;
  return mark === 'end' ? '' : part;
}

function readOpening({ text, mark, step }: LogLine, part: string): Omit<StepOpening, 'at'> | null {
  if (step !== '') return { name: step, phase: findPhase(step) };
  if (mark === 'begin' && RUNNING.test(text))
    return { name: text.replace(/^(?:Run|Starting:) /, ''), phase: findPhase(text) };
  if (mark === 'shell') return { name: text.slice(2), phase: findPartPhase(part, text) };
  return mark === '' && CLEANUP.test(text) ? { name: text, phase: 'cleanup' } : null;
}

function findPartPhase(part: string, command: string): LogStep['phase'] {
  if (CLEANUP_PART.test(part)) return 'cleanup';
  return SETUP_PART.test(part) ? 'setup' : findPhase(command);
}

function findPhase(name: string): LogStep['phase'] {
  if (CLEANUP.test(name)) return 'cleanup';
  return SETUP_ACTION.test(name) || INSTALL.test(name) ? 'setup' : 'work';
}

interface CommandEnd {
  /** Index of the line that says so. */
  readonly at: number;
  /** How the command starts. */
  readonly name: string;
  readonly isFailed: boolean;
}

function findCommandEnds(lines: readonly LogLine[]): readonly CommandEnd[] {
  return lines.flatMap(({ text, mark }, from) => {
    const start = mark === '' ? text.indexOf(COMMAND) : -1;
    return start < 0 ? [] : readCommandEnd(lines, from, text.slice(start + COMMAND.length, start + COMMAND_START));
  });
}

function readCommandEnd(lines: readonly LogLine[], from: number, command: string): readonly CommandEnd[] {
  for (let at = from; at < Math.min(from + MAX_COMMAND_LINES, lines.length); at += 1) {
    const end = COMMAND_ENDED.exec(lines[at]?.text ?? '');
    const name = at === from ? (command.split('" ', 1)[0] ?? '') : command;
    if (end) return [{ at, name: name.trimEnd(), isFailed: Number(end[1] ?? 1) > 0 }];
  }
  return [];
}

/** By the line at which the step of the command begins. */
function findEndedCommands(
  ends: readonly CommandEnd[],
  openings: readonly StepOpening[],
): ReadonlyMap<number, CommandEnd> {
  const found = new Map<number, CommandEnd>();
  for (const end of ends) {
    const before = openings.filter((opening) => opening.at <= end.at);
    const own = before.findLast((opening) => opening.name.startsWith(end.name)) ?? before.at(-1);
    if (own && (end.isFailed || found.get(own.at)?.isFailed !== true)) found.set(own.at, end);
  }
  return found;
}

/** Lines of a job that passed. */
export interface PassingLog {
  /** Whether the passing log has this line too, apart from numbers, times, hashes and folders. */
  has(text: string): boolean;
}

const MAX_LINE = 400;

/** A line of less than this many letters says nothing of where it came from. */
const MIN_LETTERS = 3;

/** Reads the log as {@link readLogLines} does; one set of short strings is kept of it. */
export function readPassingLog(log: string): PassingLog {
  const known = new Set<string>();
  for (const { text } of readLogLines(log)) {
    const words = normaliseLine(text);
    if (words.length >= MIN_LETTERS) known.add(words);
  }
  return { has: (text) => known.has(normaliseLine(text)) };
}

/** None failed is not the same as one failed: `0` stays apart from other numbers. */
function normaliseLine(text: string): string {
  return text
    .slice(0, MAX_LINE)
    .replace(/[\w.@~+:/\\-]+/g, findFileName)
    .replace(/\b(?=[a-f]*\d)[\da-f]{7,64}\b/gi, '#')
    .replace(/\d+(?:[.,:]\d+)*/g, (digits) => (/[1-9]/.test(digits) ? '9' : '0'))
    .replace(/\s+/g, ' ')
    .trim();
}

/**
 * Of a path; a word without folders stays. Words are matched whole: a search for the slash would restart at every
 * letter.
 */
function findFileName(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1) || '/';
}
