// Checks the certificate of a pull request's proof against GitHub alone: who opened it, whose commits it has, what they change, checks and
// logs. Trusts nothing of what it says.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';
import { CausewayError } from '../core/errors.ts';
import { type ChangedFile, hashChange, isTestAlone, isTestPath, type VerifiedProof } from '../core/proof/index.ts';
import { type CheckReader, stripAddress } from '../services/index.ts';
import {
  createPersonalClient,
  type GithubOptions,
  type PersonalClient,
  readJobLog,
  readPages,
} from './clients/index.ts';

const SHA = z.string().regex(/^[0-9a-f]{40,64}$/);
const RUN = z.object({ url: z.string(), at: z.string() });
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/[A-Za-z0-9._-]{1,100}$/;

const CERTIFICATE = z.object({
  repository: z.string().regex(NAME),
  /** Its address; "" in certificates of versions that named none. */
  pullRequest: z.string().max(1_000).default(''),
  state: z.string(),
  base: SHA,
  testCommit: SHA,
  fixCommit: SHA,
  checks: z.array(z.object({ name: z.string(), red: RUN, green: RUN })).max(100),
  turned: z.array(z.string()).max(100),
  diffHash: z.string(),
});

type Certificate = z.output<typeof CERTIFICATE>;

/** A pull request by its address, with the certificate in its body or with another `text`; or a text alone. */
export type ProofSource =
  | { readonly kind: 'pull'; readonly url: string; readonly text: string | null }
  | { readonly kind: 'text'; readonly text: string };

export interface ProofOptions extends GithubOptions {
  readonly readCheck: CheckReader['readCheck'];
  /** Name of the App that must have opened the pull request, as in its address; null: any. */
  readonly app: string | null;
}

type PullData = RestEndpointMethodTypes['pulls']['get']['response']['data'];

interface Verifying extends Pick<ProofOptions, 'app' | 'readCheck'> {
  readonly client: PersonalClient;
  readonly repository: { readonly owner: string; readonly repo: string };
  readonly pull: PullData;
  readonly certificate: Certificate;
  readonly signal: AbortSignal;
}

export async function verifyProof(
  source: ProofSource,
  { readCheck, app, ...options }: ProofOptions,
  signal: AbortSignal,
): Promise<VerifiedProof> {
  if (source.kind === 'text') {
    const { pullRequest: named } = parseCertificate(source.text);
    return { state: 'not_verifiable', because: named === '' ? 'names_none' : 'file_alone', named };
  }
  const client = createPersonalClient(options);
  const { pull_number, ...repository } = parsePullAddress(source.url, options.webUrl);
  const pull = await client.call('the pull request', signal, (deadline) =>
    client.octokit.rest.pulls.get({ ...repository, pull_number, request: { signal: deadline } }),
  );
  const foreign = await findForeignRun({ client, repository, app, sha: pull.head.sha, signal });
  if (foreign !== null) {
    const verifying = { client, readCheck, app, repository, pull, signal };
    return await verifyForeignProof(verifying, { ...foreign, given: source.text, url: source.url });
  }
  const certificate = parseCertificate(source.text ?? findBlock(pull.body, source.url));
  if (certificate.pullRequest === '') return { state: 'not_verifiable', because: 'names_none', named: '' };
  const verifying = { client, readCheck, app, repository, pull, certificate, signal };
  // Each is only asked for where all before it holds: GitHub may not know the commits.
  for (const check of [checkWords, checkPull, checkCommits, checkRuns]) {
    const faults = await check(verifying, source.url);
    if (faults.length > 0) return { state: 'denied', faults };
  }
  return {
    state: 'confirmed',
    repository: certificate.repository,
    pullRequest: pull.html_url,
    commit: pull.head.sha,
    bot: pull.user.login,
    turned: certificate.turned,
  };
}

const FOREIGN_CHECK = 'Causeway / proof';

const FOREIGN = z.strictObject({
  kind: z.literal('foreign'),
  repository: z.string().regex(NAME),
  pullRequest: z.string().max(1_000),
  state: z.literal('proven'),
  head: SHA,
  base: SHA,
  testCommit: SHA,
  redBase: SHA,
  greenBase: SHA,
  author: z.string().max(100),
  checks: z
    .array(z.object({ name: z.string(), red: RUN, green: RUN }))
    .min(1)
    .max(100),
  turned: z.array(z.string()).min(1).max(100),
  diffHash: z.string(),
});

