// `ci-logs`: real logs as red jobs of draft pull requests on a green base: verdict and first error line, beside what people say of the lines.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { formatHeadline } from '../../src/ci/excerpt.ts';
import { readLogLines } from '../../src/ci/log-lines.ts';
import type { Finding } from '../../src/core/head.ts';
import { OWNER } from '../support/app-settings.ts';
import { type BenchStage, openBenchStage } from './bench-stage.ts';
import { type Hit, hasPassed, hitOf, type LogEntry } from './ci-logs-truth.ts';
import { load, say, table } from './figures.ts';
import { openRecords, rest } from './rest.ts';

export const CI_LOGS_USAGE = `ci-logs: raw logs as red jobs
  --index FILE         one JSON object a line: id, source, log, truth
  --logs FOLDER        where the logs lie, gzipped
  --limit N            only the first N
`;

const OPTIONS = { index: { type: 'string' }, logs: { type: 'string' }, limit: { type: 'string' } } as const;
const NAME = `${OWNER}/logs`;
const JOB = 'test';
/** At once, to be looked at together. */
const BATCH = 12;

interface Judged {
  readonly entry: LogEntry;
  /** Null: the service made nothing of it. */
  readonly finding: Finding | null;
  /** Number of the first error line in the raw log, from 1; null: none was shown, or it stands there in other words. */
  readonly line: number | null;
  readonly hit: Hit;
}

export async function ciLogsBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  if (values.index === undefined || values.logs === undefined) throw new Error(`What is needed:\n${CI_LOGS_USAGE}`);
  const folder = values.logs;
  const lines = (await readFile(values.index, 'utf8')).split('\n').filter((line) => line !== '');
  const all = lines.map((line): LogEntry => JSON.parse(line)).filter(({ truth }) => !hasPassed(truth));
  const entries = all.slice(0, Number(values.limit ?? all.length));
  await using stage = await openBenchStage({
    prepare: async ({ people }) => {
      await people.openRepository(NAME);
      people.grant(NAME, 'mara', 'write');
      const sha = await people.push(NAME, { by: 'mara', files: { 'GREEN.md': 'The base is green.\n' } });
      await people.reportWorkflowRun(NAME, { sha, jobs: [{ name: JOB, conclusion: 'success', log: '' }] });
    },
  });
  const judged: Judged[] = [];
  for (let at = 0; at < entries.length; at += BATCH) {
    judged.push(...(await judge(stage, entries.slice(at, at + BATCH), folder)));
    process.stderr.write(`${judged.length} of ${entries.length}, ${load()}\n`);
  }
  say(
    `\n## Logs as red jobs\n\n${lines.length - all.length} logs of jobs that passed were left out.\n\n${eachOf(judged)}\n`,
  );
  say(totalsOf(judged));
  say(`\n${testTotals(judged)}`);
}

async function judge(
  { double, ...stage }: BenchStage,
  entries: readonly LogEntry[],
  folder: string,
): Promise<readonly Judged[]> {
  const fed = await Promise.all(
    entries.map(async (entry) => {
      const log = gunzipSync(await readFile(path.join(folder, path.basename(entry.log)))).toString();
      const branch = `log-${entry.id}`;
      const sha = await double.people.push(NAME, { by: 'mara', branch, files: { 'LOG.md': `${entry.id}\n` } });
      await double.people.openPull(NAME, { by: 'mara', title: entry.id, head: branch, draft: true });
      return { entry, log, sha };
    }),
  );
  for (const { log, sha } of fed) {
    const job = { name: JOB, conclusion: 'failure' as const, log };
    await double.people.reportWorkflowRun(NAME, { sha, jobs: [job] });
  }
  await rest({ double, ...stage });
  using records = openRecords(stage);
  const findings = records.query<string>(
    'SELECT finding FROM findings JOIN heads ON heads.id = findings.head_id WHERE heads.sha = ?',
    true,
  );
  return fed.map(({ entry, log, sha }) => {
    const [found] = findings(sha);
    const finding: Finding | null = found === undefined ? null : JSON.parse(found);
    const line = finding === null ? null : lineOf(log, finding);
    return { entry, finding, line, hit: hitOf(entry.truth, line) };
  });
}

