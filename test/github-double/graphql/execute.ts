// Answers a GraphQL call on the part of GitHub's schema that we use.
import { type ExecutionResult, graphql } from 'graphql';
import { canSee } from '../access.ts';
import { githubSchema } from '../description/graphql.ts';
import { repositoryByName } from '../lookup.ts';
import { readNodeId } from '../resources/node-id.ts';
import { type Answer, actorId, type Call, ok, refused } from '../route.ts';
import { RATE_LIMIT } from '../routes/users.ts';
import type { Repository } from '../state.ts';
import { actorView } from './actor-view.ts';
import { demand, missing, type View } from './context.ts';
import { objectView, refView } from './git-views.ts';
import { mutations } from './mutations.ts';
import { remarkView, reviewView } from './review-view.ts';
import { reviewById } from './reviews.ts';
import { commentView, repositoryView, threadView } from './views.ts';

/** With status 200 whatever went wrong, as GitHub does; GraphQL is for the signed-in only. */
export async function answerGraphql(call: Call): Promise<Answer> {
  if (call.caller.kind === 'none') return refused(401, 'This endpoint requires you to be authenticated.');
  const { query, variables } = call.body;
  if (typeof query !== 'string')
    return ok({ errors: [{ message: 'A query attribute must be specified and must be a string.' }] });
  const view: View = { ...call, show: { repository: repositoryView, thread: threadView } };
  const result = await graphql({
    schema: githubSchema(),
    source: query,
    rootValue: { ...queries(view), ...mutations(view) },
    variableValues: (variables ?? {}) as Record<string, unknown>,
  });
  return ok(inGithubsForm(result));
}

/** GitHub puts the type of an error beside its message. */
function inGithubsForm({ data, errors }: ExecutionResult): object {
  if (errors === undefined) return { data };
  const told = errors.map((error) => {
    const { extensions, locations, message, path } = error.toJSON();
    const type = extensions?.['type'];
    return {
      ...(type === undefined ? {} : { type }),
      ...(path === undefined ? {} : { path }),
      // What the query itself got wrong has no place in the data.
      ...(path === undefined ? { extensions: { code: 'invalidQuery' } } : {}),
      locations,
      message,
    };
  });
  return data === undefined ? { errors: told } : { data, errors: told };
}

function queries(call: View) {
  const { state, caller } = call;
  return {
    viewer: () => ({
      ...actorView(call, actorId(caller)),
      login: state.accounts.get(actorId(caller))?.login,
      __typename: 'User',
    }),
    repository: ({ owner, name, followRenames }: { owner: string; name: string; followRenames: boolean }) => {
      const asked = `${owner}/${name}`;
      const moved = followRenames ? state.repositories.get(state.redirects.get(asked.toLowerCase()) ?? 0) : undefined;
      const found = repositoryByName(state, asked) ?? moved;
      if (found === undefined || !canSee(state, caller, found)) throw missing(`a Repository with the name '${asked}'`);
      return repositoryView(call, found);
    },
    node: ({ id }: { id: string }) => nodeView(call, id),
    nodes: ({ ids }: { ids: readonly string[] }) => ids.map((id) => nodeView(call, id)),
    rateLimit: () => ({
      cost: 1,
      limit: RATE_LIMIT,
      nodeCount: 1,
      used: 0,
      remaining: RATE_LIMIT,
      resetAt: new Date(state.clock.now().getTime() + 3_600_000).toISOString(),
    }),
  };
}

async function nodeView(call: View, id: string): Promise<unknown> {
  const { kind, parts } = readNodeId(id);
  const gone = missing(`a node with the global id of '${id}'`);
  if (['U', 'O', 'BOT'].includes(kind)) return actorView(call, Number(parts[0])) ?? Promise.reject(gone);
  const repository = call.state.repositories.get(Number(parts[0]));
  if (repository === undefined || !canSee(call.state, call.caller, repository)) throw gone;
  if (kind === 'R') return repositoryView(call, repository);
  if (kind === 'C') return objectView(call, repository, parts[1] ?? '');
  if (kind === 'REF') return refView(call, repository, { name: parts[1] ?? '', sha: '' });
  demand(call, repository, [{ issues: 'read' }, { pull_requests: 'read' }]);
  const issue = repository.issues.get(Number(parts[1]));
  const comment = kind === 'IC' ? repository.comments.get(Number(parts[1])) : undefined;
  if (comment !== undefined) return commentView(call, repository, comment);
  const fold = reviewNode(call, repository, kind, Number(parts[1]));
  if (fold !== null) return fold;
  if (issue === undefined || !['I', 'PR'].includes(kind)) throw gone;
  return threadView(call, repository, issue);
}

function reviewNode(call: View, repository: Repository, kind: string, id: number): object | null {
  if (kind !== 'PRR' && kind !== 'PRRC') return null;
  const found = reviewById(repository, kind, id);
  if (found === null) return null;
  return 'review' in found
    ? reviewView(call, repository, found.issue, found.review)
    : remarkView(call, repository, found.issue, found.remark);
}
