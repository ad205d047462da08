// The source of every project: the mirrors of the git-objects package, whose failures become our errors here.
import {
  createGitSource,
  GitFailure,
  type GitFailureCode,
  type GitSourceOptions,
  type Repository,
  type SourceTree,
} from 'causeway-git-objects';
import { CausewayError, type ErrorCode, NO_SPACE } from '../core/errors.ts';
import type { Project } from '../core/project/index.ts';
import type { Source } from '../core/source/index.ts';
import { registerSecret, TOKEN_LASTS_MS } from '../log.ts';

export type SourceOptions = Omit<GitSourceOptions<Project>, 'onSecret'>;

/** Dispose it to end every git process that is still running. */
export function openSource(options: SourceOptions): Source & AsyncDisposable {
  const source = createGitSource<Project>({
    ...options,
    onSecret: (secret) => registerSecret(secret, TOKEN_LASTS_MS),
  });
  return {
    open: async (project, signal) => explainRepository(await translateGitFailure(source.open(project, signal))),
    forget: (projectId, signal) => translateGitFailure(source.forget(projectId, signal)),
    [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
  };
}

function explainRepository(repository: Repository): Repository {
  return {
    ...repository,
    resolve: (revision, signal) => translateGitFailure(repository.resolve(revision, signal)),
    ensureCommit: (sha, signal) => translateGitFailure(repository.ensureCommit(sha, signal)),
    findTags: (sha, signal) => translateGitFailure(repository.findTags(sha, signal)),
    tree: (sha) => explainTree(repository.tree(sha)),
  };
}

function explainTree(tree: SourceTree): SourceTree {
  return {
    ...tree,
    files: (signal) => translateGitFailure(tree.files(signal)),
    read: (path, options, signal) => translateGitFailure(tree.read(path, options, signal)),
    search: (query, signal) => translateGitFailure(tree.search(query, signal)),
    outline: (path, signal) => translateGitFailure(tree.outline(path, signal)),
    history: (query, signal) => translateGitFailure(tree.history(query, signal)),
    blame: (path, range, signal) => translateGitFailure(tree.blame(path, range, signal)),
    compare: (fromSha, options, signal) => translateGitFailure(tree.compare(fromSha, options, signal)),
    countApart: (sha, signal) => translateGitFailure(tree.countApart(sha, signal)),
    contents: (blobs, signal) => explainAll(tree.contents(blobs, signal)),
    ancestors: (limit, signal) => translateGitFailure(tree.ancestors(limit, signal)),
    messages: (ids, signal) => explainAll(tree.messages(ids, signal)),
  };
}

async function translateGitFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toCausewayError(error);
  }
}

async function* explainAll<T>(pieces: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* pieces;
  } catch (error) {
    throw toCausewayError(error);
  }
}

const CODES: Readonly<Record<GitFailureCode, ErrorCode>> = {
  unreachable: 'repository_unreachable',
  refused: 'repository_unreachable',
  not_found: 'repository_unreachable',
  timeout: 'repository_unreachable',
  too_large: 'repository_unreachable',
  no_space: 'repository_unreachable',
  locked: 'repository_unreachable',
  empty: 'repository_empty',
  absent: 'absent',
  no_commit: 'revision_not_found',
  invalid: 'invalid',
  closed: 'cancelled',
  internal: 'internal',
};

/** What satisfies `isDiskFull` stays its cause. */
function toCausewayError(error: unknown): unknown {
  if (!(error instanceof GitFailure)) return error;
  const { code, cause } = error;
  return new CausewayError(CODES[code], describeGitFailure(error), { ...(cause !== undefined && { cause }) });
}

/** Where we know more of what follows from it than the package does. */
function describeGitFailure({ code, what, message }: GitFailure): string {
  switch (code) {
    case 'no_space':
      return `${what} could not be read. ${NO_SPACE}`;
    case 'empty':
      return `${what} has no commit yet. Add a first commit to it, then send the report again.`;
    case 'closed':
      return 'Causeway is stopping; the report continues at the next start.';
    default:
      return message;
  }
}
