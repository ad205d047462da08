// Checks came to an end: on the head of our own branch, its thread looks whether the pull request holds.
import type { EventHandler } from './app-deps.ts';
import { nudgeBranch } from './nudge.ts';
import { checkRunCompleted, checkSuiteCompleted, statusCreated } from './payloads.ts';

export const onCheckSuiteCompleted: EventHandler = async (deps, { payload }, signal) => {
  const read = checkSuiteCompleted.safeParse(payload);
  if (!read.success) return;
  const { repository, check_suite: suite } = read.data;
  await checked(deps, { repositoryId: repository.id, branches: [suite.head_branch], appId: suite.app?.id }, signal);
};

export const onCheckRunCompleted: EventHandler = async (deps, { payload }, signal) => {
  const read = checkRunCompleted.safeParse(payload);
  if (!read.success) return;
  const { repository, check_run: run } = read.data;
  const branches = [run.check_suite?.head_branch];
  await checked(deps, { repositoryId: repository.id, branches, appId: run.app?.id }, signal);
};

/** Other CI reports with commit statuses; they name every branch that has the commit as its head. */
export const onStatus: EventHandler = async (deps, { payload }, signal) => {
  const read = statusCreated.safeParse(payload);
  if (!read.success) return;
  const branches = read.data.branches.map(({ name }) => name);
  await checked(deps, { repositoryId: read.data.repository.id, branches, appId: undefined }, signal);
};

interface Checked {
  readonly repositoryId: number;
  readonly branches: readonly (string | null | undefined)[];
  /** Of the App that checked. */
  readonly appId: number | undefined;
}

/** Our own checks say nothing that we do not know. */
async function checked(
  deps: Parameters<EventHandler>[0],
  { repositoryId, branches, appId }: Checked,
  signal: AbortSignal,
): Promise<void> {
  const project = await deps.store.projectOfRepository(repositoryId);
  if (project === null) return;
  if (appId !== undefined && appId === (await deps.clients.identity(signal)).appId) return;
  for (const branch of branches) await nudgeBranch(deps, project, branch);
}
