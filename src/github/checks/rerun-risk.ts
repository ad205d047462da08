// What runs again with a job of GitHub Actions, as its workflow has it, and whether that could do more than tell whether a commit is good. Pure.
import type { RerunRefusal } from '../../core/check/index.ts';
import { isShownAs, readWorkflow, type WrittenJob } from '../workflows/index.ts';

interface RerunSubject {
  /**
   * The workflow, at the head, and of a pull request at its base too: GitHub merges both, so what either says of a job
   * counts.
   */
  readonly files: readonly string[];
  /** The jobs that are repeated, as GitHub shows their names. */
  readonly jobs: readonly string[];
  /** Those that were cancelled, and are repeated with them: by the failure of another in their matrix, or by a person. */
  readonly cancelled: readonly string[];
  /** Whether its token reads at most, whatever the workflow says: that of a fork in a public repository. */
  readonly isReadOnly: boolean;
}

/**
 * Null: nothing speaks against it. GitHub also runs what depends on a repeated job, and that has not run before where the
 * job had failed: it has to be read as harmless, and what can't be read isn't. A repeated job has run already, as it was
 * started; only one that deploys is never repeated.
 */
export function findRerunRisk({ files, jobs, cancelled, isReadOnly }: RerunSubject): RerunRefusal | null {
  const all = readJobsOfFiles(files);
  const repeated = all && listJobsOf(all, jobs);
  const stopped = all && listJobsOf(all, cancelled);
  if (!all || !repeated || !stopped || repeated.some(({ calls }) => calls !== null)) return { code: 'unread' };
  const deploying = repeated.find(({ rights }) => rights.environment !== null);
  if (deploying !== undefined) return { code: 'environment', job: deploying.id };
  const again = new Set(repeated.map(({ id }) => id));
  // The others of a matrix are the same job.
  const others = stopped.map(({ id }) => id).filter((id) => !again.has(id));
  const follow = new Set([...others, ...listDependentIds(all, new Set([...again, ...others]))]);
  for (const one of all.filter(({ id }) => follow.has(id))) {
    const why = findJobRisk(one, isReadOnly);
    if (why !== null) return { code: 'dependent', job: one.id, why };
  }
  return null;
}

/** Null: one of them is no workflow. */
function readJobsOfFiles(files: readonly string[]): readonly WrittenJob[] | null {
  const read = files.map((text) => readWorkflow({ path: '', text }));
  const jobs = read.flatMap((one) => (one.kind === 'workflow' ? [one.jobs] : []));
  return jobs.length < read.length ? null : jobs.flat();
}

/** Null: one of these names is none of theirs. */
function listJobsOf(all: readonly WrittenJob[], names: readonly string[]): readonly WrittenJob[] | null {
  const found = names.map((name) => all.filter((one) => isShownAs(one, name)));
  return found.some(({ length }) => length === 0) ? null : found.flat();
}

/** The ids of all that waits for one of these, directly or through others. */
function listDependentIds(all: readonly WrittenJob[], again: ReadonlySet<string>): readonly string[] {
  const reached = new Set(again);
  const dependents = new Set<string>();
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const { id, needs } of all) {
      if (dependents.has(id) || !needs.some((need) => reached.has(need))) continue;
      dependents.add(id);
      reached.add(id);
      isMore = true;
    }
  }
  return [...dependents];
}

type JobRisk = Extract<RerunRefusal, { readonly code: 'dependent' }>['why'];

function findJobRisk({ rights, calls, hasToken, hasActions }: WrittenJob, isReadOnly: boolean): JobRisk | null {
  const { environment, machine, secrets, token } = rights;
  if (calls !== null) return 'reusable';
  if (environment !== null) return 'environment';
  // What a machine of one's own may do, no workflow says.
  if (machine === 'own') return 'runner';
  if (secrets.length > 0) return 'secrets';
  if (token !== null) return Object.values(token).includes('write') ? 'permissions' : null;
  // The repository decides what its token may do, and does not tell us. An action gets it unasked.
  return !isReadOnly && (hasToken || hasActions) ? 'permissions' : null;
}
