// The texts of checks: redacted whole as they come in, and long ones read in a thread, so that the event loop stays
// free.

import {
  type ArtifactResults,
  type CheckTexts,
  condenseLog,
  type ReadCheck,
  type ReadReport,
  readCheck,
  readReport,
} from 'causeway-ci-log';
import type { Redactor } from 'causeway-redact';
import { WorkerClient } from 'causeway-worker-thread';
import {
  ALL_OUTPUT,
  type Check,
  type CheckOutput,
  type Checks,
  type HeadPlace,
  type OutputLimits,
  type ReadArtifact,
} from '../../core/check/index.ts';
import type { Past } from '../../core/past.ts';
import type { GithubProject } from '../../core/project/index.ts';
import { locate } from '../../installation.ts';

type Clean = (text: string) => string;

/** Of a commit's subject, and of its author's name. */
const COMMIT_TEXT_CHARACTERS = 200;

/** The same checks with names, addresses and branches redacted; `readCheckTexts` redacts the rest. */
export function cleanChecks(checks: Checks, redactor: Redactor): Checks {
  return {
    ...checks,
    listAll: async (...args) => {
      const named = await checks.listAll(...args);
      const clean = await createCleaner(
        redactor,
        named.flatMap(({ latest, earlier }) => [latest, ...earlier].flatMap(listCheckTexts)),
      );
      return named.map(({ latest, earlier }) => ({
        latest: cleanCheck(latest, clean),
        earlier: earlier.map((check) => cleanCheck(check, clean)),
      }));
    },
    locate: async (...args) => {
      const place = await checks.locate(...args);
      if (place === null) return null;
      const branch = await redactor.redact(place.branch);
      if (place.kind !== 'pull_request') return { ...place, branch };
      return { ...place, branch, base: { ...place.base, branch: await redactor.redact(place.base.branch) } };
    },
    readRange: async (...args) => {
      const range = await checks.readRange(...args);
      if (range === null) return null;
      const clean = await createCleaner(
        redactor,
        range.commits.flatMap(({ author, subject }) => [author, subject]),
      );
      // Cut after redaction: half of a secret is one that no rule knows.
      const shorten = (text: string) => clean(text).slice(0, COMMIT_TEXT_CHARACTERS).toWellFormed();
      const commits = range.commits.map(({ sha, author, subject }) => ({
        sha,
        author: shorten(author),
        subject: shorten(subject),
      }));
      return { ...range, commits };
    },
  };
}

/** The same with names, addresses, branches and titles redacted. */
export async function cleanPast(past: Past, redactor: Redactor): Promise<Past> {
  const { checks, issues } = past;
  const texts = checks.flatMap(({ branch, check }) => [branch, ...listCheckTexts(check)]);
  const clean = await createCleaner(redactor, [...texts, ...issues.labelled.map(({ title }) => title)]);
  return {
    ...past,
    checks: checks.map((one) => ({ ...one, branch: clean(one.branch), check: cleanCheck(one.check, clean) })),
    issues: { ...issues, labelled: issues.labelled.map((issue) => ({ ...issue, title: clean(issue.title) })) },
  };
}

