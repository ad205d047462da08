// The texts of checks: redacted whole as they come in, and long ones read in a thread, so that the event loop stays
// free.
import { condenseLog } from '../../ci/condense-log.ts';
import { type CheckTexts, type ReadCheck, readCheck } from '../../ci/read-check.ts';
import type { Check, CheckOutput, Checks } from '../../core/check.ts';
import type { GithubProject } from '../../core/project.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type Numbered, WorkerClient } from '../../redact/worker-client.ts';

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
        named.flatMap(({ latest, earlier }) => [latest, ...earlier].flatMap(listTexts)),
      );
      return named.map(({ latest, earlier }) => ({
        latest: cleanCheck(latest, clean),
        earlier: earlier.map((check) => cleanCheck(check, clean)),
      }));
    },
    listPast: async (...args) => {
      const page = await checks.listPast(...args);
      const texts = page.checks.flatMap(({ branch, check }) => [branch, ...listTexts(check)]);
      const clean = await createCleaner(redactor, texts);
      const cleaned = page.checks.map((past) => ({
        ...past,
        branch: clean(past.branch),
        check: cleanCheck(past.check, clean),
      }));
      return { ...page, checks: cleaned };
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
        ...{ sha, author: shorten(author), subject: shorten(subject) },
      }));
      return { ...range, commits };
    },
  };
}

/** Query, fragment and user name of an address may grant access. "" where it is no web address. */
export function stripAddress(url: string): string {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return '';
  const { username, password, search, hash } = address;
  if (username + password + search + hash === '' && !/[?#@]/.test(url)) return url;
  return `${address.origin}${address.pathname}`;
}

function listTexts({ name, url }: Check): readonly string[] {
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

/** So much of a log is read where anyone may have written it. */
export const OUTSIDE_LOG_BYTES = 512 * 1_024;

/** What a check says beyond its name, redacted. `logBytes`: of the end of the log; absent: all that is ever read. */
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
  logBytes?: number,
): Promise<CleanTexts> {
  const { log, noLog, annotations } = await checks.readOutput(project, check, signal, logBytes);
  const cleanLog = await redactor.redact(log);
  signal.throwIfAborted();
  const output = [check.title, check.summary, check.text].filter((part) => part !== '').join('\n');
  const rest = await redactor.redactJson({ output, annotations, noLog });
  return { output: rest.output, words: { log: cleanLog, noLog: rest.noLog, annotations: rest.annotations } };
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
}

export type ReadRequest = Numbered<{ readonly texts: CheckTexts }>;
export type ReadReply = Numbered<{ readonly read: ReadCheck }>;

/** Characters that are read within some milliseconds. */
const INLINE = 64 * 1_024;
/** The longest log takes seconds on a busy machine. */
const LIMIT_MS = 30_000;
const SCRIPT = new URL('./reading-worker.ts', import.meta.url);
const CLOSED = 'The service is stopping; the checks are read again after the start.';
const UNREAD = 'The log could not be read in time.';

/** The thread starts with the first long text and reads one after the other. `script`: the file that it runs. */
export function createCheckReader({ script = SCRIPT, limitMs = LIMIT_MS } = {}): CheckReader {
  const thread = new WorkerClient<{ readonly texts: CheckTexts }, { readonly read: ReadCheck }>({
    script,
    closed: CLOSED,
  });
  return {
    readCheck: async (texts) => {
      if (measureTexts(texts) <= INLINE) return readCheck(texts);
      const reply = await thread.ask({ texts }, limitMs);
      return reply?.read ?? readWithoutLog(texts);
    },
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

function measureTexts({ name, output, log, passing = '', annotations }: CheckTexts): number {
  const texts = name.length + output.length + log.length + passing.length;
  return annotations.reduce((sum, { message }) => sum + message.length, texts);
}

function readWithoutLog({ name, output, annotations }: CheckTexts): ReadCheck {
  let left = INLINE / 2;
  const fitting = annotations.filter(({ message }) => {
    left -= message.length;
    return left >= 0;
  });
  const read = readCheck({ name, output: output.slice(0, INLINE / 2), log: '', annotations: fitting });
  return { ...read, excerpt: { ...read.excerpt, cut: UNREAD } };
}
