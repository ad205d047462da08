// Checks the certificate of a proof against GitHub alone: commits, changed files, checks and logs. Trusts nothing of what it says.
import { z } from 'zod';
import { isTestPath } from '../core/change-parts.ts';
import { CausewayError } from '../core/errors.ts';
import { type ChangedFile, hashChange } from '../core/proof.ts';
import { type CheckReader, stripAddress } from '../services/checks/check-texts.ts';
import { readPages } from './clients/repository.ts';
import { createGithubClient, type GithubClient, type GithubOptions } from './github-client.ts';
import { readJobLog } from './job-log.ts';

const SHA = z.string().regex(/^[0-9a-f]{40,64}$/);
const RUN = z.object({ url: z.string(), at: z.string() });
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;

const CERTIFICATE = z.object({
  repository: z.string().regex(NAME),
  state: z.string(),
  base: SHA,
  testCommit: SHA,
  fixCommit: SHA,
  checks: z.array(z.object({ name: z.string(), red: RUN, green: RUN })).max(100),
  turned: z.array(z.string()).max(100),
  diffHash: z.string(),
});

type Certificate = z.output<typeof CERTIFICATE>;

export interface ProofCheck {
  readonly repository: string;
  readonly turned: readonly string[];
  /** What contradicts the certificate; empty: it holds. */
  readonly faults: readonly string[];
}

interface Verifying {
  readonly client: GithubClient;
  readonly readCheck: CheckReader['readCheck'];
  readonly repository: { readonly owner: string; readonly repo: string };
  readonly certificate: Certificate;
  readonly signal: AbortSignal;
}

/** `source`: the text of a certificate, or the address of a pull request that has one in its body. */
export async function verifyProof(
  source: { readonly kind: 'text'; readonly text: string } | { readonly kind: 'address'; readonly url: string },
  { readCheck, ...options }: GithubOptions & { readonly readCheck: CheckReader['readCheck'] },
  signal: AbortSignal,
): Promise<ProofCheck> {
  const client = createGithubClient(options);
  const text = source.kind === 'text' ? source.text : await readBlock(client, source.url, signal);
  const certificate = parseCertificate(text);
  const [owner = '', repo = ''] = certificate.repository.split('/');
  const verifying = { client, readCheck, repository: { owner, repo }, certificate, signal };
  const named = source.kind === 'address' ? parsePullAddress(source.url, options.webUrl) : null;
  const isElsewhere =
    named !== null && `${named.owner}/${named.repo}`.toLowerCase() !== certificate.repository.toLowerCase();
  const faults = [
    ...(certificate.state === 'proven' ? [] : [`its state is "${certificate.state}", not "proven"`]),
    ...(isElsewhere ? [`it is about ${certificate.repository}, not about the repository of the pull request`] : []),
    ...(certificate.checks.length === 0 ? ['it names no check'] : []),
    ...(certificate.turned.length === 0 ? ['it names no test'] : []),
  ];
  // Each is only asked for where all before it holds: GitHub may not know the commits.
  for (const check of [checkCommits, checkRuns]) if (faults.length === 0) faults.push(...(await check(verifying)));
  return { repository: certificate.repository, turned: certificate.turned, faults };
}

function parseCertificate(text: string): Certificate {
  try {
    const parsed = CERTIFICATE.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new CausewayError(
      'usage',
      `This is no certificate of a proof: "${issue?.path.join('.')}" is missing or malformed.`,
    );
  } catch (error) {
    if (error instanceof CausewayError) throw error;
    throw new CausewayError('usage', 'This is no certificate of a proof: it is not JSON.', { cause: error });
  }
}

const PULL = /^\/([A-Za-z0-9][A-Za-z0-9_-]{0,99})\/([A-Za-z0-9._-]{1,100})\/pull\/(\d{1,12})\/?$/;

