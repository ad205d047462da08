// Checks the certificate of a pull request's proof against GitHub alone: who opened it, whose commits it has, what they change, checks and
// logs. Trusts nothing of what it says.
import type { ShortenLog } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { hashChange, isTestPath, type VerifiedProof } from '../../core/proof/index.ts';
import type { CheckReader } from '../../services/index.ts';
import { createPersonalClient, type GithubOptions } from '../clients/index.ts';
import { findBlock, parseForeign, parseOwn, saysForeign } from './certificate.ts';
import { checkRuns } from './check-runs.ts';
import { findForeignRun, NO_FOREIGN_RUN, verifyForeignProof } from './verify-foreign.ts';
import {
  checkHeadAndBase,
  checkWords,
  compareProofCommits,
  describeStranger,
  MOST_FILES,
  type Verifying,
} from './verifying.ts';

/** A pull request by its address, with the certificate in its body or with another `text`; or a text alone. */
export type ProofSource =
  | { readonly kind: 'pull'; readonly url: string; readonly text: string | null }
  | { readonly kind: 'text'; readonly text: string };

export interface ProofOptions extends GithubOptions {
  readonly readCheck: CheckReader['readCheck'];
  /** As when it was proven: the beginning of a log says what its job ran on, its end what failed. */
  readonly shortenLog: ShortenLog;
  /** Name of the App that must have opened the pull request, as in its address; null: any. */
  readonly app: string | null;
}

export async function verifyProof(
  source: ProofSource,
  { readCheck, shortenLog, app, ...options }: ProofOptions,
  signal: AbortSignal,
): Promise<VerifiedProof> {
  if (source.kind === 'text') {
    const { pullRequest: named } = saysForeign(source.text) ? parseForeign(source.text) : parseOwn(source.text);
    return { state: 'not_verifiable', because: named === '' ? 'names_none' : 'file_alone', named };
  }
  const client = createPersonalClient(options);
  const { pull_number, ...repository } = parsePullAddress(source.url, options.webUrl);
  const pull = await client.call('the pull request', signal, (deadline) =>
    client.octokit.rest.pulls.get({ ...repository, pull_number, request: { signal: deadline } }),
  );
  const at = { client, readCheck, shortenLog, app, repository, pull, signal };
  const foreign = await findForeignRun({ ...at, sha: pull.head.sha });
  if (foreign !== null) return await verifyForeignProof(at, { ...foreign, given: source.text, url: source.url });
  const text = source.text ?? findBlock(pull.body);
  if (text === null) {
    throw new CausewayError('absent', `${source.url} has no certificate in its body: its fix is not proven.`);
  }
  return saysForeign(text) ? NO_FOREIGN_RUN : await verifyOwnProof(at, { text, url: source.url });
}

async function verifyOwnProof(
  at: Omit<Verifying, 'certificate'>,
  { text, url }: { readonly text: string; readonly url: string },
): Promise<VerifiedProof> {
  const certificate = parseOwn(text);
  const { pullRequest: named, repository, turned } = certificate;
  if (named === '') return { state: 'not_verifiable', because: 'names_none', named };
  const verifying: Verifying = { ...at, certificate };
  // Each is only asked for where all before it holds: GitHub may not know the commits.
  for (const check of [checkWords, checkPull, checkCommits]) {
    const faults = await check(verifying, url);
    if (faults.length > 0) return { state: 'denied', faults };
  }
  const { faults, unread } = await checkRuns(verifying, null);
  if (faults.length > 0) return { state: 'denied', faults };
  if (unread !== null) return { state: 'not_verifiable', because: unread, named };
  const { html_url: pullRequest, head, user } = at.pull;
  return { state: 'confirmed', repository, pullRequest, commit: head.sha, bot: user.login, turned };
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
  const foreign = whole.commits.flatMap((commit) => describeStranger(commit, verifying.pull.user));
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
