// Projects follow GitHub: what the App is installed on is a project, and what it lost is none any more.
import {
  type Installation,
  type InstalledRepository,
  isGithubProject,
  type Project,
} from '../../core/project/index.ts';
import type { Source } from '../../core/source/index.ts';
import type { InstallationStore, Store } from '../../db/index.ts';
import type { Log } from '../../log.ts';
import { type CancelDeps, cancelInvestigation } from '../../services/index.ts';

import { comparePermissions, type GithubClients, GithubFailure, type Granted } from '../clients/index.ts';
import { createInTurn } from './in-turn.ts';
import { listInstallations, listRepositories, readInstallation } from './listings.ts';

/** Events only say that something changed: the state of installations and repositories is read from GitHub. */
export interface ProjectSync {
  /**
   * Makes all projects equal to what GitHub says. Throws GithubFailure where the installations could not be listed. One
   * that fails is logged, leaves its projects as they are and stops no other; its error is thrown at the end, so that a
   * retry comes soon.
   */
  reconcile(signal: AbortSignal): Promise<void>;
  /** Throws GithubFailure where GitHub gives no answer. */
  installationChanged(installationId: number, signal: AbortSignal): Promise<void>;
  /**
   * One repository of an installation: added, renamed, archived, made public, transferred, removed. Throws like the
   * above.
   */
  repositoryChanged(repositoryId: number, installationId: number, signal: AbortSignal): Promise<void>;
  /** Logins of the owners that don't count, as far as they were seen; in alphabetical order. */
  ignoredOwners(): readonly string[];
  /** The App was uninstalled: ends access at once. */
  installationRemoved(installationId: number, signal: AbortSignal): Promise<void>;
}