/** Of several lines with these words the one whose next lines are shown as well. */
function lineOf(log: string, { excerpt }: Finding): number | null {
  if (excerpt.headline === '') return null;
  const texts = readLogLines(log).map(({ text }) => formatHeadline(text));
  const headline = formatHeadline(excerpt.headline);
  const shown = new Set(excerpt.lines.map(formatHeadline));
  let [best, most] = [-1, -1];
  for (const [at, text] of texts.entries()) {
    if (text !== headline) continue;
    const beside = texts.slice(at + 1, at + 6).filter((next) => next !== '' && shown.has(next)).length;
    if (beside > most) [best, most] = [at, beside];
  }
  return best === -1 ? null : best + 1;
}

const WORDS: Readonly<Record<Hit, string>> = { error: 'yes', context: 'context', near: 'near', miss: 'no', none: '–' };

function eachOf(judged: readonly Judged[]): string {
  const rows = judged.map(({ entry, finding, line, hit }) => {
    const first = line === null ? (finding?.excerpt.headline ? 'in other words' : 'none') : String(line);
    return [entry.id, finding?.verdict ?? 'nothing', first, WORDS[hit], testsOf(entry, finding)];
  });
  return table(['log', 'verdict', 'first error line', 'in the truth', 'failed tests found'], rows);
}

function testsOf({ truth }: LogEntry, finding: Finding | null): string {
  if (truth.type !== 'failed-tests' || truth.failed === null) return '–';
  return `${foundOf(truth.failed, finding)} of ${truth.failed.length}`;
}

/** One that is written another way counts where one holds the other. */
function foundOf(failed: readonly string[], finding: Finding | null): number {
  const tests = finding?.excerpt.tests ?? [];
  return failed.filter((name) => tests.some((test) => test.includes(name) || name.includes(test))).length;
}

/** Where a test is known to have failed, the machine is not to blame. */
function testTotals(judged: readonly Judged[]): string {
  const known = judged.flatMap(({ entry: { truth }, finding }) =>
    truth.type === 'failed-tests' && truth.failed !== null ? [{ failed: truth.failed, finding }] : [],
  );
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const isCode = known.filter(({ finding }) => finding?.verdict === 'code').length;
  const all = sum(known.map(({ failed }) => failed.length));
  const found = sum(known.map(({ failed, finding }) => foundOf(failed, finding)));
  return `Of ${known.length} logs whose failed tests are known, ${isCode} are judged code; ${found} of their ${all} tests are named.`;
}

function totalsOf(judged: readonly Judged[]): string {
  const sources = [...new Set(judged.map(sourceOf)), 'all'];
  const rows = sources.map((source) => {
    const of = judged.filter((one) => source === 'all' || sourceOf(one) === source);
    const told = of.filter(({ hit }) => hit !== 'none');
    const count = (...hits: readonly Hit[]) => String(told.filter(({ hit }) => hits.includes(hit)).length);
    const verdicts = ['code', 'infrastructure', 'flaky', 'inconclusive'].map((verdict) =>
      String(of.filter(({ finding }) => finding?.verdict === verdict).length),
    );
    const shown = String(of.filter(({ finding }) => finding !== null && finding.excerpt.headline !== '').length);
    const near = count('error', 'context', 'near');
    return [
      source,
      String(of.length),
      ...verdicts,
      shown,
      String(told.length),
      count('error'),
      count('error', 'context'),
      near,
    ];
  });
  const verdicts = ['code', 'infrastructure', 'flaky', 'inconclusive'];
  const hits = ['with truth about lines', 'in an error range', 'or its context', 'or within 20 lines'];
  return table(['source', 'logs', ...verdicts, 'first line shown', ...hits], rows);
}

function sourceOf({ entry }: Judged): string {
  return `${entry.source.split(':')[0]}, ${entry.truth.type}`;
}