type ForeignCertificate = z.output<typeof FOREIGN>;

interface ForeignRun {
  /** Slug of the App that made it. */
  readonly slug: string;
  /** "": it did not succeed, so that no block in it is a certificate. */
  readonly summary: string;
}

interface HeadPlace extends Pick<Verifying, 'client' | 'repository' | 'app' | 'signal'> {
  readonly sha: string;
}

/** The newest check run of that name on the head, by the App that is asked about; null: there is none. Only an App writes its own check runs. */
async function findForeignRun({ client, repository, app, sha, signal }: HeadPlace): Promise<ForeignRun | null> {
  const slug = app?.replace(/\[bot\]$/i, '').toLowerCase() ?? null;
  const runs = await readAll('checks', async (page) => {
    const of = { ...repository, ref: sha, check_name: FOREIGN_CHECK, filter: 'all' as const, ...page };
    const found = await client.call('the checks', signal, (deadline) =>
      client.octokit.rest.checks.listForRef({ ...of, request: { signal: deadline } }),
    );
    return found.check_runs;
  });
  // Any workflow of the repository may write in the name of Actions.
  const byApps = runs.filter((run) => run.app?.slug && run.app.slug !== 'github-actions');
  const own = byApps.filter((run) => slug === null || run.app?.slug?.toLowerCase() === slug);
  const newest = own.toSorted((one, other) => other.id - one.id)[0];
  if (newest?.app?.slug === undefined) return null;
  return { slug: newest.app.slug, summary: newest.conclusion === 'success' ? (newest.output.summary ?? '') : '' };
}

interface GivenForeign extends ForeignRun {
  /** Of a file; null: none was given. */
  readonly given: string | null;
  readonly url: string;
}

/** The certificate of somebody else's fix: in our check run alone, whoever wrote what stands in the pull request. */
async function verifyForeignProof(
  at: Omit<Verifying, 'certificate'>,
  { slug, summary, given, url }: GivenForeign,
): Promise<VerifiedProof> {
  const [, block] = [...summary.replaceAll('\r\n', '\n').matchAll(BLOCK)].at(-1) ?? [];
  if (block === undefined) throw new CausewayError('absent', `${url} has no certificate: its proof did not succeed.`);
  const certificate = parseForeign(block);
  const deny = (faults: readonly string[]): VerifiedProof => ({ state: 'denied', faults });
  if (given !== null && JSON.stringify(parseForeign(given)) !== JSON.stringify(certificate)) {
    return deny(['it is not the certificate in the check run of the App on the head']);
  }
  const { head, base, testCommit, checks, turned, diffHash } = certificate;
  // As of our own: the green half is the head itself.
  const whole = { ...certificate, fixCommit: head, checks, turned, diffHash };
  const verifying: Verifying = { ...at, certificate: whole };
  const bot = `${slug}[bot]`;
  const faults = [...checkWords(verifying, url), ...(await checkHeadAndBase(verifying))];
  if (faults.length > 0) return deny(faults);
  const ofCommits = await checkForeignCommits(verifying, { base, testCommit, head, bot });
  if (ofCommits.length > 0) return deny(ofCommits);
  const ofRuns = await checkRuns(verifying);
  const gone = ofRuns.find((fault) => fault.includes('are gone'));
  if (gone !== undefined) return { state: 'not_verifiable', because: 'logs_gone', named: certificate.pullRequest };
  if (ofRuns.length > 0) return deny(ofRuns);
  return {
    state: 'confirmed',
    repository: certificate.repository,
    pullRequest: at.pull.html_url,
    commit: head,
    bot,
    author: at.pull.user.login,
    turned,
  };
}

function parseForeign(text: string): ForeignCertificate {
  try {
    const parsed = FOREIGN.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') || 'it';
    throw new CausewayError('usage', `This is no certificate of a foreign proof: "${where}" is missing or malformed.`);
  } catch (error) {
    if (error instanceof CausewayError) throw error;
    throw new CausewayError('usage', 'This is no certificate of a proof: it is not JSON.', { cause: error });
  }
}

