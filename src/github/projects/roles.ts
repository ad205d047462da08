// What a person may do in a repository on GitHub: asked with the repository's own token, and remembered for minutes at most.
import type { Account } from '../../core/account.ts';
import { type GithubProject, isGithubProject, type Project, repositoryOf } from '../../core/project.ts';
import { type Permissions, ROLES, type Role, type Until } from '../../core/role.ts';
import type { Person } from '../../core/thread.ts';
import { untilAborted } from '../../core/until-aborted.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';

export interface GithubPermissions extends Permissions {
  /**
   * Of whoever caused an event, at most a minute ago. `none` where GitHub says so or shows us nothing there any more; throws
   * GithubFailure where it could not be asked, so that the event is looked at again later.
   */
  roleOfPerson(person: Person, project: Project, signal: AbortSignal): Promise<Role>;
  /** The same, asked in this moment: for what cannot be taken back. */
  roleNow(person: Person, project: Project, signal: AbortSignal): Promise<Role>;
}

export interface PermissionsOptions {
  readonly clients: Pick<GithubClients, 'repository'>;
  readonly now: () => Date;
}

interface Known {
  readonly role: Role;
  /** Milliseconds. */
  readonly at: number;
}

/** The contract of the API and the account area; whoever lost access loses it within this time. */
const ACCOUNT_MS = 5 * 60_000;
const EVENT_MS = 60_000;
const MOST_KNOWN = 10_000;

/** A project that is not on GitHub is the operator's own: everybody who may call at all may do everything there. */
export function createPermissions({ clients, now }: PermissionsOptions): GithubPermissions {
  const known = new Map<string, Known>();
  const asked = new Map<string, Promise<Known>>();

  function remember(key: string, role: Role): Known {
    const one = { role, at: now().getTime() };
    known.delete(key);
    known.set(key, one);
    const [oldest] = known.keys();
    if (known.size > MOST_KNOWN && oldest !== undefined) known.delete(oldest);
    return one;
  }

  function ask(key: string, person: Person, project: GithubProject): Promise<Known> {
    const running = asked.get(key);
    if (running !== undefined) return running;
    const answer = readRole(clients, person, project)
      .then((role) => remember(key, role))
      .finally(() => asked.delete(key));
    asked.set(key, answer);
    return answer;
  }

  async function roleWithin(ms: number, person: Person, project: Project, until: Until): Promise<Role> {
    if (!isGithubProject(project)) return 'admin';
    const key = keyOf(person, project);
    const earlier = known.get(key);
    if (earlier !== undefined && now().getTime() - earlier.at < ms) return earlier.role;
    return (await untilAborted(ask(key, person, project), until.signal)).role;
  }

  return {
    roleOfPerson: (person, project, signal) => roleWithin(EVENT_MS, person, project, { signal }),
    roleNow: (person, project, signal) => roleWithin(0, person, project, { signal }),
    async roleOf(account, project, until) {
      if (!isGithubProject(project)) return 'admin';
      const person = personOf(account);
      return person === null ? 'none' : await roleWithin(ACCOUNT_MS, person, project, until);
    },
    lastRole(account, project) {
      if (!isGithubProject(project)) return 'admin';
      const person = personOf(account);
      return (person && known.get(keyOf(person, project))?.role) ?? 'none';
    },
  };
}

/** The login is part of it: after a renaming the old answer, which was none, must not stand. */
function keyOf(person: Person, { source }: GithubProject): string {
  return `${source.installationId} ${source.repositoryId} ${person.id} ${person.login}`;
}

function personOf({ githubId, login }: Account): Person | null {
  return githubId === null ? null : { id: githubId, login };
}

/** Deadline and end of life are the call's own: others may wait for the same answer. */
async function readRole(clients: PermissionsOptions['clients'], person: Person, project: GithubProject): Promise<Role> {
  try {
    const { data } = await clients.repository(project.source, 'read').call(
      (octokit, request) =>
        octokit.rest.repos.getCollaboratorPermissionLevel({
          ...repositoryOf(project),
          username: person.login,
          request,
        }),
      new AbortController().signal,
    );
    // A login that somebody else has taken over since is somebody else.
    return data.user?.id === person.id ? roleIn(data) : 'none';
  } catch (error) {
    if (error instanceof GithubFailure && error.kind === 'gone') return 'none';
    throw error;
  }
}

interface Told {
  readonly permission: string;
  readonly role_name: string;
  readonly user: { readonly permissions?: Readonly<Record<string, boolean>> } | null;
}

const LADDER: readonly (readonly [flag: string, role: Role])[] = [
  ['admin', 'admin'],
  ['maintain', 'maintain'],
  ['push', 'write'],
  ['triage', 'triage'],
  ['pull', 'read'],
];

/** The flags tell of an organisation's own roles too, which are named as it likes; servers without flags name the role. */
function roleIn({ permission, role_name, user }: Told): Role {
  const flags = user?.permissions;
  const flagged = LADDER.find(([flag]) => flags?.[flag] === true)?.[1];
  if (flagged !== undefined) return flagged;
  // A stranger at a public repository has no flag and may read.
  if (flags !== undefined) return permission === 'read' ? 'read' : 'none';
  return ROLES.find((role) => role === role_name) ?? ROLES.find((role) => role === permission) ?? 'none';
}
