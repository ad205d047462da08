// An installation or one of its repositories changed: what is so now is asked of GitHub, not read from the event.
import type { EventHandler } from './app-deps.ts';
import { installationChanged, repositoryChanged } from './payloads.ts';

export const onInstallationChanged: EventHandler = async (deps, { payload }, signal) => {
  const read = installationChanged.safeParse(payload);
  if (read.success) await deps.projects.installationChanged(read.data.installation.id, signal);
};

/** Its number never comes back. */
export const onInstallationDeleted: EventHandler = async (deps, { payload }, signal) => {
  const read = installationChanged.safeParse(payload);
  if (read.success) await deps.projects.installationRemoved(read.data.installation.id, signal);
};

/** Renamed, moved, deleted, hidden or shown: GitHub sends it to the installation that has it now, or had it. */
export const onRepositoryChanged: EventHandler = async (deps, { payload }, signal) => {
  const read = repositoryChanged.safeParse(payload);
  if (!read.success) return;
  const { repository, installation } = read.data;
  const project = await deps.store.projectOfRepository(repository.id);
  if (project !== null) deps.configuration.forget(project.id);
  const installationId = installation?.id ?? project?.source.installationId;
  if (installationId !== undefined) await deps.projects.repositoryChanged(repository.id, installationId, signal);
};
