// The steps of a CI log: where each begins, what it is for, and whether it failed.
import type { PlainLine } from './plain-lines.ts';

export interface Step {
  /** "" where the log names none. */
  readonly name: string;
  /** `setup`: fetching what the work needs: checkout, tools, dependencies, images. */
  readonly phase: 'setup' | 'work' | 'cleanup';
  /** Index of its first line, and of the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly isFailed: boolean;
}

interface Opening {
  readonly name: string;
  readonly phase: Step['phase'];
  readonly at: number;
}

const MAX_NAME = 200;
const RUN = /^Run \S/;
const SECTION = /^Starting: /;
const CLEANUP = /^(?:Post job cleanup\.|Cleaning up orphan processes|Post Run |Post )/;
const STAGE = /^\[Pipeline\] \{ \((.{1,150})\)$/;
/** Names of the parts that Travis and GitLab fold. */
const SETUP_PART =
  /^(?:worker_info|system_info|git[._]|before_install|install|cache|apt|services|resolvconf|prepare_|get_sources|restore_cache|download_artifacts|rvm|nvm|announce)/;
const CLEANUP_PART = /^(?:after_|archive_cache|upload_artifacts|cleanup|cache\.2)/;
const WORK_PART = /^(?:step_script|build_script|script|before_script)/;
const SETUP_ACTION =
  /^(?:Run |Starting: )?(?:(?:actions\/(?:checkout|cache|download-artifact)|[\w.-]{1,60}\/(?:[\w.-]{0,60}setup[\w.-]{0,60}|login-action|checkout[\w.-]{0,40}))(?:\/[\w.-]{1,60})?@|Checkout\b|Initialize |Set ?up\b|Prepare |Pull )/i;
const INSTALL =
  /(?:^|[\s;&|])(?:npm (?:ci|i|install)|yarn(?: install|$)|pnpm (?:i|install)|bun install|pip3? install|python3? -m pip install|poetry install|uv (?:sync|pip)|pipenv install|conda (?:install|env|create)|apt(?:-get)? (?:-\S{1,60} ){0,10}(?:install|update)|apk add|yum |dnf |brew |choco |bundle install|gem install|composer install|go mod download|cargo fetch|dotnet restore|nuget restore|docker (?:pull|login)|git (?:clone|fetch|checkout|submodule)|wget |curl |rustup )/;
const EXITED =
  /^(?:Process completed with exit code [1-9]|The process '.{1,300}' failed with exit code|The operation was canceled|The action '.{1,100}' has timed out|Bash exited with code|Cmd\.exe exited with code)/;
const COMMAND_EXITED = /^The command "(.{1,200}?)"? (?:exited with [1-9]|failed and exited with [1-9])/;

/** All lines belong to a step; a log that names none is one step, failed. */
export function findSteps(lines: readonly PlainLine[]): readonly Step[] {
  const openings = readOpenings(lines);
  const failures = failedNames(lines);
  return openings.map(({ name, phase, at }, index): Step => {
    const to = openings[index + 1]?.at ?? lines.length;
    const isFailed = openings.length === 1 || hasFailed(lines, at, to) || (name !== '' && failures.has(name));
    return { name: name.slice(0, MAX_NAME), phase, from: at, to, isFailed };
  });
}

function readOpenings(lines: readonly PlainLine[]): readonly Opening[] {
  const openings: Opening[] = [{ name: '', phase: 'work', at: 0 }];
  let part = '';
  for (const [at, line] of lines.entries()) {
    part = partAfter(line, part);
    const opening = openingAt(line, part);
    if (!opening || (line.step !== '' && openings.at(-1)?.name === opening.name)) continue;
    if (at === 0) openings.pop();
    // What comes before the first step of its own is the runner getting ready.
    else if (openings.length === 1 && line.mark === 'begin') openings[0] = { name: '', phase: 'setup', at: 0 };
    openings.push({ ...opening, at });
  }
  return openings;
}

function partAfter({ mark, text }: PlainLine, part: string): string {
  if (mark === 'begin') return text;
  return mark === 'end' ? '' : part;
}

function openingAt(line: PlainLine, part: string): Omit<Opening, 'at'> | null {
  const { text, mark } = line;
  if (line.step !== '') return { name: line.step, phase: phaseOf(line.step) };
  if (mark === 'begin') return openedPart(text);
  if (mark === 'shell') return { name: text.slice(2), phase: part === '' ? phaseOf(text) : phaseOfPart(part, text) };
  return mark === '' ? openedByText(text) : null;
}

function openedPart(text: string): Omit<Opening, 'at'> | null {
  if (RUN.test(text) || SECTION.test(text))
    return { name: text.replace(/^(?:Run|Starting:) /, ''), phase: phaseOf(text) };
  return PARTS.some((pattern) => pattern.test(text)) ? { name: text, phase: phaseOfPart(text) } : null;
}

function openedByText(text: string): Omit<Opening, 'at'> | null {
  if (CLEANUP.test(text)) return { name: text, phase: 'cleanup' };
  const stage = STAGE.exec(text)?.[1];
  return stage ? { name: stage, phase: phaseOf(stage) } : null;
}

const PARTS = [SETUP_PART, CLEANUP_PART, WORK_PART];

function phaseOfPart(part: string, command = ''): Step['phase'] {
  if (CLEANUP_PART.test(part)) return 'cleanup';
  return SETUP_PART.test(part) ? 'setup' : phaseOf(command);
}

function phaseOf(name: string): Step['phase'] {
  if (CLEANUP.test(name)) return 'cleanup';
  return SETUP_ACTION.test(name) || INSTALL.test(name) ? 'setup' : 'work';
}

/** Whether the runner says so of the lines between. */
function hasFailed(lines: readonly PlainLine[], from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const line = lines[at];
    if (line?.mark === 'error' && (at >= to - 12 || EXITED.test(line.text))) return true;
  }
  return false;
}

/** Travis says after all of them which command failed. */
function failedNames(lines: readonly PlainLine[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of lines) {
    const name = text.startsWith('The command "') ? COMMAND_EXITED.exec(text)?.[1] : undefined;
    if (name) names.add(name);
  }
  return names;
}
