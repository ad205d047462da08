// What the GitHub double knows, and how one of its routes is written.

export interface GithubState {
  /** By `owner/name`. */
  readonly repositories: Map<string, RepositoryState>;
  /** Tokens that are good; null: every one is. */
  tokens: readonly string[] | null;
  /** Answered to every call instead of what is there. */
  failure: Answer | null;
  /** What the storage host has, by path. */
  readonly storage: Map<string, string | Uint8Array>;
}

export interface RepositoryState {
  readonly name: string;
  /** Private ones are 404 without a token. */
  readonly private: boolean;
  readonly issues: Map<number, IssueState>;
  readonly runs: Map<number, RunState>;
}

export interface IssueState {
  readonly title: string;
  readonly body: string | null;
  readonly author: string | null;
  readonly isPullRequest?: boolean;
  readonly comments: readonly { readonly author: string | null; readonly body: string; readonly at: string }[];
}

export interface RunState {
  readonly workflow: string;
  readonly headSha: string;
  readonly branch: string;
  /** `owner/name` that the head is in; null: that fork is gone. */
  readonly headRepository: string | null;
  readonly message: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: 'success' | 'failure' | 'cancelled' | null;
  /** Jobs of each attempt, the first attempt first. */
  readonly attempts: readonly (readonly JobState[])[];
}

export interface JobState {
  readonly id: number;
  readonly name: string;
  readonly conclusion: 'success' | 'failure' | 'timed_out' | 'cancelled' | null;
  readonly failedStep: string;
  /** `expired`: 410, as after the retention time. */
  readonly log: { readonly kind: 'text'; readonly text: string } | { readonly kind: 'expired' };
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a text as HTML. */
  readonly body?: unknown;
}

export interface Call {
  readonly state: GithubState;
  readonly url: URL;
  readonly apiUrl: string;
  readonly storageUrl: string;
  /** Whether the call came with a token. */
  readonly signedIn: boolean;
  /** The groups of the route's path. */
  readonly params: readonly string[];
}

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly answer: (call: Call) => Answer;
}

/** An empty repository of that name, put into the state. */
export function addRepository(state: GithubState, name: string, options: { private?: boolean } = {}): RepositoryState {
  const repository = { name, private: options.private ?? false, issues: new Map(), runs: new Map() };
  state.repositories.set(name, repository);
  return repository;
}

export function notFound(): Answer {
  return {
    status: 404,
    body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
  };
}

/** One page of `all`, with GitHub's `Link` header to the next and the last one. */
export function paged<T>(call: Call, all: readonly T[], wrap: (page: readonly T[]) => unknown): Answer {
  const size = Math.min(Number(call.url.searchParams.get('per_page') ?? 30), 100);
  const page = Number(call.url.searchParams.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (to: number, rel: string) => {
    const url = new URL(call.url);
    url.searchParams.set('page', String(to));
    return `<${url}>; rel="${rel}"`;
  };
  const links = page < last ? { link: `${link(page + 1, 'next')}, ${link(last, 'last')}` } : {};
  return { status: 200, headers: links, body: wrap(all.slice((page - 1) * size, page * size)) };
}
