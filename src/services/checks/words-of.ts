// What a check says, cleaned of secrets whole, before any part of it is cut out: half of a secret is one that no rule knows.

import { condenseLog } from '../../ci/condense-log.ts';
import type { Check, Checks, CheckWords } from '../../core/check.ts';
import type { GithubProject } from '../../core/project.ts';

import type { Redactor } from '../../redact/redactor.ts';

export interface CleanWords {
  /** Title, summary and text, one after the other; "" for none. */
  readonly output: string;
  readonly words: CheckWords;
}

interface Reading {
  readonly deps: { readonly checks: Pick<Checks, 'said'>; readonly redactor: Pick<Redactor, 'redact' | 'redactJson'> };
  readonly project: GithubProject;
  readonly signal: AbortSignal;
  /** Of the log's end; absent: as much as there ever is. */
  readonly logBytes?: number | undefined;
}

/** So much of a log is read where anybody may have written it. */
export const OUTSIDE_LOG_BYTES = 512 * 1_024;

/** Throws what `Checks.said` throws. */
export async function wordsOf({ deps, project, signal, logBytes }: Reading, check: Check): Promise<CleanWords> {
  const { log, noLog, annotations } = await deps.checks.said(project, check, signal, logBytes);
  const clean = await deps.redactor.redact(log);
  signal.throwIfAborted();
  const rest = await deps.redactor.redactJson({ output: outputOf(check), annotations, noLog });
  return { output: rest.output, words: { log: clean, noLog: rest.noLog, annotations: rest.annotations } };
}

/** No report holds more of a log. */
export const REPORT_LOG_BYTES = 1_000 * 1_024;

/** The same as far as a report holds it. Throws the signal's reason. */
export async function wordsForReport(said: CleanWords, signal: AbortSignal): Promise<CleanWords> {
  if (Buffer.byteLength(said.words.log) <= REPORT_LOG_BYTES) return said;
  const log = await condenseLog([Buffer.from(said.words.log)], REPORT_LOG_BYTES, signal);
  return { ...said, words: { ...said.words, log } };
}

function outputOf({ title, summary, text }: Check): string {
  return [title, summary, text].filter((part) => part !== '').join('\n');
}
