// The texts of checks, cleaned of secrets whole as they come in, so that what is stored, compared and shown is the same.

import { condenseLog } from '../../ci/condense-log.ts';
import type { Check, Checks, CheckWords, NamedCheck, PastCheck } from '../../core/check.ts';
import type { CommitRange } from '../../core/failure.ts';
import type { HeadPlace } from '../../core/head.ts';
import type { GithubProject } from '../../core/project.ts';
import type { Redactor } from '../../redact/redactor.ts';

type Cleaner = Pick<Redactor, 'redact' | 'redactJson'>;

type Clean = (text: string) => string;

/** Of a commit's subject, and of who wrote it. */
const WORDS_CHARACTERS = 200;

/** What checks say beyond their names is cleaned whole where it is read, see {@link readCheckTexts}. */
export function cleanChecks(checks: Checks, redactor: Cleaner): Checks {
  return {
    ...checks,
    ...cleanPast(checks, redactor),
    of: async (...asked) => {
      const named = await checks.of(...asked);
      const clean = await createCleaner(redactor, named.flatMap(listRuns).flatMap(listTexts));
      return named.map(({ latest, earlier }) => ({
        latest: cleanCheck(latest, clean),
        earlier: earlier.map((check) => cleanCheck(check, clean)),
      }));
    },
    place: async (...asked) => {
      const place = await checks.place(...asked);
      return place === null ? null : await cleanPlace(place, redactor);
    },
    range: async (...asked) => {
      const range = await checks.range(...asked);
      return range === null ? null : await cleanRange(range, redactor);
    },
  };
}

/** The same for those of the past. */
export function cleanPast(checks: Pick<Checks, 'past'>, redactor: Cleaner): Pick<Checks, 'past'> {
  return {
    past: async (...asked) => {
      const page = await checks.past(...asked);
      const texts = page.checks.flatMap(({ branch, check }) => [branch, ...listTexts(check)]);
      const clean = await createCleaner(redactor, texts);
      const cleaned = ({ branch, check, ...past }: PastCheck): PastCheck => ({
        ...past,
        branch: clean(branch),
        check: cleanCheck(check, clean),
      });
      return { ...page, checks: page.checks.map(cleaned) };
    },
  };
}

/** An address as it may be kept: what follows its path, and whoever is named in it, may let somebody in. "" where it is none of the web. */
export function stripAddress(url: string): string {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol)) return '';
  const { username, password, search, hash } = address;
  if (username + password + search + hash === '' && !/[?#@]/.test(url)) return url;
  return `${address.origin}${address.pathname}`;
}

function listRuns({ latest, earlier }: NamedCheck): readonly Check[] {
  return [latest, ...earlier];
}

function listTexts({ name, url }: Check): readonly string[] {
  return [name, stripAddress(url)];
}

function cleanCheck(check: Check, clean: Clean): Check {
  return { ...check, name: clean(check.name), url: clean(stripAddress(check.url)) };
}

async function cleanPlace(place: HeadPlace, redactor: Cleaner): Promise<HeadPlace> {
  const branch = await redactor.redact(place.branch);
  if (place.kind !== 'pull_request') return { ...place, branch };
  return { ...place, branch, base: { ...place.base, branch: await redactor.redact(place.base.branch) } };
}

async function cleanRange(range: CommitRange, redactor: Cleaner): Promise<CommitRange> {
  const texts = range.commits.flatMap(({ author, subject }) => [author, subject]);
  const clean = await createCleaner(redactor, texts);
  const commits = range.commits.map(({ sha, author, subject }) => ({
    sha,
    author: shortenText(clean(author)),
    subject: shortenText(clean(subject)),
  }));
  return { ...range, commits };
}

/** Cut before it was cleaned, half of a secret would be left, which no rule knows. */
function shortenText(text: string): string {
  return text.slice(0, WORDS_CHARACTERS).toWellFormed();
}

/**
 * Names are what checks are known by: each is cleaned by itself, so that its neighbours change nothing of it. As long as there is nothing to
 * be found in all of them together, which is nearly always, one look is enough.
 */
async function createCleaner(redactor: Cleaner, texts: readonly string[]): Promise<Clean> {
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
export async function readCheckTexts({ deps, project, signal, logBytes }: Reading, check: Check): Promise<CleanTexts> {
  const { log, noLog, annotations } = await deps.checks.said(project, check, signal, logBytes);
  const clean = await deps.redactor.redact(log);
  signal.throwIfAborted();
  const rest = await deps.redactor.redactJson({ output: joinOutput(check), annotations, noLog });
  return { output: rest.output, words: { log: clean, noLog: rest.noLog, annotations: rest.annotations } };
}

/** No report holds more of a log. */
export const REPORT_LOG_BYTES = 1_000 * 1_024;

/** The same as far as a report holds it. Throws the signal's reason. */
export async function shortenForReport(said: CleanTexts, signal: AbortSignal): Promise<CleanTexts> {
  if (Buffer.byteLength(said.words.log) <= REPORT_LOG_BYTES) return said;
  const log = await condenseLog([Buffer.from(said.words.log)], REPORT_LOG_BYTES, signal);
  return { ...said, words: { ...said.words, log } };
}

function joinOutput({ title, summary, text }: Check): string {
  return [title, summary, text].filter((part) => part !== '').join('\n');
}