/** The red half is one commit of the App on the base, and holds the tests of the head as they are there. */
async function checkForeignCommits(
  verifying: Verifying,
  { base, testCommit, head, bot }: Record<'base' | 'testCommit' | 'head' | 'bot', string>,
): Promise<readonly string[]> {
  const test = await compareProofCommits(verifying, base, testCommit);
  const whole = await compareProofCommits(verifying, base, head);
  if (test === null || whole === null) return ['its commits are not on top of its base on GitHub'];
  if ([test, whole].some(({ files }) => files.length >= MOST_FILES)) {
    return ['its change is too large for GitHub to compare it whole'];
  }
  if (test.commits?.length !== 1) return ['its tests alone are not one commit'];
  const foreign = test.commits.flatMap((commit) => describeForeignCommit(commit, bot));
  if (foreign.length > 0) return foreign;
  const others = test.paths.filter((path) => !isTestAlone(path));
  const differing = test.files.filter(
    ({ path, blob }) => !whole.files.some((file) => file.path === path && file.blob === blob),
  );
  // With half of the tests, the others may fail for want of it.
  const missing = whole.files.filter(
    ({ path, status }) =>
      isTestAlone(path) &&
      (status === 'added' || status === 'modified') &&
      !test.files.some((file) => file.path === path),
  );
  return [
    ...(missing.length > 0
      ? [`its tests alone are without these tests: ${missing.map(({ path }) => path).join(', ')}`]
      : []),
    ...(others.length > 0 ? [`its tests alone change more than tests: ${others.join(', ')}`] : []),
    ...(differing.length > 0
      ? [`these tests are not as in the pull request: ${differing.map(({ path }) => path).join(', ')}`]
      : []),
    ...(hashChange(whole.files) === verifying.certificate.diffHash
      ? []
      : ['the change on GitHub is not the one that it names']),
  ];
}

/** By its login: the App has opened nothing that would name its number. */
function describeForeignCommit({ sha, commit, author, committer }: ComparisonCommit, bot: string): readonly string[] {
  const login = author !== null && 'login' in author ? author.login : 'somebody';
  const { verified = false, reason = 'unsigned' } = commit.verification ?? {};
  if (login.toLowerCase() !== bot.toLowerCase()) return [`${shortenCommit(sha)} is by ${login}, not by ${bot}`];
  if (!verified) return [`GitHub does not verify the signature of ${shortenCommit(sha)} (${reason})`];
  // As of our own commits: a signature speaks for the committer alone.
  const signer = committer !== null && 'login' in committer ? committer.login : 'somebody';
  return [GITHUB, bot.toLowerCase()].includes(signer.toLowerCase())
    ? []
    : [`${shortenCommit(sha)} is signed by ${signer}, not by ${bot} or GitHub`];
}

/** What shows without GitHub. `url`: of the pull request that is asked about. */
function checkWords({ repository: { owner, repo }, certificate }: Verifying, url: string): readonly string[] {
  const { repository, pullRequest, state, checks, turned } = certificate;
  const isElsewhere = `${owner}/${repo}`.toLowerCase() !== repository.toLowerCase();
  return [
    ...(state === 'proven' ? [] : [`its state is "${state}", not "proven"`]),
    ...(isElsewhere ? [`it is about ${repository}, not about the repository of the pull request`] : []),
    ...(isSamePullAddress(pullRequest, url)
      ? []
      : [`it is the certificate of ${pullRequest}, not of this pull request`]),
    ...(checks.length === 0 ? ['it names no check'] : []),
    ...(turned.length === 0 ? ['it names no test'] : []),
  ];
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

/** No two repositories on GitHub differ in case alone. */
function isSamePullAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((url) => URL.parse(url.toLowerCase()));
  const toPath = (url: URL | null | undefined) => url?.pathname.replace(/\/$/, '');
  return first != null && first.host === second?.host && toPath(first) === toPath(second);
}