/** Query, fragment and user name of an address may grant access. "" where it is not a web address. */
export function stripAddress(url: string): string {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return '';
  const { username, password, search, hash } = address;
  if (username + password + search + hash === '' && !/[?#@]/.test(url)) return url;
  return `${address.origin}${address.pathname}`;
}

function listCheckTexts({ name, url }: Check): readonly string[] {
  return [name, stripAddress(url)];
}

function cleanCheck(check: Check, clean: Clean): Check {
  return { ...check, name: clean(check.name), url: clean(stripAddress(check.url)) };
}

/**
 * Checks are identified by their names, so each name is redacted on its own; mostly one pass over all shows that none
 * needs it.
 */
async function createCleaner(redactor: Redactor, texts: readonly string[]): Promise<Clean> {
  const distinct = [...new Set(texts)];
  const together = await redactor.redactJson(distinct);
  if (together.every((text, at) => text === distinct[at])) return (text) => text;
  const cleaned = new Map<string, string>();
  for (const text of distinct) cleaned.set(text, await redactor.redact(text));
  return (text) => cleaned.get(text) ?? '';
}

export interface CleanTexts {
  /** Title, summary and text, one after the other; "" for none. */
  readonly output: string;
  readonly words: CheckOutput;
}

/** Whether anyone may have written what the checks say. */
export function isFromOutside(place: HeadPlace): boolean {
  return place.kind === 'pull_request' && (place.isFork || !place.isTrusted);
}

/** So much is read where anyone may have written it. */
export const OUTSIDE_OUTPUT: OutputLimits = { logBytes: 512 * 1_024, artifactBytes: 2 * 1_024 * 1_024 };

/** What a check says beyond its name, redacted. */
export async function readCheckTexts(
  {
    services: { checks, redactor },
    project,
    signal,
  }: {
    readonly services: { readonly checks: Pick<Checks, 'readOutput'>; readonly redactor: Redactor };
    readonly project: GithubProject;
    readonly signal: AbortSignal;
  },
  check: Check,
  limits: OutputLimits = ALL_OUTPUT,
): Promise<CleanTexts> {
  const { log, noLog, annotations, results, unread } = await checks.readOutput(project, check, signal, limits);
  const cleanLog = await redactor.redact(log);
  signal.throwIfAborted();
  const output = [check.title, check.summary, check.text].filter((part) => part !== '').join('\n');
  const { output: cleanOutput, ...words } = await redactor.redactJson({
    output,
    annotations,
    noLog,
    ...(results !== undefined && { results }),
    ...(unread !== undefined && { unread }),
  });
  return { output: cleanOutput, words: { log: cleanLog, ...words } };
}

/** No report holds more of a log. */
export const REPORT_LOG_BYTES = 1_000 * 1_024;

/** The same texts, with as much of the log as a report holds. */
export async function shortenForReport(texts: CleanTexts, signal: AbortSignal): Promise<CleanTexts> {
  if (Buffer.byteLength(texts.words.log) <= REPORT_LOG_BYTES) return texts;
  const log = await condenseLog([Buffer.from(texts.words.log)], REPORT_LOG_BYTES, signal);
  return { ...texts, words: { ...texts.words, log } };
}

export interface CheckReader extends AsyncDisposable {
  /** What a check says about its cause. A log that takes too long is left out, which the excerpt mentions. */
  readonly readCheck: (texts: CheckTexts) => Promise<ReadCheck>;
  /** The logs in a report, read like those of checks. One that takes too long has none. */
  readonly readReport: (text: string) => Promise<ReadReport>;
  /** One artifact after the other. One that takes too long or too much memory spends the whole budget of its commit. */
  readonly readArtifact: ReadArtifact;
}

/** `bytes`: what its result files may inflate to. */
export interface ArtifactWork {
  readonly archive: Uint8Array;
  readonly bytes: number;
}

export type ReadingWork = { readonly texts: CheckTexts } | { readonly report: string } | ArtifactWork;
/** `left`: of those bytes. */
export type ReadingResult =
  | { readonly read: ReadCheck }
  | { readonly report: ReadReport }
  | { readonly artifact: ArtifactResults; readonly left: number };

/** Characters that are read within some milliseconds. */
const INLINE = 64 * 1_024;
/** Results that are read without a thread. */
const MOST_INLINE = 5;
/** The longest log takes seconds on a busy machine. */
const LIMIT_MS = 30_000;
/** Any 64 MB of result files take at most 4 s of processor time. */
const ARTIFACT_LIMIT_MS = 15_000;
/** The costliest log of 4 MB takes 180 MB, and result files less. */
const MEMORY_MB = 256;
const SCRIPT = locate('./reading-worker.ts', import.meta.url);
const CLOSED = 'The service is stopping; the checks are read again after the start.';
const UNREAD = 'The log could not be read in time.';

/** The thread starts with the first long text and reads one after the other. `script`: the file that it runs. */
export function createCheckReader({ script = SCRIPT, limitMs = LIMIT_MS } = {}): CheckReader {
  const thread = new WorkerClient<ReadingWork, ReadingResult>({ script, closed: CLOSED, memoryMb: MEMORY_MB });
  const read: ReadArtifact = async ({ name, archive, budget }, signal) => {
    signal.throwIfAborted();
    const reply = await thread.ask({ archive, bytes: budget.bytes }, Math.min(limitMs, ARTIFACT_LIMIT_MS));
    const answer = reply !== null && 'artifact' in reply ? reply : null;
    budget.bytes = answer?.left ?? 0;
    signal.throwIfAborted();
    return answer?.artifact ?? { results: [], unread: [{ file: name, why: 'failed' }] };
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    readCheck: async (texts) => {
      if (measureTexts(texts) <= INLINE) return readCheck(texts);
      const reply = await thread.ask({ texts }, limitMs);
      return reply !== null && 'read' in reply ? reply.read : readWithoutLog(texts);
    },
    readReport: async (text) => {
      if (text.length <= INLINE) return readReport(text);
      const reply = await thread.ask({ report: text }, limitMs);
      return reply !== null && 'report' in reply ? reply.report : { words: text, logs: [], text };
    },
    // Waits here and not in the thread's queue, so that the next one of a commit begins with what this one leaves of its budget.
    readArtifact: (artifact, signal) => {
      const results = last.then(() => read(artifact, signal));
      last = results.catch(() => undefined);
      return results;
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

function measureTexts({ name, output, log, passing = '', annotations, results = [] }: CheckTexts): number {
  const texts = name.length + output.length + log.length + passing.length;
  const told = annotations.reduce((sum, { message }) => sum + message.length, texts);
  return results.reduce((sum, { message, trace }) => sum + message.length + trace.length, told);
}

function readWithoutLog({ name, output, annotations, results = [] }: CheckTexts): ReadCheck {
  let left = INLINE / 2;
  const fitting = annotations.filter(({ message }) => {
    left -= message.length;
    return left >= 0;
  });
  const own = { output: output.slice(0, INLINE / 2), log: '', annotations: fitting };
  const read = readCheck({ name, ...own, results: results.slice(0, MOST_INLINE) });
  return { ...read, excerpt: { ...read.excerpt, cut: UNREAD } };
}
