// Other events: installations, repositories, pushes, closed issues, revoked authorizations, our check run's button.

import { type GithubProject, isAtLeast, type Person } from '../../core/project/index.ts';
import type { Thread } from '../../core/thread/index.ts';
import { cancelInvestigation } from '../../services/index.ts';
import { isBot, toPerson } from '../clients/index.ts';
import { CONFIG_FILE } from '../configuration/index.ts';
import { readButton } from '../publish/index.ts';
import { type CausewayAppDeps, type EventHandler, schedulePublish } from './app-deps.ts';

/** GitHub names the files of so many commits only. */
const MAX_LISTED_COMMITS = 2_048;

/** The event only says that something changed: the state is read from GitHub. */
export const onInstallationChanged: EventHandler<
  'installation' | 'installation_repositories' | 'installation_target'
> = async (deps, { payload }, signal) => {
  const { id } = payload.installation ?? {};
  if (id !== undefined) await deps.projects.installationChanged(id, signal);
};

/** Its number never comes back. */
export const onInstallationDeleted: EventHandler<'installation.deleted'> = async (deps, { payload }, signal) => {
  await deps.projects.installationRemoved(payload.installation.id, signal);
};

/** Renamed, moved, deleted, made private or public: GitHub sends it to the installation that has it now, or had it. */
export const onRepositoryChanged: EventHandler<'repository'> = async (deps, { payload }, signal) => {
  const { repository, installation } = payload;
  const project = await deps.store.findProjectOfRepository(repository.id);
  if (project !== null) deps.configuration.forget(project.id);
  const installationId = installation?.id ?? project?.source.installationId;
  if (installationId !== undefined) await deps.projects.repositoryChanged(repository.id, installationId, signal);
};

/**
 * A push that may have changed the configuration file has it read again; after one with a revert, what was merged is
 * looked at.
 */
export const onPush: EventHandler<'push'> = async (deps, { payload }) => {
  const isRevert = mayRevert(payload);
  const isOfConfiguration = mayTouchConfiguration(payload);
  const project =
    isRevert || isOfConfiguration ? await deps.store.findProjectOfRepository(payload.repository.id) : null;
  if (project === null) return;
  if (isOfConfiguration) {
    deps.configuration.forget(project.id);
    // Its mode may end those that run.
    if (deps.memory !== 'github') await deps.store.scheduleProofs(project.id, null, deps.now().toISOString());
  }
  if (isRevert) await deps.store.scheduleLooksAtMerged(project.id, deps.now().toISOString());
};

function mayRevert({ ref, commits = [] }: PushPayload): boolean {
  return ref.startsWith('refs/heads/') && commits.some(({ message = '' }) => /\brevert/i.test(message));
}

type PushPayload = Parameters<typeof onPush>[1]['payload'];

function mayTouchConfiguration({ ref, repository, forced, commits = [] }: PushPayload): boolean {
  if (ref !== `refs/heads/${repository.default_branch}`) return false;
  if (forced || commits.length === 0 || commits.length >= MAX_LISTED_COMMITS) return true;
  return commits.some(({ added = [], modified = [], removed = [] }) =>
    [...added, ...modified, ...removed].includes(CONFIG_FILE),
  );
}

export const onIssueClosed: EventHandler<'issues.closed' | 'issues.reopened'> = async (deps, { payload }, signal) => {
  if (payload.action === 'closed') await endKnown(deps, payload, signal);
  const thread = await findThreadOfIssue(deps, payload);
  await schedulePublish(deps, thread);
  if (thread !== null) await deps.store.scheduleLooksOfThread(thread.id, deps.now().toISOString());
};

/** There is no place left for the answer. */
export const onIssueGone: EventHandler<'issues.deleted' | 'issues.transferred'> = async (deps, { payload }, signal) => {
  await endKnown(deps, payload, signal);
  const thread = await findThreadOfIssue(deps, payload);
  if (thread === null) return;
  await cancelInvestigation(deps, thread.investigationId, { code: 'subject_gone' });
  await schedulePublish(deps, thread);
};

interface OfIssue {
  readonly repository: { readonly id: number };
  readonly issue: { readonly number: number };
}

/** What people tied to the issue covers nothing any more, unless it is open again: a delivery can be hours late. */
async function endKnown(
  { store, checks, now }: CausewayAppDeps,
  { repository, issue: { number } }: OfIssue,
  signal: AbortSignal,
): Promise<void> {
  const project = await store.findProjectOfRepository(repository.id);
  if (project === null || (await store.findKnownIssueOf(project.id, number)) === null) return;
  const state = await checks.readIssue(project, number, signal);
  if (state.kind === 'open') return;
  const at = (state.kind === 'closed' && state.closedAt) || now().toISOString();
  const end = { by: state.kind, person: null, at, now: now().toISOString() };
  await store.endKnownIssue({ projectId: project.id, number, ...end });
}