function parsePullAddress(url: string, webUrl: string) {
  const address = URL.parse(url);
  const base = new URL(webUrl);
  const [, owner, repo, number] = (address?.host === base.host && PULL.exec(address.pathname)) || [];
  if (owner === undefined || repo === undefined || number === undefined) {
    throw new CausewayError(
      'usage',
      `${url} is not a pull request on ${webUrl} (GHE_HOST): give its address or a file.`,
    );
  }
  return { owner, repo, pull_number: Number(number) };
}

/** The last block of JSON: what comes before it may quote anything. */
const BLOCK = /```json\n([^`]{2,60000})\n```/g;

async function readBlock(client: GithubClient, url: string, signal: AbortSignal): Promise<string> {
  const pull = parsePullAddress(url, client.options.webUrl);
  const { body } = await client.call('the pull request', signal, (deadline) =>
    client.octokit.rest.pulls.get({ ...pull, request: { signal: deadline } }),
  );
  const [, block] = [...(body ?? '').replaceAll('\r\n', '\n').matchAll(BLOCK)].at(-1) ?? [];
  if (block !== undefined) return block;
  throw new CausewayError('absent', `${url} has no certificate in its body: its fix is not proven.`);
}

/** The tests come first and alone, and the fix leaves them as they are. */
async function checkCommits(verifying: Verifying): Promise<readonly string[]> {
  const { base, testCommit, fixCommit, diffHash } = verifying.certificate;
  const test = await compare(verifying, base, testCommit);
  const fix = await compare(verifying, testCommit, fixCommit);
  const whole = await compare(verifying, base, fixCommit);
  if (test === null || fix === null || whole === null) return ['its commits do not follow one another on GitHub'];
  const others = test.filter(({ path }) => !isTestPath(path)).map(({ path }) => path);
  const changed = fix.filter(
    ({ path, status }) => test.some((one) => one.path === path) || (status !== 'added' && isTestPath(path)),
  );
  // A fix for failing checks needs no test of its own.
  const isOfChecks = base === testCommit;
  return [
    ...(test.length === 0 && !isOfChecks ? ['its test commit changes nothing'] : []),
    ...(fix.length === 0 ? ['its fix commit changes nothing'] : []),
    ...(others.length > 0 ? [`its test commit changes more than tests: ${others.join(', ')}`] : []),
    ...(changed.length > 0 ? [`its fix commit changes tests: ${changed.map(({ path }) => path).join(', ')}`] : []),
    ...(hashChange(whole) === diffHash ? [] : ['the change on GitHub is not the one that it names']),
  ];
}

/** Files that differ; null where the second commit isn't on top of the first. */
async function compare(
  { client, repository, signal }: Verifying,
  from: string,
  to: string,
): Promise<readonly ChangedFile[] | null> {
  const data = await readOrNull(() =>
    client.call('the commits', signal, (deadline) => {
      const of = { ...repository, basehead: `${from}...${to}`, per_page: 1, request: { signal: deadline } };
      return client.octokit.rest.repos.compareCommitsWithBasehead(of);
    }),
  );
  if (data?.status !== 'ahead' && !(data?.status === 'identical' && from === to)) return null;
  return (data.files ?? []).map(({ filename, status, sha }) => ({ path: filename, status, blob: sha ?? '' }));
}

async function readOrNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'absent') return null;
    throw error;
  }
}

interface Run {
  readonly name: string;
  /** Of Actions: the id of its job; null: it has no log. */
  readonly jobId: number | null;
  readonly isRed: boolean;
  readonly isGreen: boolean;
  readonly url: string;
  readonly at: string;
}

async function checkRuns(verifying: Verifying): Promise<readonly string[]> {
  const { base, testCommit, fixCommit, checks, turned } = verifying.certificate;
  const onBase = await listRuns(verifying, base);
  const red = await listRuns(verifying, testCommit);
  const green = await listRuns(verifying, fixCommit);
  const faults: string[] = [];
  const failed = new Set<string>();
  for (const check of checks) {
    const before = findRun(red, check.name, check.red);
    const after = findRun(green, check.name, check.green);
    if (!before?.isRed) faults.push(`"${check.name}" did not fail at the test commit as it says`);
    else if (!after?.isGreen) faults.push(`"${check.name}" did not pass at the fix commit as it says`);
    else faults.push(...(await checkLogs(verifying, { before, after }, failed)));
  }
  const isNamed = ({ name }: Run) =>
    checks.some((check) => check.name === name) || onBase.some((run) => run.isRed && run.name === name);
  for (const run of red.filter((one) => one.isRed && !isNamed(one)))
    faults.push(`"${run.name}" failed at the test commit too`);
  for (const run of green.filter(
    (one) => one.isRed && !onBase.some((other) => other.isRed && other.name === one.name),
  )) {
    faults.push(`"${run.name}" failed at the fix commit`);
  }
  const unseen = turned.filter((name) => !failed.has(name));
  return unseen.length === 0 || faults.length > 0
    ? faults
    : [`no log shows that these tests failed: ${unseen.join(', ')}`];
}

/** Adds to `failed` the tests that failed before. */
async function checkLogs(
  verifying: Verifying,
  { before, after }: { readonly before: Run; readonly after: Run },
  failed: Set<string>,
): Promise<readonly string[]> {
  const { turned } = verifying.certificate;
  const tests = await readFailedTests(verifying, before);
  const later = await readFailedTests(verifying, after);
  if (tests === null || later === null)
    return [`the logs of "${before.name}" are gone, so that its tests cannot be checked`];
  for (const test of tests) failed.add(test);
  if (!tests.some((test) => turned.includes(test))) return [`none of its tests failed in "${before.name}"`];
  const still = later.filter((test) => turned.includes(test));
  return still.length === 0 ? [] : [`these tests still fail in "${after.name}": ${still.join(', ')}`];
}

const LOG_BYTES = 512 * 1_024;

async function readFailedTests(
  { client, repository, readCheck, signal }: Verifying,
  { jobId, name }: Run,
): Promise<readonly string[] | null> {
  if (jobId === null) return null;
  const log = await readOrNull(() => readJobLog(client, { ...repository, jobId }, LOG_BYTES, signal));
  return log === null ? null : (await readCheck({ name, output: '', log, annotations: [] })).excerpt.tests;
}

function findRun(runs: readonly Run[], name: string, { url, at }: z.output<typeof RUN>): Run | undefined {
  return runs.find((run) => run.name === name && run.url === url && run.at === at);
}

const RED = new Set(['failure', 'timed_out', 'startup_failure']);
/** A commit with more checks is not verified in part. */
const MAX_PAGES = 30;

async function readAll<T>(
  what: string,
  read: (page: { readonly per_page: number; readonly page: number }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const { items, isCut } = await readPages(MAX_PAGES, read);
  if (!isCut) return items;
  throw new CausewayError('usage', `A commit has too many ${what} to verify the certificate.`);
}

async function listRuns({ client, repository, signal }: Verifying, sha: string): Promise<readonly Run[]> {
  const of = { ...repository, ref: sha };
  const runs = await readAll('checks', async (page) => {
    const found = await client.call('the checks', signal, (deadline) =>
      client.octokit.rest.checks.listForRef({ ...of, ...page, filter: 'latest', request: { signal: deadline } }),
    );
    return found.check_runs;
  });
  const statuses = await readAll('statuses', async (page) => {
    const found = await client.call('the statuses', signal, (deadline) =>
      client.octokit.rest.repos.getCombinedStatusForRef({ ...of, ...page, request: { signal: deadline } }),
    );
    return found.statuses;
  });
  return [
    ...runs.map(({ id, name, app, conclusion, html_url, details_url, completed_at }) => ({
      ...{ name, jobId: app?.slug === 'github-actions' ? id : null },
      ...{ isRed: RED.has(conclusion ?? ''), isGreen: conclusion === 'success' },
      ...{ url: stripAddress(html_url ?? details_url ?? ''), at: completed_at ?? '' },
    })),
    ...statuses.map(({ context, state, target_url, updated_at }) => ({
      ...{ name: context, jobId: null, isRed: state === 'failure' || state === 'error', isGreen: state === 'success' },
      ...{ url: stripAddress(target_url ?? ''), at: updated_at },
    })),
  ];
}
