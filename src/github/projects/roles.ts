// What a person may do in a repository on GitHub: read with the repository's own token, and cached for minutes at most.
import { LRUCache } from 'lru-cache';
import { untilAborted } from '../../core/abortable.ts';
import type { Account, Permissions } from '../../core/account/index.ts';
import {
  type GithubProject,
  getRepository,
  isGithubProject,
  type Person,
  type Project,
  ROLES,
  type Role,
} from '../../core/project/index.ts';
import { type GithubClients, GithubFailure } from '../clients/index.ts';

export interface GithubPermissions extends Permissions {
  /**
   * Of the person who caused an event, at most a minute old. `none` where GitHub says so or no longer shows us the
   * repository; throws GithubFailure where it could not be read, so that the event is handled later.
   */
  roleOfPerson(person: Person, project: Project, signal: AbortSignal): Promise<Role>;
  /** The same, read now: for what cannot be undone. */
  roleNow(person: Person, project: Project, signal: AbortSignal): Promise<Role>;
}

export interface PermissionsOptions {
  readonly clients: Pick<GithubClients, 'repository'>;
  readonly now: () => Date;
}

/** The API and the account area promise that lost access ends within this time. */
const ACCOUNT_MS = 5 * 60_000;
const EVENT_MS = 60_000;
const MAX_CACHED = 10_000;

/** A project that is not on GitHub is the operator's own: every caller may do everything there. */
export function createPermissions({ clients, now }: PermissionsOptions): GithubPermissions {
  const cache = new LRUCache<string, { readonly role: Role; readonly at: number }>({ max: MAX_CACHED });
  const pending = new Map<string, Promise<Role>>();

  function request(key: string, person: Person, project: GithubProject): Promise<Role> {
    const running = pending.get(key);
    if (running !== undefined) return running;
    const answer = readRole(clients, person, project)
      .then((role) => {
        cache.set(key, { role, at: now().getTime() });
        return role;
      })
      .finally(() => pending.delete(key));
    pending.set(key, answer);
    return answer;
  }

  async function readWithin(maxAgeMs: number, person: Person | null, project: Project, signal: AbortSignal) {
    if (!isGithubProject(project)) return 'admin';
    if (person === null) return 'none';
    const key = keyOf(person, project);
    const cached = cache.get(key);
    if (cached !== undefined && now().getTime() - cached.at < maxAgeMs) return cached.role;
    return await untilAborted(request(key, person, project), signal);
  }

  return {
    roleOfPerson: (person, project, signal) => readWithin(EVENT_MS, person, project, signal),
    roleNow: (person, project, signal) => readWithin(0, person, project, signal),
    roleOf: (account, project, { signal }) => readWithin(ACCOUNT_MS, toAccountPerson(account), project, signal),
    lastRole(account, project) {
      if (!isGithubProject(project)) return 'admin';
      const person = toAccountPerson(account);
      return (person && cache.get(keyOf(person, project))?.role) ?? 'none';
    },
  };
}

/** The login is part of it: after a rename the old answer, which was `none`, must not count. */
function keyOf(person: Person, { source }: GithubProject): string {
  return `${source.installationId} ${source.repositoryId} ${person.id} ${person.login}`;
}

function toAccountPerson({ githubId, login }: Account): Person | null {
  return githubId === null ? null : { id: githubId, login };
}

/** The signal is the call's own: others may wait for the same answer. */
async function readRole(clients: PermissionsOptions['clients'], person: Person, project: GithubProject): Promise<Role> {
  const place = { ...getRepository(project), username: person.login };
  try {
    const { data } = await clients
      .repository(project.source, 'read')
      .call(
        ({ rest }, request) => rest.repos.getCollaboratorPermissionLevel({ ...place, request }),
        new AbortController().signal,
      );
    // Another person may have taken over the login.
    return data.user?.id === person.id ? toRole(data) : 'none';
  } catch (error) {
    if (error instanceof GithubFailure && error.kind === 'gone') return 'none';
    throw error;
  }
}

interface PermissionData {
  readonly permission: string;
  readonly role_name: string;
  readonly user: { readonly permissions?: Readonly<Record<string, boolean>> } | null;
}

const FLAGS: readonly (readonly [flag: string, role: Role])[] = [
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['push', 'write'],
  ['triage', 'triage'],
  ['pull', 'read'],
];

/**
 * The flags also cover an organisation's custom roles, which have arbitrary names; servers without flags name the role.
 */
function toRole({ permission, role_name, user }: PermissionData): Role {
  const flags = user?.permissions;
  const flagged = FLAGS.find(([flag]) => flags?.[flag] === true)?.[1];
  if (flagged !== undefined) return flagged;
  // Anyone may read a public repository, without a flag.
  if (flags !== undefined) return permission === 'read' ? 'read' : 'none';
  return ROLES.find((role) => role === role_name) ?? ROLES.find((role) => role === permission) ?? 'none';
}
