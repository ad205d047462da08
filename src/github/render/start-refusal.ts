// Why a branch of ours is not pushed: what it would start besides, as a sentence with its place, and the lines of YAML that would leave it out.
import { formatCodeSpan } from 'causeway-safe-markdown';
import type { StartRefusal } from '../../core/proof/index.ts';

const ACTS: Readonly<Record<Extract<StartRefusal, { readonly act: string }>['act'], string>> = {
  push: 'the push of our branch',
  open: 'our draft pull request',
  lock: 'locking our draft pull request',
  close: 'closing our draft pull request',
  delete: 'deleting our branch',
  follow: 'what follows on our branch',
};

const UNREAD: Readonly<Record<Extract<StartRefusal, { readonly code: 'unread' }>['why'], string>> = {
  missing: 'could not be read',
  size: 'is too long to be read',
  yaml: 'is not valid YAML',
  form: "isn't written as a workflow is",
};

/** One clause in Markdown, without a full stop. */
export function renderStartRefusal(refusal: StartRefusal): string {
  const place = formatCodeSpan(`${refusal.path}:${refusal.line}`);
  if (refusal.code === 'unread') return `${place} ${UNREAD[refusal.why]}, so what it starts isn't known`;
  const event = formatCodeSpan(refusal.event);
  const starts = `${place} would start on ${event}, by ${ACTS[refusal.act]}`;
  switch (refusal.code) {
    case 'besides':
      return `${starts}, and the checks of this head have no such run`;
    case 'required':
      return `${place} is required of pull requests by a ruleset, and the checks of this head have no such run`;
    case 'target':
      return `${starts}, with rights that the runs of this head don't have`;
    case 'follows':
      return `${place} would start on ${event}, after ${formatCodeSpan(refusal.after)}, with rights that the runs of this head don't have`;
    case 'other_event':
      return `${place} may start on ${event}, if another App reports on our branch`;
    case 'unknown_event':
      return `${place} starts on ${event}, of which we don't know what causes it`;
    case 'approval':
      return `${starts}, and its run on this head had to be approved`;
    case 'job_besides':
      return `${starts} with the job ${formatCodeSpan(refusal.job)}, which is not known to have run on this head`;
    case 'more_rights':
      return `${starts} with the job ${formatCodeSpan(refusal.job)}, which has rights that it did not have on this head`;
  }
}

/** Where an event says which branch it is about. */
const BRANCHES: Readonly<Record<string, string>> = {
  push: 'github.ref_name',
  create: 'github.ref_name',
  delete: 'github.event.ref',
  pull_request: 'github.head_ref',
  pull_request_target: 'github.head_ref',
  workflow_run: 'github.event.workflow_run.head_branch',
  check_run: 'github.event.check_run.check_suite.head_branch',
  check_suite: 'github.event.check_suite.head_branch',
};

interface StartRemedy {
  /** `event`: in the event of `on`. `jobs`: in each job of the file; `job`: in that one. */
  readonly where: 'event' | 'jobs' | 'job';
  /** YAML, as it is written there. */
  readonly lines: readonly string[];
}

/** `prefix`: what our branches begin with, up to a slash. Null: no line of YAML would do. */
export function findStartRemedy(refusal: StartRefusal, prefix: string): StartRemedy | null {
  if (refusal.code === 'unread' || refusal.code === 'approval' || refusal.code === 'unknown_event') return null;
  // Its file lies elsewhere, and leaving our branches out would not show how it runs.
  if (refusal.code === 'required') return null;
  const { event, filters } = refusal;
  const isOfJob = refusal.code === 'job_besides' || refusal.code === 'more_rights';
  if (!isOfJob && (event === 'push' || event === 'workflow_run')) {
    // Behind what is listed there: the last pattern that matches wins.
    if (filters.includes('branches')) return { where: 'event', lines: ['branches:', `  - '!${prefix}**'`] };
    // A push that has a filter of branches alone starts for no tag.
    const isOfTags = filters.some((filter) => filter !== 'paths' && filter !== 'paths-ignore');
    const tags = event === 'push' && !isOfTags ? ["tags: ['**']"] : [];
    return { where: 'event', lines: ['branches-ignore:', `  - '${prefix}**'`, ...tags] };
  }
  const branch = BRANCHES[event];
  if (branch === undefined) return null;
  return { where: isOfJob ? 'job' : 'jobs', lines: [`if: \${{ !startsWith(${branch}, '${prefix}') }}`] };
}
