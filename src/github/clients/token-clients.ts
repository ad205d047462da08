// The clients of GitHub with one given token, as a workflow of GitHub Actions has it: the same for every use.
import { untilAborted } from '../../core/abortable.ts';
import { CausewayError } from '../../core/errors.ts';
import { createHolds } from '../../core/holds.ts';
import { registerSecret } from '../../log.ts';
import { FORBIDDEN } from './failures.ts';
import {
  type AppIdentity,
  type GithubCaller,
  type GithubClients,
  GithubFailure,
  ReadsSpent,
  sendUnwatched,
  unsureFailure,
  type WatchCall,
} from './github-clients.ts';
import { createCaller, createOctokit, type OctokitOptions } from './octokit.ts';

export interface TokenClientsOptions extends Omit<OctokitOptions, 'holds' | 'lifetime'> {
  /** Of a workflow, or of an installation of an App. */
  readonly token: string;
  readonly holds?: OctokitOptions['holds'];
  /**
   * Calls with `read` of `repository`; then, or once GitHub has fewer than SPARED left for this hour, these are refused
   * for as long as the job lives. What is known by then is still written, and what that takes is read by `app`.
   */
  readonly mostReads: number;
  /** Hears of what is not read, in words of people, such as "comments". */
  readonly onUnread?: (what: string) => void;
  /** Hears of each call that GitHub refused since the token has no permission for it. */
  readonly onForbidden?: (route: string) => void;
}

/** The App that the tokens of all workflows belong to. */
const ACTIONS = 'github-actions';

/** A workflow's token has 1,000 calls an hour for its whole repository: the other workflows need some of them. */
const SPARED = 100;
const HOUR_MS = 3_600_000;

const VIEWER = 'query { viewer { login databaseId } }';

interface Viewer {
  readonly viewer: { readonly login: string; readonly databaseId: number | null };
}

/** Calls GitHub only when used. */
export function createTokenClients(options: TokenClientsOptions): GithubClients {
  const { token, now } = options;
  registerSecret(token);
  const lifetime = new AbortController();
  const shared = { ...options, holds: options.holds ?? createHolds(now), lifetime: lifetime.signal };
  const credential: Parameters<typeof createOctokit>[1] = {
    as: 'token',
    holder: 'workflow',
    hook: (send, request) => send({ ...request, headers: { ...request.headers, authorization: `token ${token}` } }),
  };
  const octokit = createOctokit(shared, credential);
  const caller = tellForbidden(createCaller(octokit, lifetime.signal), options);
  const allowance = createReadAllowance(options);
  const watch: WatchCall = async (call, send) => allowance.count(await (options.watch ?? sendUnwatched)(call, send));
  const metered: typeof credential = {
    ...credential,
    hook: (send, request) => {
      allowance.check(request.url);
      return credential.hook(send, request);
    },
  };
  const counted = createCaller(createOctokit({ ...shared, watch }, metered), lifetime.signal);
  const reader = tellForbidden(counted, options);
  let identity: Promise<AppIdentity> | null = null;
  return {
    app: caller,
    installation: () => caller,
    repository: (_source, use) => (use === 'read' ? reader : caller),
    identity: (signal) => {
      identity ??= readTokenIdentity(caller, lifetime.signal).catch((error: unknown) => {
        identity = null;
        throw error;
      });
      return untilAborted(identity, signal);
    },
    gitToken: async () => token,
    [Symbol.dispose]: () => lifetime.abort(new CausewayError('cancelled', 'The job ends.')),
  };
}

function tellForbidden(caller: GithubCaller, { onForbidden }: Pick<TokenClientsOptions, 'onForbidden'>): GithubCaller {
  return {
    call: async (request, signal) => {
      try {
        return await caller.call(request, signal);
      } catch (error) {
        const isForbidden = error instanceof GithubFailure && FORBIDDEN.test(error.said);
        if (isForbidden && error.route !== null) onForbidden?.(error.route);
        throw error;
      }
    },
  };
}

function createReadAllowance({
  mostReads,
  now,
  onUnread,
}: Pick<TokenClientsOptions, 'mostReads' | 'now' | 'onUnread'>) {
  let left = mostReads;
  return {
    /** Throws ReadsSpent where no call is left. */
    check(url: string): void {
      if (left > 0) return;
      onUnread?.(READS.find(([of]) => of.test(url))?.[1] ?? 'the repository');
      const retryAt = new Date(now().getTime() + HOUR_MS);
      throw new ReadsSpent(
        { kind: 'busy', status: null, retryAt },
        `As much of GitHub was read as may be (${describeAllowance(mostReads)}): run it again in an hour.`,
      );
    },
    count<T extends { readonly headers: object }>(answer: T): T {
      const remaining = answer.headers instanceof Headers ? answer.headers.get('x-ratelimit-remaining') : null;
      left = remaining !== null && Number(remaining) < SPARED ? 0 : left - 1;
      return answer;
    },
  };
}

export function describeAllowance(mostReads: number): string {
  return `${mostReads} calls, or fewer than ${SPARED} left for the other workflows`;
}

/** What an address of the API has. The first that fits. */
const READS: readonly (readonly [RegExp, string])[] = [
  [/\/comments\b/, 'comments'],
  [/\/jobs\/[^/]+\/logs\b/, 'logs of jobs'],
  [/\/artifacts\b/, 'result files'],
  [/\/annotations\b/, 'annotations'],
  [/\/(?:check-runs|check-suites|status|statuses)\b/, 'checks of commits'],
  [/\/actions\//, 'runs of workflows'],
  [/\/pulls\/[^/]+\/files\b/, 'changed files'],
  [/\/(?:compare|commits)\b/, 'commits'],
  [/\/pulls\b/, 'pull requests'],
  [/\/issues\b/, 'issues'],
  [/\/files\/\d+\//, 'attached files'],
];

/** A token of an installation may not read its App (`GET /app` needs the App's key), but it may ask who it is. */
async function readTokenIdentity(caller: GithubCaller, signal: AbortSignal): Promise<AppIdentity> {
  const { viewer } = await caller.call((octokit, request) => octokit.graphql<Viewer>(VIEWER, { request }), signal);
  const slug = /^(.+)\[bot\]$/.exec(viewer.login)?.[1];
  if (slug === undefined || viewer.databaseId === null) {
    throw new CausewayError(
      'usage',
      `The token is ${viewer.login}'s own: give the workflow's token (leave out "token"), or one of an installation of a GitHub App.`,
    );
  }
  const { data } = await caller.call(({ rest }, request) => rest.apps.getBySlug({ app_slug: slug, request }), signal);
  if (data === null) throw unsureFailure(200, 'GitHub did not say which App the token belongs to.');
  const names = { slug, owner: { id: 0, login: '' }, botLogin: viewer.login, botId: viewer.databaseId };
  return { appId: data.id, ...names, permissions: {}, isShared: slug === ACTIONS };
}
