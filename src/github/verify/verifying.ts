// What is verified, where, and with what: shared by the certificates of our own pull requests and those of others.
import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { ShortenLog } from '../../core/check/index.ts';
import { CausewayError } from '../../core/errors.ts';
import { type ChangedFile, listPathsOf, toChangedFile } from '../../core/proof/index.ts';
import type { CheckReader } from '../../services/index.ts';
import type { PersonalClient } from '../clients/index.ts';
import type { Certificate } from './certificate.ts';

type PullData = RestEndpointMethodTypes['pulls']['get']['response']['data'];

/** Where it is asked. */
export interface VerifyPlace {
  readonly client: PersonalClient;
  readonly repository: { readonly owner: string; readonly repo: string };
  readonly signal: AbortSignal;
}

export interface Verifying extends VerifyPlace {
  /** Name of the App that must have made it; null: any. */
  readonly app: string | null;
  readonly readCheck: CheckReader['readCheck'];
  readonly shortenLog: ShortenLog;
  readonly pull: PullData;
  readonly certificate: Certificate;
}

/** What shows without GitHub. `url`: of the pull request that is asked about. */
export function checkWords({ repository: { owner, repo }, certificate }: Verifying, url: string): readonly string[] {
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

/** No two repositories on GitHub differ in case alone. */
function isSamePullAddress(one: string, other: string): boolean {
  const [first, second] = [one, other].map((url) => URL.parse(url.toLowerCase()));
  const toPath = (url: URL | null | undefined) => url?.pathname.replace(/\/$/, '');
  return first != null && first.host === second?.host && toPath(first) === toPath(second);
}

/**
 * GitHub gives out the commits of all forks by their sha in the address of any of them. So the head must be that of a branch of this
 * repository, and the base part of the branch it is merged into: what lies between them is this repository's own then, too.
 */
export async function checkHeadAndBase(verifying: Verifying): Promise<readonly string[]> {
  const { pull, certificate } = verifying;
  const { head, base } = pull;
  return [
    ...(head.repo?.id === base.repo.id
      ? []
      : [`its branch is in ${head.repo?.full_name ?? 'a repository that is gone'}`]),
    ...(head.sha === certificate.fixCommit
      ? []
      : [`its head is ${shortenCommit(head.sha)}, and what was proven is ${shortenCommit(certificate.fixCommit)}`]),
    ...((await isOnBaseBranch(verifying, certificate.base))
      ? []
      : [`its base ${shortenCommit(certificate.base)} is not part of "${base.ref}"`]),
  ];
}

export async function isOnBaseBranch(
  { client, repository, pull, signal }: VerifyPlace & Pick<Verifying, 'pull'>,
  commit: string,
): Promise<boolean> {
  const tip = await readOrNull(() =>
    client.call('the base branch', signal, (deadline) =>
      client.octokit.rest.git.getRef({ ...repository, ref: `heads/${pull.base.ref}`, request: { signal: deadline } }),
    ),
  );
  const sha = tip?.object.sha;
  if (sha === undefined) return false;
  const found = await readComparison({ client, repository, signal }, sha, commit);
  return found?.status === 'behind' || found?.status === 'identical';
}

export function shortenCommit(sha: string): string {
  return sha.slice(0, 12);
}

/** GitHub compares no more files at once. */
export const MOST_FILES = 300;

type ComparisonData = RestEndpointMethodTypes['repos']['compareCommitsWithBasehead']['response']['data'];
type ComparedCommit = ComparisonData['commits'][number];

export interface ComparedRange {
  readonly files: readonly ChangedFile[];
  /** Of the files, with the earlier ones of those that were renamed. */
  readonly paths: readonly string[];
  /** Null: there are more than a page of them. */
  readonly commits: readonly ComparedCommit[] | null;
}

/** What differs; null where the second commit isn't on top of the first. */
export async function compareProofCommits(at: VerifyPlace, from: string, to: string): Promise<ComparedRange | null> {
  const data = await readComparison(at, from, to);
  const isOnTop = data?.status === 'ahead' || (data?.status === 'identical' && from === to);
  return isOnTop ? toComparedRange(data) : null;
}

function toComparedRange({ files: changed = [], commits, total_commits: total }: ComparisonData): ComparedRange {
  const files = changed.map(toChangedFile);
  return { files, paths: listPathsOf(files), commits: commits.length === total ? commits : null };
}

/** Commits that GitHub makes itself are those of this account, whether through the API or on its pages. */
const GITHUB = 'web-flow';

/**
 * That a commit is not by that bot. Anybody may write its name into a commit as the author, and sign it with a key of their own: a signature
 * speaks for the committer alone. GitHub commits and signs for an App through its API, where the author can't be another than the App's bot.
 * `id`: absent where the App has opened nothing that would name its number.
 */
export function describeStranger(
  { sha, commit, author, committer }: ComparedCommit,
  bot: { readonly login: string; readonly id?: number },
): readonly string[] {
  const { verified = false, reason = 'unsigned' } = commit.verification ?? {};
  const name = shortenCommit(sha);
  const [by, signer] = [author, committer].map((one) => (one !== null && 'login' in one ? one : { login: 'somebody' }));
  const isBot = (login = '') => login.toLowerCase() === bot.login.toLowerCase();
  const isOther = bot.id !== undefined && !(by !== undefined && 'id' in by && by.id === bot.id);
  if (!isBot(by?.login) || isOther) return [`${name} is by ${by?.login}, not by ${bot.login}`];
  if (!verified) return [`GitHub does not verify the signature of ${name} (${reason})`];
  const isSigned = signer?.login === GITHUB || isBot(signer?.login);
  return isSigned ? [] : [`${name} is signed by ${signer?.login}, not by ${bot.login} or GitHub`];
}

/** What the second has since it parted from the first. Empty where GitHub does not know them. */
export async function listPathsSince(at: VerifyPlace, from: string, to: string): Promise<readonly string[]> {
  const data = await readComparison(at, from, to);
  return data === null ? [] : toComparedRange(data).paths;
}

/** Null: GitHub has no such commit. */
export function readComparison(
  { client, repository, signal }: VerifyPlace,
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

export async function readOrNull<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'absent') return null;
    throw error;
  }
}
