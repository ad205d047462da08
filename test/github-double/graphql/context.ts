// What the GraphQL of the double works with: the caller's rights, errors in GitHub's form, and lists as connections.
import { GraphQLError } from 'graphql';
import { allows, canSee, effectivePermissions } from '../access.ts';
import { grantOf, mayAtLeast } from '../roles.ts';
import type { Call, Needs } from '../route.ts';
import type { Issue, Repository } from '../state.ts';

/** An error whose `type` GitHub puts beside the message. */
export function graphqlError(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}

export const forbiddenError = () => graphqlError('FORBIDDEN', 'Resource not accessible by integration');

export function missing(what: string): GraphQLError {
  return graphqlError('NOT_FOUND', `Could not resolve to ${what}.`);
}

/** Throws NOT_FOUND or FORBIDDEN where the caller may not do that there. */
export function demand(call: Call, repository: Repository, needs: Needs): void {
  const { caller, state } = call;
  if (!canSee(state, caller, repository)) throw missing('a node with that id');
  if (caller.kind === 'installation' && !allows(effectivePermissions(caller), needs)) throw forbiddenError();
  if (caller.kind === 'app') throw forbiddenError();
  const isWrite = needs.some((set) => Object.values(set).includes('write'));
  if (caller.kind === 'user' && isWrite && !mayAtLeast(grantOf(state, repository, caller.account), 'push'))
    throw forbiddenError();
  if (isWrite && repository.isArchived) throw graphqlError('FORBIDDEN', 'Repository was archived so is read-only.');
}

/** A call with the views that others contain: they know each other only through it. */
export interface View extends Call {
  readonly show: {
    readonly repository: (call: View, repository: Repository) => object;
    readonly thread: (call: View, repository: Repository, issue: Issue) => object;
  };
}

export interface PageArguments {
  readonly first?: number | null;
  readonly last?: number | null;
  readonly after?: string | null;
}

/** One page of a list; GitHub wants `first` or `last`, at most 100. */
export function connection<T>(all: readonly T[], args: PageArguments, show: (one: T) => unknown) {
  const size = args.first ?? args.last;
  if (size === undefined || size === null) {
    throw graphqlError(
      'MISSING_PAGINATION_BOUNDARIES',
      'You must provide a `first` or `last` value to properly paginate.',
    );
  }
  if (size > 100) throw graphqlError('EXCESSIVE_PAGINATION', 'Requesting more than 100 records is not permitted.');
  const given = args.after ?? null;
  const start = args.first == null ? Math.max(0, all.length - size) : given === null ? 0 : Number(given) + 1;
  const page = all.slice(start, start + size);
  return {
    totalCount: all.length,
    nodes: page.map(show),
    pageInfo: {
      hasNextPage: start + size < all.length,
      hasPreviousPage: start > 0,
      startCursor: page.length === 0 ? null : String(start),
      endCursor: page.length === 0 ? null : String(start + page.length - 1),
    },
  };
}
