// Projects follow GitHub: what the App is installed on is a project, and what it lost is none any more.
import type { Installation, InstalledRepository, Project } from '../../core/project.ts';

import type { InstallationStore } from '../../db/store.ts';
import { type GithubClients, GithubFailure } from '../clients/github-clients.ts';
import { withoutMoved } from './elsewhere.ts';
import { createGrants } from './grants.ts';
import { createInTurn, type InTurn } from './in-turn.ts';
import { listInstallations, listRepositories, readInstallation } from './listings.ts';
import { endAccess, endHidden, type LostAccessDeps } from './lost-access.ts';
import { createOwners } from './owners.ts';

/** What an event says of installations and repositories is never taken over: GitHub is asked how it is now. */
export interface ProjectSync {
  /**
   * Makes all projects equal to what GitHub says. Throws GithubFailure where the installations could not be listed. One that fails is
   * said in the log, leaves its projects as they are and stops no other; what it failed with is thrown at the end, so that it is tried
   * again soon.
   */
  reconcile(signal: AbortSignal): Promise<void>;
  /** Throws GithubFailure where GitHub could not be asked. */
  installationChanged(installationId: number, signal: AbortSignal): Promise<void>;
  /** One repository of an installation: added, renamed, archived, made public, transferred, removed. Throws like the above. */
  repositoryChanged(repositoryId: number, installationId: number, signal: AbortSignal): Promise<void>;
  /** Logins of the owners of installations that do not count, as far as they were met; in alphabetical order. */
  ignoredOwners(): readonly string[];
  /** The App was uninstalled: ends access at once. */
  installationRemoved(installationId: number, signal: AbortSignal): Promise<void>;
}

export interface ProjectSyncDeps extends LostAccessDeps {
  readonly clients: Pick<GithubClients, 'app' | 'identity' | 'installation' | 'repository'>;
  readonly store: LostAccessDeps['store'] &
    Pick<
      InstallationStore,
      | 'syncInstallation'
      | 'putRepository'
      | 'hideRepository'
      | 'removeInstallation'
      | 'installations'
      | 'installation'
      | 'projectOfRepository'
    >;
  /** Logins whose installations count, whatever their case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
}

interface Context {
  readonly deps: ProjectSyncDeps;
  readonly owners: ReturnType<typeof createOwners>;
  readonly inTurn: InTurn;
  readonly sayMissing: ReturnType<typeof createGrants>;
}

export function createProjectSync(deps: ProjectSyncDeps): ProjectSync {
  const context: Context = {
    deps,
    owners: createOwners(deps),
    inTurn: createInTurn(),
    sayMissing: createGrants(deps.log),
  };
  const { inTurn } = context;
  return {
    reconcile: (signal) => reconcile(context, signal),
    ignoredOwners: () => context.owners.ignored(),
    installationChanged: (id, signal) => inTurn(id, signal, () => refresh(context, id, signal)),
    repositoryChanged: (repositoryId, installationId, signal) =>
      inTurn(installationId, signal, () => refreshRepository(context, { repositoryId, installationId }, signal)),
    installationRemoved: (id, signal) => inTurn(id, signal, () => forget(context, id)),
  };
}

async function reconcile(context: Context, signal: AbortSignal): Promise<void> {
  const { deps, inTurn } = context;
  const known = await deps.store.installations();
  const listed = await listInstallations(deps.clients.app, signal);
  const failures: unknown[] = [];
  for (const id of new Set([...listed, ...known.map((installation) => installation.id)])) {
    // Each is asked for once more by its number: an event may have told something newer than the list, and one that is not in the
    // list may have slipped from one page to another while it was read.
    await inTurn(id, signal, () => refresh(context, id, signal)).catch((error: unknown) => {
      signal.throwIfAborted();
      failures.push(error);
      deps.log.warn({ err: error, installation: id }, 'the projects of an installation stay as they were for now');
    });
  }
  await endHidden(deps, signal);
  if (failures.length > 0) throw failures[0];
}

async function refresh(context: Context, id: number, signal: AbortSignal): Promise<void> {
  const installation = await unlessGone(readInstallation(context.deps.clients.app, id, signal));
  if (installation === null) await forget(context, id);
  else await take(context, installation, signal);
}

/** Takes over one installation with all its repositories. */
async function take(context: Context, installation: Installation, signal: AbortSignal): Promise<void> {
  const { deps, owners, sayMissing } = context;
  const { id, isSuspended, owner } = installation;
  if (!(await owners.counts(installation, signal))) return remove(context, id);
  sayMissing(installation);
  const list = isSuspended ? { repositories: [], isWhole: true } : await wholeList(deps, id, signal);
  if (!list.isWhole) return addTo(deps, installation, list.repositories);
  const hidden = await deps.store.syncInstallation(installation, list.repositories, moment(deps));
  deps.log.info(
    { installation: id, owner: owner.login, isSuspended, projects: list.repositories.length, hidden: hidden.length },
    'projects of an installation are up to date',
  );
  // Suspended, it has lost none to anybody.
  await endAll(deps, isSuspended ? hidden : await withoutMoved(deps, hidden, signal));
}

/** A list that is not whole may have changed while it was read. */
async function wholeList(deps: ProjectSyncDeps, id: number, signal: AbortSignal) {
  const caller = deps.clients.installation(id);
  const list = await listRepositories(caller, signal);
  return list.isWhole ? list : await listRepositories(caller, signal);
}

/** From a list with gaps only what is in it is believed. */
async function addTo(
  deps: ProjectSyncDeps,
  installation: Installation,
  repositories: readonly InstalledRepository[],
): Promise<void> {
  const { id } = installation;
  deps.log.warn({ installation: id }, 'GitHub counts other repositories than it lists: none is hidden for now');
  if ((await deps.store.installation(id)) === null) await deps.store.syncInstallation(installation, [], moment(deps));
  for (const repository of repositories) await deps.store.putRepository(id, repository, moment(deps));
}

async function refreshRepository(
  context: Context,
  at: { readonly repositoryId: number; readonly installationId: number },
  signal: AbortSignal,
): Promise<void> {
  const { deps } = context;
  const { repositoryId, installationId } = at;
  if ((await deps.store.installation(installationId)) === null) return refresh(context, installationId, signal);
  // A token of that repository alone lists nothing else, and follows its number whatever its name.
  const list = await unlessGone(listRepositories(deps.clients.repository(at, 'read'), signal));
  const found = list?.repositories.find(({ id }) => id === repositoryId);
  if (found !== undefined) {
    await deps.store.putRepository(installationId, found, moment(deps));
    return;
  }
  const hidden = await deps.store.hideRepository({ id: repositoryId, installationId }, moment(deps));
  await endAll(deps, await withoutMoved(deps, hidden === null ? [] : [hidden], signal));
}

/** There is none any more. */
async function forget(context: Context, id: number): Promise<void> {
  context.owners.forget(id);
  await remove(context, id);
}

async function remove({ deps }: Context, id: number): Promise<void> {
  await endAll(deps, await deps.store.removeInstallation(id, moment(deps)));
}

async function endAll(deps: ProjectSyncDeps, projects: readonly Project[]): Promise<void> {
  for (const project of projects) await endAccess(deps, project.id);
}

async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GithubFailure && error.kind === 'gone') return null;
    throw error;
  }
}

function moment({ now }: Pick<ProjectSyncDeps, 'now'>): string {
  return now().toISOString();
}
