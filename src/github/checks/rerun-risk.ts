// What runs again with a job of GitHub Actions, as its workflow has it, and whether that could do more than tell whether a commit is good. Pure.
import { parseDocument } from 'yaml';
import type { RerunRefusal } from '../../core/check/index.ts';

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

type JobText = Readonly<Record<string, unknown>>;

interface JobInFile {
  readonly id: string;
  readonly job: JobText;
  readonly workflow: JobText;
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
  if (!all || !repeated || !stopped || repeated.some(({ job }) => 'uses' in job)) return { code: 'unread' };
  const deploying = repeated.find(hasEnvironment);
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

/** Null: one of them is none. */
function readJobsOfFiles(files: readonly string[]): readonly JobInFile[] | null {
  const read = files.map(readFileJobs);
  return read.some((jobs) => jobs === null) ? null : read.flatMap((jobs) => jobs ?? []);
}

/** Null: one of these names is none of theirs. */
function listJobsOf(all: readonly JobInFile[], names: readonly string[]): readonly JobInFile[] | null {
  const found = names.map((name) => all.filter((one) => isJobOf(one, name)));
  return found.some(({ length }) => length === 0) ? null : found.flat();
}

function readFileJobs(text: string): readonly JobInFile[] | null {
  const workflow = parseWorkflow(text);
  const jobs = workflow?.['jobs'];
  if (workflow === null || !isMapping(jobs)) return null;
  const found = Object.entries(jobs).flatMap(([id, job]) => (isMapping(job) ? [{ id, job, workflow }] : []));
  return found.length === Object.keys(jobs).length ? found : null;
}

function parseWorkflow(text: string): JobText | null {
  try {
    const document = parseDocument(text);
    const read: unknown = document.errors.length > 0 ? null : document.toJS();
    return isMapping(read) ? read : null;
  } catch {
    // Aliases that would grow beyond measure.
    return null;
  }
}

function isMapping(value: unknown): value is JobText {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** GitHub appends the values of a matrix in brackets, and names jobs of a called workflow behind a slash. */
function isJobOf({ id, job }: JobInFile, shown: string): boolean {
  const name = typeof job['name'] === 'string' && job['name'] !== '' ? job['name'] : id;
  const [first = '', ...parts] = name.split(/\$\{\{[^}]{0,1000}\}\}/);
  if (parts.length === 0) return shown === name || shown.startsWith(`${name} (`) || shown.startsWith(`${name} / `);
  if (!shown.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = shown.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return true;
}

/** The ids of all that waits for one of these, directly or through others. */
function listDependentIds(all: readonly JobInFile[], again: ReadonlySet<string>): readonly string[] {
  const reached = new Set(again);
  const dependents = new Set<string>();
  for (let isMore = true; isMore; ) {
    isMore = false;
    for (const { id, job } of all) {
      if (dependents.has(id) || ![job['needs'] ?? []].flat().some((need) => reached.has(String(need)))) continue;
      dependents.add(id);
      reached.add(id);
      isMore = true;
    }
  }
  return [...dependents];
}

function hasEnvironment({ job }: JobInFile): boolean {
  return job['environment'] !== undefined && job['environment'] !== null;
}

type JobRisk = Extract<RerunRefusal, { readonly code: 'dependent' }>['why'];

function findJobRisk(one: JobInFile, isReadOnly: boolean): JobRisk | null {
  const { job, workflow } = one;
  if ('uses' in job) return 'reusable';
  if (hasEnvironment(one)) return 'environment';
  // What a machine of one's own may do, no workflow says.
  if (!isHosted(job['runs-on'])) return 'runner';
  const said = JSON.stringify([job, workflow['env'] ?? null]);
  const token = /\bsecrets\s*\.\s*GITHUB_TOKEN\b/gi;
  if (/\bsecrets\b/i.test(said.replaceAll(token, ''))) return 'secrets';
  const permissions = job['permissions'] ?? workflow['permissions'];
  if (permissions !== undefined) return isReading(permissions) ? null : 'permissions';
  if (isReadOnly) return null;
  // The repository decides what its token may do, and does not tell us. An action gets it unasked.
  const hasToken = said.search(token) !== -1 || /\bgithub\b[^"]{0,20}\btoken\b|toJSON\s*\(\s*github\b/i.test(said);
  return hasToken || hasActions(job['steps']) ? 'permissions' : null;
}

const HOSTED = /^(?:ubuntu|windows|macos)-[\w.-]{1,40}$/;

function isHosted(runner: unknown): boolean {
  const labels = [runner ?? []].flat();
  return labels.length > 0 && labels.every((label) => typeof label === 'string' && HOSTED.test(label));
}

function isReading(permissions: unknown): boolean {
  if (permissions === 'read-all') return true;
  return isMapping(permissions) && Object.values(permissions).every((level) => level === 'read' || level === 'none');
}

function hasActions(steps: unknown): boolean {
  return !Array.isArray(steps) || steps.some((step) => !isMapping(step) || 'uses' in step);
}
