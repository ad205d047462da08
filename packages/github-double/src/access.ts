// What a caller may reach: repositories and permissions of tokens, roles of people. Stricter than GitHub in one thing:
// a token of an installation reads public repositories only within its scope and permissions too, so that tests see what it asked for.
import { covers, fullName, grantOf, mayAtLeast, repositoryByName } from './lookup.ts';
import { type Answer, type ApiCaller, forbidden, type Needs, notFound, refused } from './route.ts';
import type { AppPermissions, GithubRepository, Level, RepositoryRole, State } from './state.ts';

const LEVELS: readonly Level[] = ['read', 'write', 'admin'];

/** What an installation token may do: what it was made for, and never more than the installation has now. */
export function effectivePermissions(caller: Extract<ApiCaller, { kind: 'installation' }>): AppPermissions {
  const kept = Object.entries(caller.token.permissions).flatMap(([name, level]) => {
    const granted = caller.installation.permissions[name];
    return granted === undefined ? [] : [[name, lower(level, granted)]];
  });
  return { ...Object.fromEntries(kept), metadata: 'read' };
}

function lower(a: Level, b: Level): Level {
  return LEVELS.indexOf(a) < LEVELS.indexOf(b) ? a : b;
}

export function allows(has: AppPermissions, needs: Needs): boolean {
  return (
    needs.length === 0 || needs.some((set) => Object.entries(set).every(([name, level]) => isEnough(has[name], level)))
  );
}

export function isEnough(has: Level | undefined, wanted: Level): boolean {
  return has !== undefined && LEVELS.indexOf(has) >= LEVELS.indexOf(wanted);
}

export interface MovedRepository {
  readonly movedTo: GithubRepository;
}

/** The repository of the call by its name; where it is now if that is a former name; an answer where it is blocked, or is not there for this caller. */
export function reachRepository(
  state: State,
  caller: ApiCaller,
  name: string,
): GithubRepository | Answer | MovedRepository {
  const found = repositoryByName(state, name);
  if (found !== undefined) return canSee(state, caller, found) ? blockedOr(found) : notFound();
  const moved = state.repositories.get(state.redirects.get(name.toLowerCase()) ?? 0);
  if (moved === undefined || !canSee(state, caller, moved)) return notFound();
  return { movedTo: moved };
}

export function blockedOr(found: GithubRepository): GithubRepository | Answer {
  if (!found.isBlocked) return found;
  const block = { reason: 'dmca', created_at: found.createdAt, html_url: 'https://github.com/tos' };
  return { status: 451, body: { message: 'Repository access blocked', block } };
}

export function canSee(state: State, caller: ApiCaller, found: GithubRepository): boolean {
  if (caller.kind === 'installation') {
    const { repositoryIds } = caller.token;
    return covers(caller.installation, found) && (repositoryIds === null || repositoryIds.has(found.id));
  }
  if (caller.kind === 'user') return mayAtLeast(grantOf(state, found, caller.account), 'pull');
  return !found.isPrivate;
}

/** Null: the call may go on. */
export function permissionRefusal(
  state: State,
  caller: ApiCaller,
  found: GithubRepository,
  call: { method: string; needs: Needs },
): Answer | null {
  const isWrite = call.method !== 'GET' && call.method !== 'HEAD';
  if (caller.kind === 'app') return refused(403, 'Resource not accessible by integration');
  if (caller.kind === 'none') return isWrite ? refused(401, 'Requires authentication') : null;
  if (caller.kind === 'installation' && !allows(effectivePermissions(caller), call.needs)) return forbidden();
  if (caller.kind === 'user' && !mayAtLeast(grantOf(state, found, caller.account), roleFor(call.needs))) {
    return refused(403, `Must have the right role in ${fullName(state, found)}.`);
  }
  if (isWrite && found.isArchived) return refused(403, 'Repository was archived so is read-only.');
  return null;
}

/** People write code with the role "push", and talk with "pull" where they see the repository. */
function roleFor(needs: Needs): RepositoryRole {
  const writesCode = needs.some(
    (set) => set['contents'] === 'write' || set['checks'] === 'write' || set['statuses'] === 'write',
  );
  return writesCode ? 'push' : 'pull';
}
