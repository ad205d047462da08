// Checks the certificate of somebody else's fix: it stands in our check run on its head alone, and is believed as far as GitHub confirms it.
import { CausewayError } from '../../core/errors.ts';
import { findOneBase, hashChange, isTestAlone, listMovedPaths, type VerifiedProof } from '../../core/proof/index.ts';
import { isAlwaysDeciding } from '../../services/index.ts';
import { findBlock, parseForeign, type ReadForeign } from './certificate.ts';
import { checkRuns, readWhole } from './check-runs.ts';
import {
  type ComparedRange,
  checkHeadAndBase,
  checkWords,
  compareProofCommits,
  describeStranger,
  isOnBaseBranch,
  listPathsSince,
  MOST_FILES,
  readComparison,
  shortenCommit,
  type Verifying,
  type VerifyPlace,
} from './verifying.ts';

const CHECK = 'Causeway / proof';

export interface ForeignRun {
  /** Slug of the App that made it. */
  readonly slug: string;
  /** "": it did not succeed, so that no block in it is a certificate. */
  readonly summary: string;
}

interface HeadPlace extends VerifyPlace, Pick<Verifying, 'app'> {
  readonly sha: string;
}

/** The newest check run of that name on the head, by the App that is asked about; null: there is none. Only an App writes its own check runs. */
export async function findForeignRun({ client, repository, app, sha, signal }: HeadPlace): Promise<ForeignRun | null> {
  const slug = app?.replace(/\[bot\]$/i, '').toLowerCase() ?? null;
  const runs = await readWhole('checks', async (page) => {
    const of = { ...repository, ref: sha, check_name: CHECK, filter: 'all' as const, ...page };
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

/** Of one that is in a body or a file, and in no such check run. */
export const NO_FOREIGN_RUN: VerifiedProof = {
  state: 'denied',
  faults: [`its head has no check run "${CHECK}" of the App, and anybody can write what stands elsewhere`],
};

interface GivenForeign extends ForeignRun {
  /** Of a file; null: none was given. */
  readonly given: string | null;
  readonly url: string;
}

/** In our check run alone, whoever wrote what stands in the pull request. */
export async function verifyForeignProof(
  at: Omit<Verifying, 'certificate'>,
  { slug, summary, given, url }: GivenForeign,
): Promise<VerifiedProof> {
  const block = findBlock(summary);
  if (block === null) throw new CausewayError('absent', `${url} has no certificate: its proof did not succeed.`);
  const foreign = parseForeign(block);
  const deny = (faults: readonly string[]): VerifiedProof => ({ state: 'denied', faults });
  if (given !== null && JSON.stringify(parseForeign(given)) !== JSON.stringify(foreign)) {
    return deny(['it is not the certificate in the check run of the App on the head']);
  }
  const { pullRequest: named, repository, turned } = foreign;
  // As of our own: the green half is the head itself.
  const verifying: Verifying = { ...at, certificate: { ...foreign, fixCommit: foreign.head } };
  const bot = `${slug}[bot]`;
  const faults = [
    ...checkWords(verifying, url),
    ...checkAuthor(verifying, foreign),
    ...(await checkHeadAndBase(verifying)),
  ];
  if (faults.length > 0) return deny(faults);
  const commits = await checkForeignCommits(verifying, bot);
  if (commits.kind === 'denied') return deny(commits.faults);
  const { whole, isCommitGone } = commits;
  const runs = await checkRuns(verifying, { bot, isCommitGone });
  if (runs.faults.length > 0) return deny(runs.faults);
  if (runs.unread !== null) return { state: 'not_verifiable', because: runs.unread, named };
  const ofBases = await checkBases(verifying, foreign, { whole, halves: runs.halves });
  if (ofBases.length > 0) return deny(ofBases);
  if (isCommitGone) return { state: 'not_verifiable', because: 'commit_gone', named };
  const { html_url: pullRequest, user } = at.pull;
  return { state: 'confirmed', repository, pullRequest, commit: foreign.head, bot, author: user.login, turned };
}

/** What GitHub shows for accounts that are gone. */
const GHOST = 'ghost';

/** Of an author whose name was erased, or who has left GitHub, nothing is said: it is not what is proven. */
function checkAuthor({ pull }: Verifying, { author }: ReadForeign): readonly string[] {
  const login = pull.user?.login ?? GHOST;
  const isSame = author === '' || login === GHOST || author.toLowerCase() === login.toLowerCase();
  return isSame ? [] : [`it was opened by ${login}, and it names ${author}`];
}

type CheckedCommits =
  | { readonly kind: 'denied'; readonly faults: readonly string[] }
  | { readonly kind: 'held'; readonly whole: ComparedRange; readonly isCommitGone: boolean };

/** The red half is one commit of the App on the base, and holds the tests of the head as they are there. */
async function checkForeignCommits(verifying: Verifying, bot: string): Promise<CheckedCommits> {
  const { base, testCommit, fixCommit: head, diffHash } = verifying.certificate;
  const deny = (faults: readonly string[]): CheckedCommits => ({ kind: 'denied', faults });
  const whole = await compareProofCommits(verifying, base, head);
  const isCommitGone = (await readComparison(verifying, base, testCommit)) === null;
  const test = isCommitGone ? null : await compareProofCommits(verifying, base, testCommit);
  if (whole === null || (test === null && !isCommitGone))
    return deny(['its commits are not on top of its base on GitHub']);
  if ([test, whole].some((range) => (range?.files.length ?? 0) >= MOST_FILES)) {
    return deny(['its change is too large for GitHub to compare it whole']);
  }
  const deciding = whole.paths.filter(isAlwaysDeciding);
  const faults = [
    ...(test === null ? [] : listTestFaults(test, whole, bot)),
    ...(deciding.length > 0 ? [`it changes what decides which tests run: ${deciding.join(', ')}`] : []),
    ...(hashChange(whole.files) === diffHash ? [] : ['the change on GitHub is not the one that it names']),
  ];
  return faults.length > 0 ? deny(faults) : { kind: 'held', whole, isCommitGone };
}

function listTestFaults(test: ComparedRange, whole: ComparedRange, bot: string): readonly string[] {
  if (test.commits?.length !== 1) return ['its tests alone are not one commit'];
  const foreign = test.commits.flatMap((commit) => describeStranger(commit, { login: bot }));
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
  ];
}

interface RanOn {
  readonly whole: ComparedRange;
  readonly halves: Awaited<ReturnType<typeof checkRuns>>['halves'];
}

/**
 * What both halves were merged with, by their logs. It must be part of the base branch, also where both are the same: on a branch of one's own
 * the tests may fail for another reason. Whether the tests reach what changed between two of them, only their source would say.
 */
async function checkBases(
  verifying: Verifying,
  { redBase, greenBase, base, testCommit, head }: ReadForeign,
  { whole, halves }: RanOn,
): Promise<readonly string[]> {
  const red = findOneBase(
    halves.map((half) => half.red),
    { head: testCommit, base },
  );
  const green = findOneBase(
    halves.map((half) => half.green),
    { head, base },
  );
  const said = [
    ...describeOther('its tests alone', red, redBase),
    ...describeOther('the pull request', green, greenBase),
  ];
  if (said.length > 0) return said;
  const { ref } = verifying.pull.base;
  const strange: string[] = [];
  for (const sha of new Set([redBase, greenBase])) {
    if (!(await isOnBaseBranch(verifying, sha)))
      strange.push(`its checks ran on ${shortenCommit(sha)}, which is not part of "${ref}"`);
  }
  if (strange.length > 0 || redBase === greenBase) return strange;
  const moved = listMovedPaths({
    forward: await listPathsSince(verifying, greenBase, redBase),
    backward: await listPathsSince(verifying, redBase, greenBase),
  });
  const names = `${shortenCommit(greenBase)} and ${shortenCommit(redBase)}`;
  if (moved === null) return [`GitHub can't compare the bases that its checks ran on: ${names}`];
  const own = moved.filter((path) => whole.paths.includes(path));
  return own.length === 0 ? [] : [`its own files differ between the bases that its checks ran on: ${own.join(', ')}`];
}

function describeOther(what: string, found: string, named: string): readonly string[] {
  if (found === named) return [];
  const ran = found === '' ? 'a base that no log names' : shortenCommit(found);
  return [`${what} ran on ${ran}, and it names ${shortenCommit(named)}`];
}
