// The closed issues of a repository with what closed each: with a token by GraphQL, which knows; without one by REST,
// which names the issues only. And a token to read them with, from an installation of the App.
import { createAppAuth } from '@octokit/auth-app';
import { CausewayError } from '../core/errors.ts';
import { registerSecret, TOKEN_LASTS_MS } from '../log.ts';
import { createPersonalClient, type GithubOptions, type PersonalClient } from './clients/index.ts';

export interface ClosedIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** Null: closed by hand, or not known. */
  readonly closer: Closer | null;
}

interface Closer {
  /** Of the commit, or of the pull request's merge. */
  readonly sha: string;
  readonly pullRequest: number | null;
  /** Of the pull request; 1 for a commit. */
  readonly commits: number;
}

export interface RepositoryName {
  readonly owner: string;
  readonly repo: string;
}

/** More pages than this are years of a busy repository; without a token 60 calls an hour are allowed. */
const MOST_PAGES = 20;
const PAGE = 50;
const ANONYMOUS_PAGE = 100;

/** In pages, the newest issues first. Issues that were closed as not planned or as duplicates are left out. */
export async function* readClosedIssues(
  options: GithubOptions,
  name: RepositoryName,
  signal: AbortSignal,
): AsyncGenerator<readonly ClosedIssue[]> {
  const client = createPersonalClient(options);
  yield* options.token === null ? readByRest(client, name, signal) : readByGraphql(client, name, signal);
}

const QUERY = `query ($owner: String!, $repo: String!, $after: String) {
  repository(owner: $owner, name: $repo) {
    issues(first: ${PAGE}, after: $after, states: [CLOSED], orderBy: {field: CREATED_AT, direction: DESC}) {
      pageInfo { hasNextPage endCursor }
      nodes {
        number title body stateReason
        timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) {
          nodes {
            ... on ClosedEvent {
              closer {
                __typename
                ... on Commit { oid }
                ... on PullRequest { number mergeCommit { oid } commits { totalCount } }
              }
            }
          }
        }
      }
    }
  }
}`;

interface ClosedIssuePage {
  readonly repository: {
    readonly issues: {
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
      readonly nodes: readonly (IssueNode | null)[];
    };
  } | null;
}

interface IssueNode {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly stateReason: string | null;
  readonly timelineItems: { readonly nodes: readonly ({ readonly closer?: CloserNode | null } | null)[] };
}

type CloserNode =
  | { readonly __typename: 'Commit'; readonly oid: string }
  | {
      readonly __typename: 'PullRequest';
      readonly number: number;
      readonly mergeCommit: { readonly oid: string } | null;
      readonly commits: { readonly totalCount: number };
    }
  // Such as a project, by its workflow.
  | { readonly __typename: 'ProjectV2' };

async function* readByGraphql(client: PersonalClient, name: RepositoryName, signal: AbortSignal) {
  let after: string | null = null;
  for (let page = 1; page <= MOST_PAGES; page++) {
    const variables: object = { ...name, after };
    const { repository }: ClosedIssuePage = await client.call('the issues', signal, async (deadline) => ({
      data: await client.octokit.graphql<ClosedIssuePage>(QUERY, { ...variables, request: { signal: deadline } }),
    }));
    const { nodes = [], pageInfo } = repository?.issues ?? {};
    yield nodes.flatMap((node) => (node === null || !isSolved(node.stateReason) ? [] : toClosedIssue(node)));
    if (pageInfo?.hasNextPage !== true) return;
    after = pageInfo.endCursor;
  }
}

function isSolved(reason: string | null | undefined): boolean {
  return reason === null || reason === undefined || reason.toLowerCase() === 'completed';
}

function toClosedIssue({ number, title, body, timelineItems }: IssueNode): ClosedIssue {
  return { number, title, body, closer: toCloser(timelineItems.nodes.at(-1)?.closer ?? null) };
}

function toCloser(node: CloserNode | null): Closer | null {
  if (node?.__typename === 'Commit') return { sha: node.oid, pullRequest: null, commits: 1 };
  if (node?.__typename !== 'PullRequest' || node.mergeCommit === null) return null;
  return { sha: node.mergeCommit.oid, pullRequest: node.number, commits: node.commits.totalCount };
}

async function* readByRest(client: PersonalClient, { owner, repo }: RepositoryName, signal: AbortSignal) {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const issues = await client.call('the issues', signal, (deadline) => {
      const where = { owner, repo, state: 'closed', per_page: ANONYMOUS_PAGE, page } as const;
      return client.octokit.rest.issues.listForRepo({ ...where, request: { signal: deadline } });
    });
    yield issues
      .filter((issue) => issue.pull_request === undefined && isSolved(issue.state_reason))
      .map(({ number, title, body }): ClosedIssue => ({ number, title, body: body ?? '', closer: null }));
    if (issues.length < ANONYMOUS_PAGE) return;
  }
}

interface AppKey {
  readonly appId: number;
  /** PEM. */
  readonly privateKey: string;
}

/** A token that reads this one repository; null where the App is not installed there. */
export async function createReadingToken(
  { appId, privateKey }: AppKey,
  options: Omit<GithubOptions, 'token'>,
  { owner, repo }: RepositoryName,
  signal: AbortSignal,
): Promise<string | null> {
  const client = createPersonalClient({ ...options, token: null });
  const authenticate = createAppAuth({ appId, privateKey, request: client.octokit.request });
  const { token: asApp } = await authenticate({ type: 'app' });
  const found = await client
    .call('the installation', signal, (deadline) =>
      client.octokit.rest.apps.getRepoInstallation({
        owner,
        repo,
        headers: { authorization: `bearer ${asApp}` },
        request: { signal: deadline },
      }),
    )
    .catch((error: unknown) => {
      if (error instanceof CausewayError && error.code === 'absent') return null;
      throw error;
    });
  if (found === null) return null;
  const { token } = await authenticate({
    type: 'installation',
    installationId: found.id,
    repositoryNames: [repo],
    permissions: { metadata: 'read', contents: 'read', issues: 'read', pull_requests: 'read' },
  });
  registerSecret(token, TOKEN_LASTS_MS);
  return token;
}