interface ProjectSyncOptions extends CancelDeps {
  readonly clients: Pick<GithubClients, 'app' | 'identity' | 'installation' | 'repository'>;
  readonly store: CancelDeps['store'] & InstallationStore & Pick<Store, 'listOpenInvestigations'>;
  readonly source: Pick<Source, 'forget'>;
  /** Logins of the owners that count, ignoring case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
  readonly log: Log;
}

/** An installation that loses more repositories at once has not transferred them one by one. */
const MAX_TRANSFERS = 20;

export function createProjectSync(options: ProjectSyncOptions): ProjectSync {
  const { clients, store, source, log } = options;
  const isAllowed = createOwnerRule(options);
  const inTurn = createInTurn();
  const ignored = new Map<number, string>();
  const reportedMissing = new Map<number, string>();
  const now = () => options.now().toISOString();

  async function reconcile(signal: AbortSignal): Promise<void> {
    const known = await store.listInstallations();
    const listed = await listInstallations(clients.app, signal);
    const failures: unknown[] = [];
    for (const id of new Set([...listed, ...known.map((installation) => installation.id)])) {
      // Each is read again by its number: an event may be newer than the list, and one that is not in the list may have
      // slipped from one page to another while it was read.
      await inTurn(id, signal, () => refresh(id, signal)).catch((error: unknown) => {
        signal.throwIfAborted();
        failures.push(error);
        log.warn({ err: error, installation: id }, 'the projects of an installation could not be updated');
      });
    }
    // The process may have ended between hiding a project and ending its access.
    for (const projectId of await store.listHiddenProjects()) {
      signal.throwIfAborted();
      await endAccess(projectId);
    }
    if (failures.length > 0) throw failures[0];
  }

  async function refresh(id: number, signal: AbortSignal): Promise<void> {
    const installation = await unlessGone(readInstallation(clients.app, id, signal));
    if (installation === null) return await remove(id);
    const isOurs = await isAllowed(installation.owner, signal);
    noteIgnored(installation, !isOurs);
    if (!isOurs) return await hideAll(await store.removeInstallation(id, now()));
    await update(installation, signal);
    noteMissing(installation, (await clients.identity(signal)).permissions);
  }

  async function update(installation: Installation, signal: AbortSignal): Promise<void> {
    const { id, isSuspended, owner } = installation;
    const list = isSuspended ? { repositories: [], isWhole: true } : await listTwice(id, signal);
    if (!list.isWhole) return await addOnly(installation, list.repositories);
    const hidden = await store.syncInstallation(installation, list.repositories, now());
    log.info(
      { installation: id, owner: owner.login, isSuspended, projects: list.repositories.length, hidden: hidden.length },
      'projects of an installation are up to date',
    );
    // A suspended installation has lost none to another one.
    await hideAll(isSuspended ? hidden : await withoutTransferred(hidden, signal));
  }

  /** A list that is not whole may have changed while it was read. */
  async function listTwice(id: number, signal: AbortSignal) {
    const caller = clients.installation(id);
    const list = await listRepositories(caller, signal);
    return list.isWhole ? list : await listRepositories(caller, signal);
  }

  /** A list with gaps hides nothing. */
  async function addOnly(installation: Installation, repositories: readonly InstalledRepository[]): Promise<void> {
    const { id } = installation;
    log.warn({ installation: id }, 'GitHub counts other repositories than it lists: none is hidden for now');
    if ((await store.findInstallation(id)) === null) await store.syncInstallation(installation, [], now());
    for (const repository of repositories) await store.putRepository(id, repository, now());
  }

  async function refreshRepository(repositoryId: number, installationId: number, signal: AbortSignal): Promise<void> {
    if ((await store.findInstallation(installationId)) === null) return await refresh(installationId, signal);
    // A token of that repository lists nothing else, and follows its number when it is renamed.
    const at = { repositoryId, installationId };
    const list = await unlessGone(listRepositories(clients.repository(at, 'read'), signal));
    const found = list?.repositories.find(({ id }) => id === repositoryId);
    if (found !== undefined) {
      await store.putRepository(installationId, found, now());
      return;
    }
    const hidden = await store.hideRepository({ id: repositoryId, installationId }, now());
    await hideAll(await withoutTransferred(hidden === null ? [] : [hidden], signal));
  }

  async function remove(id: number): Promise<void> {
    ignored.delete(id);
    await hideAll(await store.removeInstallation(id, now()));
  }

  async function hideAll(projects: readonly Project[]): Promise<void> {
    for (const { id } of projects) await endAccess(id);
  }

  /**
   * Ends what runs for a project and deletes what was kept of its source. May be done twice; what fails is done again
   * by `reconcile`.
   */
  async function endAccess(projectId: string): Promise<void> {
    try {
      for (const id of await store.listOpenInvestigations(projectId)) {
        await cancelInvestigation(options, id, { code: 'access_lost' });
      }
      await source.forget(projectId);
    } catch (error) {
      log.warn({ err: error, project: projectId }, 'the source of a lost project could not be deleted; retried later');
    }
  }

  /**
   * The lost projects without those that another installation has, which are shown again under their old ids: a
   * transfer is announced to the old owner's installation first. GitHub cannot say which installation has a repository,
   * so a token of it is requested from each.
   */
  async function withoutTransferred(lost: readonly Project[], signal: AbortSignal): Promise<readonly Project[]> {
    if (lost.length > MAX_TRANSFERS) return lost;
    const gone: Project[] = [];
    for (const project of lost) if (!(await isShownElsewhere(project, signal))) gone.push(project);
    return gone;
  }

  async function isShownElsewhere(project: Project, signal: AbortSignal): Promise<boolean> {
    if (!isGithubProject(project)) return false;
    const { repositoryId, installationId: former } = project.source;
    for (const { id: installationId, isSuspended } of await store.listInstallations()) {
      if (installationId === former || isSuspended) continue;
      const found = await findRepository({ repositoryId, installationId }, signal);
      if (found === null || (await store.putRepository(installationId, found, now())) === null) continue;
      log.info({ project: project.id, installation: installationId }, 'a repository moved to another installation');
      return true;
    }
    return false;
  }

  /** Null where the installation has no such repository, or does not say. */
  async function findRepository(
    at: { readonly repositoryId: number; readonly installationId: number },
    signal: AbortSignal,
  ): Promise<InstalledRepository | null> {
    try {
      const { repositories } = await listRepositories(clients.repository(at, 'read'), signal);
      return repositories.find(({ id }) => id === at.repositoryId) ?? null;
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error, ...at }, 'a repository is not in that installation, as far as GitHub says');
      return null;
    }
  }

  function noteIgnored({ id, owner }: Installation, isIgnored: boolean): void {
    if (isIgnored && !ignored.has(id)) {
      const reason = 'its owner is not in ALLOWED_OWNERS (by default only the owner of the App)';
      log.warn({ installation: id, owner: owner.login }, `an installation is ignored: ${reason}`);
    }
    if (isIgnored) ignored.set(id, owner.login);
    else ignored.delete(id);
  }

  /** What was not granted is done without; logged again only where something else is missing. */
  function noteMissing({ id, owner, permissions }: Installation, requested: Granted): void {
    const missing = comparePermissions(permissions, requested).missing.join(', ');
    if (missing === (reportedMissing.get(id) ?? '')) return;
    reportedMissing.set(id, missing);
    if (missing === '') return;
    const repair = 'its owner can accept them in the settings of the installation';
    log.warn(
      { installation: id, owner: owner.login, missing },
      `permissions were not granted, and what needs them is left out; ${repair}`,
    );
  }

  return {
    reconcile,
    installationChanged: (id, signal) => inTurn(id, signal, () => refresh(id, signal)),
    repositoryChanged: (repositoryId, installationId, signal) =>
      inTurn(installationId, signal, () => refreshRepository(repositoryId, installationId, signal)),
    installationRemoved: (id, signal) => inTurn(id, signal, () => remove(id)),
    ignoredOwners: () => [...new Set(ignored.values())].sort(),
  };
}

async function unlessGone<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GithubFailure && error.kind === 'gone') return null;
    throw error;
  }
}

export interface OwnerRuleOptions {
  readonly clients: Pick<GithubClients, 'identity'>;
  /** Logins, in any case; empty: the owner of the App. */
  readonly allowedOwners: readonly string[];
}

export type AllowsOwner = (
  owner: { readonly id: number; readonly login: string },
  signal: AbortSignal,
) => Promise<boolean>;

/**
 * Compares logins or, where none is named, the number of the App's owner. Throws GithubFailure where GitHub does not
 * say who that is.
 */
export function createOwnerRule({ clients, allowedOwners }: OwnerRuleOptions): AllowsOwner {
  const allowed = new Set(allowedOwners.map((login) => login.toLowerCase()));
  return async ({ id, login }, signal) => {
    if (allowed.size > 0) return allowed.has(login.toLowerCase());
    return id === (await clients.identity(signal)).owner.id;
  };
}
