// What a run knows before it starts, where a branch and a draft of ours start it: the `github` context of GitHub's expressions. Pure.
import type { StartAct } from '../../core/proof/index.ts';
import { type KnownValue, UNKNOWN } from './condition.ts';

export interface StartPlace {
  readonly branch: string;
  readonly base: string;
  readonly defaultBranch: string;
  /** `owner/name`. */
  readonly repository: string;
  /** The login of our App: `name[bot]`. */
  readonly actor: string;
  /** What our draft is opened with. */
  readonly title: string;
  readonly body: string;
}

interface StartMoment {
  readonly act: StartAct;
  readonly event: string;
  /** Of `workflow_run`: what started the run that it follows, and the name of its workflow. */
  readonly followed?: { readonly event: string; readonly name: string };
}

type Values = Readonly<Record<string, KnownValue | string | number | boolean | null>>;

/** All others of its properties are null, as GitHub takes what isn't there. */
function closed(values: Values): KnownValue {
  return { kind: 'object', rest: 'absent', values: toKnownValues(values) };
}

/** All others of its properties are there, and not known here. */
function open(values: Values): KnownValue {
  return { kind: 'object', rest: 'unknown', values: toKnownValues(values) };
}

function toKnownValues(values: Values): Readonly<Record<string, KnownValue>> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? value : { kind: 'scalar', value },
    ]),
  );
}

export function describeContexts(place: StartPlace, moment: StartMoment): Readonly<Record<string, KnownValue>> {
  const { base, branch, repository, actor, defaultBranch } = place;
  const { act, event } = moment;
  const [owner = ''] = repository.split('/');
  const isOfBranch = event === 'push' || event === 'create';
  const isOurs = act !== 'follow' || event === 'workflow_run';
  // No condition names the number of a pull request that isn't there yet, but many what comes before it.
  const ref = event === 'pull_request' ? 'refs/pull/0/merge' : `refs/heads/${isOfBranch ? branch : defaultBranch}`;
  const github = open({
    event_name: event,
    repository,
    repository_owner: owner,
    actor: isOurs ? actor : UNKNOWN,
    triggering_actor: isOurs ? actor : UNKNOWN,
    ref,
    ref_name: ref.replace(/^refs\/(?:heads|pull)\//, ''),
    ref_type: 'branch',
    head_ref: event.startsWith('pull_request') ? branch : '',
    base_ref: event.startsWith('pull_request') ? base : '',
    event: describePayload(place, moment),
  });
  // Only a call and a start by hand have any.
  return { github, inputs: closed({}) };
}

function describePayload(place: StartPlace, { act, event, followed }: StartMoment): KnownValue {
  const { branch, defaultBranch, actor, repository } = place;
  const [owner = '', name = ''] = repository.split('/');
  const here = open({
    ...{ full_name: repository, name, default_branch: defaultBranch, fork: UNKNOWN },
    owner: open({ login: owner }),
  });
  const sender = open({ login: actor, type: 'Bot' });
  const shared = { repository: here, organization: UNKNOWN, enterprise: UNKNOWN, installation: UNKNOWN };
  const ref = `refs/heads/${branch}`;
  switch (event) {
    case 'push':
      return closed({
        ...{ ...shared, sender, ref, base_ref: null, created: true, deleted: false, forced: false },
        ...{ before: UNKNOWN, after: UNKNOWN, compare: UNKNOWN, commits: UNKNOWN, head_commit: UNKNOWN },
        pusher: open({ name: actor }),
      });
    case 'create':
    case 'delete':
      return closed({
        ...{ ...shared, sender, ref: branch, ref_type: 'branch', pusher_type: UNKNOWN },
        ...{ master_branch: defaultBranch, description: UNKNOWN },
      });
    case 'pull_request':
    case 'pull_request_target':
      return closed({
        ...{ ...shared, sender, number: UNKNOWN, pull_request: describePull(place, act) },
        action: act === 'close' ? 'closed' : act === 'lock' ? 'locked' : 'opened',
      });
    case 'workflow_run': {
      const run = { head_branch: branch, event: followed?.event ?? UNKNOWN, name: followed?.name ?? UNKNOWN };
      const from = { head_repository: here, repository: here, actor: sender, triggering_actor: sender };
      return closed({ ...shared, sender, action: UNKNOWN, workflow: UNKNOWN, workflow_run: open({ ...run, ...from }) });
    }
    case 'check_suite':
      return open({ check_suite: open({ head_branch: branch }) });
    case 'check_run':
      return open({ check_run: open({ check_suite: open({ head_branch: branch }) }) });
    default:
      return UNKNOWN;
  }
}

/** Nobody but us has touched it when it is opened; later anybody may have. */
function describePull({ branch, base, actor, repository, title, body }: StartPlace, act: StartAct): KnownValue {
  const [owner = ''] = repository.split('/');
  const user = open({ login: actor, type: 'Bot' });
  const repo = open({ full_name: repository, fork: UNKNOWN, owner: open({ login: owner }) });
  const empty: KnownValue = { kind: 'list', items: [] };
  return open({
    ...{ state: act === 'close' ? 'closed' : 'open', draft: act === 'open' ? true : UNKNOWN, merged: false, user },
    ...(act !== 'open' ? {} : { title, body, labels: empty, assignees: empty, requested_reviewers: empty }),
    head: open({ ref: branch, label: `${owner}:${branch}`, repo, user: UNKNOWN }),
    base: open({ ref: base, repo }),
  });
}