async function findThreadOfIssue({ store }: CausewayAppDeps, { repository, issue }: OfIssue): Promise<Thread | null> {
  const project = await store.findProjectOfRepository(repository.id);
  return project && (await store.findThreadOfSubject(project.id, { kind: 'issue', number: issue.number }));
}

/** A person revoked the App's authorization: their sessions, API tokens and subscriptions end at once. */
export const onAuthorizationRevoked: EventHandler<'github_app_authorization.revoked'> = async (deps, { payload }) => {
  const person = toPerson(payload.sender);
  if (person !== null) await deps.store.endAccess(person.id, deps.now().toISOString());
};

/** The buttons "Open fix" and "Open revert" on our own check run, pressed by a person with write access. */
export const onActionRequested: EventHandler<'check_run.requested_action'> = async (deps, { payload }, signal) => {
  const { repository, check_run: run, requested_action: action, sender } = payload;
  const by = toPerson(sender);
  const button = readButton(action?.identifier ?? '');
  if (button === null || by === null || isBot(sender)) return;
  if (run.app?.id !== (await deps.clients.identity(signal)).appId) return;
  const project = await deps.store.findProjectOfRepository(repository.id);
  if (project === null) return;
  const externalId = run.external_id ?? '';
  if (button.kind === 'revert') return await pressRevert(deps, project, { externalId, at: button.at, by }, signal);
  const thread = await findThreadOfButton(deps, project, { externalId, button: button.at });
  if (thread === null) {
    deps.log.info({ project: project.id, personId: by.id }, 'an outdated button was pressed: ignored');
    return;
  }
  const role = await deps.permissions.roleOfPerson(by, project, signal);
  if (!isAtLeast(role, 'write')) {
    deps.log.info({ thread: thread.id, personId: by.id, role }, 'a fix was requested without write: ignored');
    return;
  }
  const now = deps.now().toISOString();
  await deps.store.requestFix(thread.id, { ...by, at: now }, now);
};

/** Of a commit that is blamed no more nothing is reverted. */
async function pressRevert(
  deps: CausewayAppDeps,
  project: GithubProject,
  pressed: { readonly externalId: string; readonly at: number; readonly by: Person },
  signal: AbortSignal,
): Promise<void> {
  const { externalId, at, by } = pressed;
  const head = externalId.startsWith('hed_') ? await deps.store.findHead(externalId) : null;
  const shown = head?.projectId === project.id ? head.record.checkRun?.reverts?.[at] : undefined;
  const role = shown === undefined ? 'none' : await deps.permissions.roleOfPerson(by, project, signal);
  if (shown === undefined || !isAtLeast(role, 'write')) {
    deps.log.info(
      { project: project.id, personId: by.id, role },
      'a revert was requested without write, or by an outdated button: ignored',
    );
    return;
  }
  const now = deps.now().toISOString();
  await deps.store.requestPutBack({ ...shown, request: { ...by, at: now, number: null } }, now);
}

/** "Re-run" on our own check run, or on all checks of our suite, by a person with triage: the head is looked at again. */
export const onRerequested: EventHandler<'check_run.rerequested' | 'check_suite.rerequested'> = async (
  deps,
  { payload },
  signal,
) => {
  const { repository, sender } = payload;
  const check = 'check_run' in payload ? payload.check_run : payload.check_suite;
  const by = toPerson(sender);
  if (by === null || isBot(sender) || check.app?.id !== (await deps.clients.identity(signal)).appId) return;
  const project = await deps.store.findProjectOfRepository(repository.id);
  const head = project && (await deps.store.findHeadOfCommit(project.id, check.head_sha));
  if (project === null || head === null) return;
  const role = await deps.permissions.roleOfPerson(by, project, signal);
  if (isAtLeast(role, 'triage')) await deps.store.rerequestHead(head.id, deps.now().toISOString());
  else deps.log.info({ head: head.id, personId: by.id, role }, 'a re-run was requested without triage: ignored');
};

/**
 * Null: there is none, or it has another analysis by now, which was not shown with the button. The id is a head's, or
 * of old check runs a thread's.
 */
async function findThreadOfButton(
  { store }: CausewayAppDeps,
  project: GithubProject,
  { externalId, button }: { readonly externalId: string; readonly button: number },
): Promise<Thread | null> {
  if (!externalId.startsWith('hed_')) {
    const thread = button === 0 ? await store.findThread(externalId) : null;
    return thread?.projectId === project.id ? thread : null;
  }
  const head = await store.findHead(externalId);
  const pressed = head?.record.checkRun?.buttons?.[button];
  if (head === null || pressed === undefined) return null;
  const thread = await store.findThread(pressed.threadId);
  const shown = head.findings.map(({ investigationId }) => investigationId);
  const isAsShown =
    thread !== null && shown.includes(pressed.investigationId) && shown.includes(thread.investigationId);
  return isAsShown && thread.projectId === project.id ? thread : null;
}
