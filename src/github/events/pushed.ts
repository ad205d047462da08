// A push: where it may have touched the configuration file, the next look reads it anew.
import type { EventHandler } from './app-deps.ts';
import { pushed } from './payloads.ts';

const FILE = '.github/causeway.yml';
/** GitHub names the files of so many commits only. */
const MOST_COMMITS = 2_048;

type Push = ReturnType<typeof pushed.parse>;

export const onPush: EventHandler = async (deps, { payload }) => {
  const read = pushed.safeParse(payload);
  if (!read.success || !mayTouchConfiguration(read.data)) return;
  const project = await deps.store.projectOfRepository(read.data.repository.id);
  if (project !== null) deps.configuration.forget(project.id);
};

function mayTouchConfiguration({ ref, repository, forced, commits }: Push): boolean {
  if (repository.default_branch === undefined || ref !== `refs/heads/${repository.default_branch}`) return false;
  if (forced === true || commits.length === 0 || commits.length >= MOST_COMMITS) return true;
  return commits.some(({ added, modified, removed }) => [...added, ...modified, ...removed].includes(FILE));
}