/** The last block of JSON: what comes before it may quote anything. */
const BLOCK = /```json\n([^`]{2,60000})\n```/g;

function findBlock(body: string | null, url: string): string {
  const [, block] = [...(body ?? '').replaceAll('\r\n', '\n').matchAll(BLOCK)].at(-1) ?? [];
  if (block !== undefined) return block;
  throw new CausewayError('absent', `${url} has no certificate in its body: its fix is not proven.`);
}

/**
 * GitHub gives out the commits of all forks by their sha in the address of any of them. So the head must be that of a branch of this
 * repository, and the base part of the branch it is merged into: what lies between them is this repository's own then, too.
 */
async function checkPull(verifying: Verifying): Promise<readonly string[]> {
  const { app, pull } = verifying;
  const { user } = pull;
  const bot = app === null ? null : `${app.replace(/\[bot\]$/i, '')}[bot]`;
  const isOther = bot !== null && user.login.toLowerCase() !== bot.toLowerCase();
  return [
    ...(user.type !== 'Bot' || isOther ? [`it was opened by ${user.login}, not by ${bot ?? 'a bot'}`] : []),
    ...(await checkHeadAndBase(verifying)),
  ];
}

/** What is asked of the head and the base of any pull request, whoever opened it. */
async function checkHeadAndBase(verifying: Verifying): Promise<readonly string[]> {
  const { pull, certificate } = verifying;
  const { head, base } = pull;
  return [
    ...(head.repo?.id === base.repo.id
      ? []
      : [`its branch is in ${head.repo?.full_name ?? 'a repository that is gone'}`]),
    ...(head.sha === certificate.fixCommit
      ? []
      : [`its head is ${shortenCommit(head.sha)}, and what was proven is ${shortenCommit(certificate.fixCommit)}`]),
    ...((await isOnBaseBranch(verifying))
      ? []
      : [`its base ${shortenCommit(certificate.base)} is not part of "${base.ref}"`]),
  ];
}

async function isOnBaseBranch({ client, repository, pull, certificate, signal }: Verifying): Promise<boolean> {
  const tip = await readOrNull(() =>
    client.call('the base branch', signal, (deadline) =>
      client.octokit.rest.git.getRef({ ...repository, ref: `heads/${pull.base.ref}`, request: { signal: deadline } }),
    ),
  );
  const sha = tip?.object.sha;
  if (sha === undefined) return false;
  const found = await readComparison({ client, repository, signal }, sha, certificate.base);
  return found?.status === 'behind' || found?.status === 'identical';
}

function shortenCommit(sha: string): string {
  return sha.slice(0, 12);
}

/** GitHub compares no more files at once. */
const MOST_FILES = 300;

/** The tests come first and alone, and the fix leaves them as they are; both are by the bot, and change nothing that runs the checks. */
async function checkCommits(verifying: Verifying): Promise<readonly string[]> {
  const { base, testCommit, fixCommit, diffHash } = verifying.certificate;
  const test = await compareProofCommits(verifying, base, testCommit);
  const fix = await compareProofCommits(verifying, testCommit, fixCommit);
  const whole = await compareProofCommits(verifying, base, fixCommit);
  if (test === null || fix === null || whole === null) return ['its commits do not follow one another on GitHub'];
  if (whole.commits === null || [test, fix, whole].some(({ files }) => files.length >= MOST_FILES)) {
    return ['its change is too large for GitHub to compare it whole'];
  }
  const foreign = whole.commits.flatMap((commit) => describeForeign(commit, verifying.pull.user));
  if (foreign.length > 0) return foreign;
  const running = [...new Set([...test.paths, ...fix.paths])].filter((path) => /^\.github(?:\/|$)/.test(path));
  if (running.length > 0) return [`its commits change ${running.join(', ')}`];
  const others = test.paths.filter((path) => !isTestPath(path));
  const added = fix.files.filter(({ status }) => status === 'added').map(({ path }) => path);
  const changed = fix.paths.filter((path) => test.paths.includes(path) || (!added.includes(path) && isTestPath(path)));
  // A fix for failing checks needs no test of its own.
  const isOfChecks = base === testCommit;
  return [
    ...(test.files.length === 0 && !isOfChecks ? ['its test commit changes nothing'] : []),
    ...(fix.files.length === 0 ? ['its fix commit changes nothing'] : []),
    ...(others.length > 0 ? [`its test commit changes more than tests: ${others.join(', ')}`] : []),
    ...(changed.length > 0 ? [`its fix commit changes tests: ${changed.join(', ')}`] : []),
    ...(hashChange(whole.files) === diffHash ? [] : ['the change on GitHub is not the one that it names']),
  ];
}

type ComparisonData = RestEndpointMethodTypes['repos']['compareCommitsWithBasehead']['response']['data'];
type ComparisonCommit = ComparisonData['commits'][number];

/** Commits that GitHub makes itself are those of this account, whether through the API or on its pages. */
const GITHUB = 'web-flow';

/**
 * Anybody may write the bot's name into a commit as its author, and sign it with a key of their own: a signature speaks for the committer
 * alone. GitHub commits and signs for an App through its API, where the author can't be another than the App's bot.
 */
function describeForeign(
  { sha, commit, author, committer }: ComparisonCommit,
  bot: PullData['user'],
): readonly string[] {
  const { verified = false, reason = 'unsigned' } = commit.verification ?? {};
  const name = shortenCommit(sha);
  if (author === null || !('id' in author) || author.id !== bot.id) {
    const login = author !== null && 'login' in author ? author.login : 'somebody';
    return [`${name} is by ${login}, not by ${bot.login}`];
  }
  if (!verified) return [`GitHub does not verify the signature of ${name} (${reason})`];
  const signer = committer !== null && 'login' in committer ? committer.login : 'somebody';
  return signer === GITHUB || signer === bot.login
    ? []
    : [`${name} is signed by ${signer}, not by ${bot.login} or GitHub`];
}

interface ComparedRange {
  readonly files: readonly ChangedFile[];
  /** Of the files, with the earlier ones of those that were renamed. */
  readonly paths: readonly string[];
  /** Null: there are more than a page of them. */
  readonly commits: readonly ComparisonCommit[] | null;
}

/** What differs; null where the second commit isn't on top of the first. */
async function compareProofCommits(at: Verifying, from: string, to: string): Promise<ComparedRange | null> {
  const data = await readComparison(at, from, to);
  if (data?.status !== 'ahead' && !(data?.status === 'identical' && from === to)) return null;
  const { files = [], commits, total_commits: total } = data;
  return {
    files: files.map(({ filename, status, sha }) => ({ path: filename, status, blob: sha ?? '' })),
    paths: files.flatMap(({ filename, previous_filename: before }) => [
      filename,
      ...(before === undefined ? [] : [before]),
    ]),
    commits: commits.length === total ? commits : null,
  };
}

function readComparison(
  { client, repository, signal }: Pick<Verifying, 'client' | 'repository' | 'signal'>,
  from: string,
  to: string,
): Promise<ComparisonData | null> {
  return readOrNull(() =>
    client.call('the commits', signal, (deadline) => {
      const of = { ...repository, basehead: `${from}...${to}`, per_page: 100, request: { signal: deadline } };
      return client.octokit.rest.repos.compareCommitsWithBasehead(of);
    }),
  );
}

async function readOrNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'absent') return null;
    throw error;
  }
}

interface CheckedRun {
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
  const onBase = await listProofRuns(verifying, base);
  const red = await listProofRuns(verifying, testCommit);
  const green = await listProofRuns(verifying, fixCommit);
  const faults: string[] = [];
  const failed = new Set<string>();
  for (const check of checks) {
    const before = findRun(red, check.name, check.red);
    const after = findRun(green, check.name, check.green);
    if (!before?.isRed) faults.push(`"${check.name}" did not fail at the test commit as it says`);
    else if (!after?.isGreen) faults.push(`"${check.name}" did not pass at the fix commit as it says`);
    else faults.push(...(await checkLogs(verifying, { before, after }, failed)));
  }
  const isNamed = ({ name }: CheckedRun) =>
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
  { before, after }: { readonly before: CheckedRun; readonly after: CheckedRun },
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
  { jobId, name }: CheckedRun,
): Promise<readonly string[] | null> {
  if (jobId === null) return null;
  const log = await readOrNull(() => readJobLog(client, { ...repository, jobId, bytes: LOG_BYTES }, signal));
  return log === null ? null : (await readCheck({ name, output: '', log, annotations: [] })).excerpt.tests;
}

function findRun(runs: readonly CheckedRun[], name: string, { url, at }: z.output<typeof RUN>): CheckedRun | undefined {
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

async function listProofRuns({ client, repository, signal }: Verifying, sha: string): Promise<readonly CheckedRun[]> {
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
      name,
      jobId: app?.slug === 'github-actions' ? id : null,
      isRed: RED.has(conclusion ?? ''),
      isGreen: conclusion === 'success',
      url: stripAddress(html_url ?? details_url ?? ''),
      at: completed_at ?? '',
    })),
    ...statuses.map(({ context, state, target_url, updated_at }) => ({
      name: context,
      jobId: null,
      isRed: state === 'failure' || state === 'error',
      isGreen: state === 'success',
      url: stripAddress(target_url ?? ''),
      at: updated_at,
    })),
  ];
}
