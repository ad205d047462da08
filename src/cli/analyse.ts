// `analyse` and `demo`: the same investigation as behind the API, live in the terminal.
import { access, constants, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { toPrintable, toPrintableJson, toPrintableLine } from 'causeway-safe-markdown';
import { CausewayError } from '../core/errors.ts';
import { formatDuration, type Issue } from '../core/issue/index.ts';
import type { ProjectSource } from '../core/project/index.ts';
import type { InvestigationOutcome } from '../core/report/index.ts';
import type { FollowEvent } from '../services/index.ts';
import type { AnalyseCommand, AnswerOptions, DemoCommand } from './command-line.ts';
import { renderIssue, renderStep } from './render.ts';
import { describeSystemError, gatherSubject, type ReportSubject, type SubjectReader } from './report-input.ts';
import { createStyle, type ExitCode, type Io, type Launcher } from './terminal.ts';

/** An investigation service over one repository; disposing it stops what runs and removes what was made for it. */
export interface AnalysisSession extends AsyncDisposable {
  /** Accepts the report; returns the investigation's id. */
  start(report: { readonly text: string; readonly revision: string }): Promise<string>;
  follow(id: string, signal: AbortSignal): AsyncIterable<FollowEvent>;
  issue(id: string): Promise<Issue | null>;
  /** What went wrong with the model so far, one line each, with its repair. */
  troubles(): readonly string[];
  /** The Issue's change as a unified patch; empty where it changes nothing. */
  patch(issueId: string): Promise<string>;
}

export interface AnalysisOpener {
  readonly open: (subject: ReportSubject, signal: AbortSignal) => Promise<AnalysisSession>;
}

/** Runs one `analyse` command to its end. Throws CausewayError where there is no answer, and the signal's reason. */
export async function analyse(
  command: AnalyseCommand,
  io: Io,
  investigator: AnalysisOpener & SubjectReader,
  signal: AbortSignal,
): Promise<ExitCode> {
  const subject = await gatherSubject(command, io, investigator, signal);
  return (await investigateSubject({ subject, answer: command }, io, investigator, signal)).code;
}

export interface DemoParts {
  /** Investigates without a model. */
  readonly search: AnalysisOpener;
  /** Investigates with the configured model, or with the script that ships with the demo. */
  readonly answer: AnalysisOpener;
  /** Name of the configured model; null: the script. */
  readonly model: string | null;
  readonly source: ProjectSource;
  /** The text of `demo/report.md`. */
  readonly report: string;
  readonly launcher: Launcher;
}

/** Explanations go to standard error, both answers to standard output; with `--json` only the second one runs. */
export async function runDemo(command: DemoCommand, io: Io, parts: DemoParts, signal: AbortSignal): Promise<ExitCode> {
  const { report: text, source, model, launcher } = parts;
  const paint = createStyle(io.colour.err);
  const quoted = text
    .trim()
    .split('\n')
    .map((line) => `  | ${line}`.trimEnd())
    .join('\n');
  io.err(`corner-shop is a small shop server of ten commits. Version 1.3.0 broke something.
This is what its operator reported:

${paint.dim(quoted)}\n\n`);
  const subject: ReportSubject = { text, source, isOwn: true, revision: '', repositoryName: 'corner-shop' };
  let stepsShown = 0;
  if (!command.json) {
    io.err(`${paint.bold('1 of 2: a search of the source, without a model')}\n\n`);
    const answer = { json: false, patchFile: null };
    stepsShown = (await investigateSubject({ subject, answer }, io, parts.search, signal)).steps;
    io.out('\n');
    io.err(
      `\n${paint.bold(`2 of 2: ${model === null ? SCRIPT_TITLE : `with the model ${toPrintableLine(model)}`}`)}\n\n`,
    );
  }
  const { code } = await investigateSubject({ subject, answer: command, stepsShown }, io, parts.answer, signal);
  if (code === 0) {
    io.err(`\nNow try one of your own:
  cd YOUR-REPOSITORY && ${launcher.anywhere} analyse "what went wrong, with the stack trace"\n`);
  }
  return code;
}

const SCRIPT_TITLE = `with a model
The model's answers come from a script that ships with Causeway. Everything else
is real: the lookups, the checks of the quotes, and the patch.`;

interface Task {
  readonly subject: ReportSubject;
  readonly answer: AnswerOptions;
  /** Steps that an earlier investigation of the same report has shown; absent: none. */
  readonly stepsShown?: number;
}

/** Shows each step on standard error, and prints the answer. Code 3 where the model failed. Throws CausewayError. */
async function investigateSubject(
  { subject, answer, stepsShown = 0 }: Task,
  io: Io,
  { open }: AnalysisOpener,
  signal: AbortSignal,
): Promise<{ readonly code: ExitCode; readonly steps: number }> {
  await requirePatchFolder(answer, io);
  const paint = createStyle(io.colour.err);
  const revision = subject.revision === '' ? '' : ` at ${toPrintableLine(subject.revision)}`;
  io.err(`${paint.bold(`Investigating ${toPrintableLine(subject.repositoryName)}${revision}`)}\n`);
  await using session = await open(subject, signal);
  const id = await session.start(subject);
  const { steps, outcome } = await watch(session.follow(id, signal), io, stepsShown);
  signal.throwIfAborted();
  const issue = outcome?.state === 'concluded' ? await session.issue(outcome.issueId) : null;
  if (issue === null) throw createAnalysisFailure(outcome, session.troubles().at(-1));
  const duration = formatDuration(issue.analysis.usage.seconds);
  io.err(paint.green(`Concluded in ${duration} after ${steps} ${steps === 1 ? 'step' : 'steps'}.\n`));
  // A model is configured, yet gave nothing: a script must not take the facts for its answer.
  const hasModelFailed = issue.analysis.outcome === 'facts_only' && issue.analysis.partial;
  const troubles = [...new Set(session.troubles())];
  const last = hasModelFailed ? (troubles.pop() ?? toPrintable(issue.analysis.reason)) : '';
  for (const trouble of troubles) io.err(`${trouble}\n`);
  if (answer.patchFile !== null) io.err(await writePatch(session, issue, answer.patchFile, io.cwd));
  printAnswer(issue, answer, io);
  if (hasModelFailed) io.err(`\n${paint.red('causeway:')} ${last}\n`);
  return { code: hasModelFailed ? 3 : 0, steps };
}

/** `outcome`: null where the investigation was deleted meanwhile. */
async function watch(events: AsyncIterable<FollowEvent>, io: Io, stepsShown: number) {
  let steps = 0;
  for await (const event of events) {
    if (event.type === 'end') return { steps, outcome: event.investigation.outcome };
    if (event.type !== 'step') continue;
    steps = event.step.number;
    if (steps > stepsShown) io.err(`${renderStep(event.step, { columns: io.columns.err, colour: io.colour.err })}\n`);
  }
  return { steps, outcome: null };
}

function printAnswer(issue: Issue, { json }: AnswerOptions, io: Io): void {
  if (io.colour.out && !json) io.err('\n');
  const layout = { columns: io.columns.out, colour: io.colour.out };
  io.out(json ? `${toPrintableJson(issue)}\n` : renderIssue(issue, layout));
}

/** `trouble`: why, for the operator, who is the person at the terminal. */
function createAnalysisFailure(outcome: InvestigationOutcome | null, trouble: string | undefined): CausewayError {
  if (outcome?.state === 'gave_up' || outcome?.state === 'cancelled') {
    return new CausewayError(outcome.reason.code, `The investigation failed. ${trouble ?? outcome.reason.detail}`);
  }
  return new CausewayError('internal', 'The investigation was deleted before it ended: start it again.');
}

/** Returns the line for the person. */
async function writePatch(session: AnalysisSession, issue: Issue, file: string, cwd: string): Promise<string> {
  const patch = await session.patch(issue.id);
  if (patch === '') return 'No patch was written: this investigation changes no code.\n';
  try {
    await writeFile(path.resolve(cwd, file), patch);
    return `The patch is in ${file}. Apply it at ${issue.analysis.revision.slice(0, 12)} with "git apply ${file}".\n`;
  } catch (error) {
    return `The patch could not be written to ${file}: ${describeSystemError(error)}.\n`;
  }
}

/** Before the work, not after minutes of it. */
async function requirePatchFolder({ patchFile }: AnswerOptions, io: Io): Promise<void> {
  if (patchFile === null) return;
  try {
    await access(path.dirname(path.resolve(io.cwd, patchFile)), constants.W_OK);
  } catch (error) {
    const message = `--patch cannot write ${patchFile}: ${describeSystemError(error)}.`;
    throw new CausewayError('usage', message, { cause: error });
  }
}
