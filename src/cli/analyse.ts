// `analyse`: the same investigation as behind the API, live in the terminal.
import { access, constants } from 'node:fs/promises';
import path from 'node:path';
import { CausewayError } from '../core/errors.ts';
import type { InvestigationOutcome } from '../core/investigation.ts';
import type { Issue } from '../core/issue.ts';
import type { FollowEvent } from '../services/follow.ts';
import type { AnalyseCommand, AnswerOptions } from './command.ts';
import { renderIssue, renderStep } from './render.ts';

import { gatherSubject, reason, type Subject, type SubjectDeps } from './report-input.ts';
import { type ExitCode, type Io, printable, printableJson, printableLine, reportFault, style } from './terminal.ts';

/** An investigation service over one repository; disposing it stops what runs and removes what was kept for it alone. */
export interface AnalysisSession extends AsyncDisposable {
  /** Accepts the report; answers with the investigation's id. */
  start(report: { readonly text: string; readonly revision: string }): Promise<string>;
  follow(id: string, signal: AbortSignal): AsyncIterable<FollowEvent>;
  issue(id: string): Promise<Issue | null>;
  /** What went wrong with the model so far, one line each, with its repair. */
  troubles(): readonly string[];
  /** The Issue's change as a unified patch; empty where it changes nothing. */
  patch(issueId: string): Promise<string>;
}

export interface InvestigateDeps {
  readonly open: (subject: Pick<Subject, 'source' | 'isOwn'>, signal: AbortSignal) => Promise<AnalysisSession>;
  /** Writes a file anew; the path is absolute. */
  readonly writeFile: (path: string, text: string) => Promise<void>;
  readonly now: () => Date;
}

export type AnalyseDeps = InvestigateDeps & SubjectDeps;

/** Runs one `analyse` command to its end. Faults are said on standard error; only what is our own bug is thrown. */
export async function analyse(
  command: AnalyseCommand,
  io: Io,
  deps: AnalyseDeps,
  signal: AbortSignal,
): Promise<ExitCode> {
  try {
    const subject = await gatherSubject(command, io, deps, signal);
    return (await investigate({ subject, answer: command }, io, deps, signal)).code;
  } catch (error) {
    return reportFault(error, io, signal);
  }
}

interface Task {
  readonly subject: Subject;
  readonly answer: AnswerOptions;
  /** Steps that an earlier investigation of the same report has shown already; absent: none. */
  readonly stepsShown?: number;
}

interface Investigated {
  readonly code: ExitCode;
  readonly steps: number;
}

/** Investigates one report, showing each step on standard error, and prints the answer. 3 where the model refused. Throws CausewayError. */
export async function investigate(
  task: Task,
  io: Io,
  deps: InvestigateDeps,
  signal: AbortSignal,
): Promise<Investigated> {
  const { subject, answer, stepsShown = 0 } = task;
  await checkPatchFolder(answer, io);
  const paint = style(io.colour.err);
  const at = subject.revision === '' ? '' : ` at ${printableLine(subject.revision)}`;
  io.err(`${paint.bold(`Investigating ${printableLine(subject.repositoryName)}${at}`)}\n`);
  const begin = deps.now().getTime();
  await using session = await deps.open(subject, signal);
  const id = await session.start({ text: subject.text, revision: subject.revision });
  const end = await watch({ session, id, stepsShown }, io, signal);
  signal.throwIfAborted();
  if (end.outcome?.state !== 'concluded') throw gaveUp(end.outcome, session.troubles().at(-1));
  const issue = await session.issue(end.outcome.issueId);
  if (issue === null) throw gaveUp(null);
  const seconds = (deps.now().getTime() - begin) / 1_000;
  io.err(paint.green(`Concluded in ${seconds.toFixed(1)} s after ${count(end.steps, 'step')}.\n`));
  const isRefused = modelRefused(issue);
  const troubles = [...new Set(session.troubles())];
  const last = isRefused ? troubles.pop() : undefined;
  for (const trouble of troubles) io.err(`${trouble}\n`);
  await writePatch({ session, issue, file: answer.patchFile }, io, deps);
  if (io.colour.out && !answer.json) io.err('\n');
  io.out(
    answer.json ? `${printableJson(issue)}\n` : renderIssue(issue, { columns: io.columns, colour: io.colour.out }),
  );
  if (!isRefused) return { code: 0, steps: end.steps };
  io.err(`\n${paint.red('causeway:')} ${last ?? printable(issue.analysis.reason)}\n`);
  return { code: 3, steps: end.steps };
}

/** A model is configured, yet nothing came from it: a script must not take the facts for its answer. */
function modelRefused({ analysis }: Issue): boolean {
  return analysis.outcome === 'facts_only' && analysis.partial;
}

interface End {
  /** How it stood at the end; null where it was erased meanwhile. */
  readonly outcome: InvestigationOutcome | null;
  readonly steps: number;
}

interface Watched {
  readonly session: AnalysisSession;
  readonly id: string;
  readonly stepsShown: number;
}

async function watch({ session, id, stepsShown }: Watched, io: Io, signal: AbortSignal): Promise<End> {
  let steps = 0;
  for await (const event of session.follow(id, signal)) {
    switch (event.type) {
      case 'step':
        steps = event.step.number;
        if (steps <= stepsShown) break;
        io.err(`${renderStep(event.step, { columns: io.columns, colour: io.colour.err })}\n`);
        break;
      case 'state':
        break;
      case 'end':
        return { outcome: event.investigation.outcome, steps };
    }
  }
  return { outcome: null, steps };
}

/** `trouble`: why, for the operator, who is the person at the terminal. */
function gaveUp(outcome: InvestigationOutcome | null, trouble?: string): CausewayError {
  if (outcome?.state === 'gave_up' || outcome?.state === 'cancelled') {
    return new CausewayError(outcome.reason.code, `The investigation gave up. ${trouble ?? outcome.reason.detail}`);
  }
  return new CausewayError('internal', 'The investigation was erased before it ended; start it again.');
}

interface Patch {
  readonly session: AnalysisSession;
  readonly issue: Issue;
  /** As given; null: none is wanted. */
  readonly file: string | null;
}

async function writePatch(patch: Patch, io: Io, deps: InvestigateDeps): Promise<void> {
  const { file, issue } = patch;
  if (file === null) return;
  const text = await patch.session.patch(issue.id);
  if (text === '') return io.err('No patch was written: this investigation changes no code.\n');
  try {
    await deps.writeFile(path.resolve(io.cwd, file), text);
  } catch (error) {
    return io.err(`The patch could not be written to ${file}: ${reason(error)}.\n`);
  }
  io.err(`The patch is in ${file}; "git apply ${file}" applies it at ${issue.analysis.revision.slice(0, 12)}.\n`);
}

/** Said before the work, not after minutes of it. */
async function checkPatchFolder(answer: AnswerOptions, io: Io): Promise<void> {
  if (answer.patchFile === null) return;
  try {
    await access(path.dirname(path.resolve(io.cwd, answer.patchFile)), constants.W_OK);
  } catch (error) {
    throw new CausewayError('usage', `--patch cannot write ${answer.patchFile}: ${reason(error)}.`, { cause: error });
  }
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
