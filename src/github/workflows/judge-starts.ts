// Which workflows a branch and a draft of ours would start, and whether these are only what the runs of a head already were. What isn't known is refused. Pure.
import type { FilterName, StartAct, StartRefusal } from '../../core/proof/index.ts';
import { evaluateText, judgeCondition, UNKNOWN } from './condition.ts';
import { type Certainty, choosesName, type FilterEffort, ignoresName, isAll, isAny, negate } from './filter-pattern.ts';
import { listPossibleJobs } from './possible-jobs.ts';
import {
  isShownAs,
  type JobRights,
  readWorkflow,
  type UnreadWorkflow,
  type Workflow,
  type WorkflowSource,
  type WorkflowTrigger,
  type WrittenJob,
} from './read-workflow.ts';
import { describeContexts, type StartPlace } from './start-contexts.ts';

export interface StartQuestion extends StartPlace {
  /** The files of `.github/workflows` at the commit that would be pushed, which its base has unchanged. */
  readonly pushed: readonly WorkflowSource[];
  /** At the tip of the draft's base, into which GitHub merges it to run its workflows. Absent: as pushed. */
  readonly ofBase?: readonly WorkflowSource[];
  /** At the tip of the default branch. */
  readonly ofDefault: readonly WorkflowSource[];
  /** At the head. */
  readonly ofHead: readonly WorkflowSource[];
  /** Paths of workflows that are switched off: no event starts them, but others may call them. */
  readonly disabled?: readonly string[];
  /** Paths of workflows of whatever repository that rulesets require of the draft. */
  readonly required?: readonly string[];
  /** What the commit changes. Null: too much to know. */
  readonly paths: readonly string[] | null;
  readonly message: string;
  /** All runs of the head. */
  readonly runs: readonly HeadRun[];
}

interface HeadRun {
  /** Of its workflow's file. */
  readonly path: string;
  readonly event: string;
  /** Whether somebody had to approve it, or one of its jobs. */
  readonly waited: boolean;
  /** By the names that GitHub shows; `ran`: it was not skipped. Null: not known. */
  readonly jobs: readonly { readonly name: string; readonly ran: boolean }[] | null;
}

/** A workflow that starts, or may. */
interface WorkflowStart {
  readonly act: StartAct;
  readonly event: string;
  readonly path: string;
  readonly line: number;
  readonly certainty: Exclude<Certainty, 'no'>;
  /** Those that may run; none: all of them are skipped, and nothing runs. */
  readonly jobs: readonly { readonly id: string; readonly rights: JobRights }[];
}

interface StartJudgement {
  readonly starts: readonly WorkflowStart[];
  /** None: everything that would start is what the head's runs were. */
  readonly refusals: readonly StartRefusal[];
}

export function judgeStarts(question: StartQuestion): StartJudgement {
  const { pushed: files, ofBase: merged = files } = question;
  const sets = [files, merged, question.ofDefault, question.ofHead].map((all) => all.map(readWorkflow));
  const [pushed = [], ofBase = [], ofDefault = [], ofHead = []] = sets.map((read) =>
    read.flatMap((one) => (one.kind === 'workflow' ? [one] : [])),
  );
  const inquiry: StartInquiry = { question, pushed, ofBase, ofDefault, ofHead, effort: { steps: 0 } };
  const found = [...listOwnStarts(inquiry), ...listForeignStarts(inquiry)];
  const all = [...found, ...listFollowers(inquiry, found)];
  const unread = sets
    .slice(0, 3)
    .flat()
    .flatMap((one): readonly StartRefusal[] =>
      one.kind === 'unread' && !isDisabled(question, one) ? [toRefusal(one)] : [],
    );
  const refusals = [...unread, ...all.flatMap((start) => refuseStart(inquiry, start)), ...refuseRequired(question)];
  return { starts: dropRepeated(all.map(toStart)), refusals: dropRepeated(refusals) };
}

function isDisabled({ disabled = [] }: StartQuestion, { path }: Pick<Workflow, 'path'>): boolean {
  return disabled.includes(path);
}

/** What rulesets require lies elsewhere, and runs as `pull_request` with the rights that the head's run of it had. */
function refuseRequired({ required = [], runs }: StartQuestion): readonly StartRefusal[] {
  return required.flatMap((path): readonly StartRefusal[] => {
    const place = { path, line: 1, act: 'open', event: 'pull_request', filters: [] } as const;
    const shown = runs.filter((run) => run.event === 'pull_request' && `/${run.path}`.endsWith(`/${path}`));
    if (shown.length === 0) return [{ ...place, code: 'required' }];
    return shown.some(({ waited }) => waited) ? [{ ...place, code: 'approval' }] : [];
  });
}

interface StartInquiry {
  readonly question: StartQuestion;
  readonly pushed: readonly Workflow[];
  readonly ofBase: readonly Workflow[];
  readonly ofDefault: readonly Workflow[];
  readonly ofHead: readonly Workflow[];
  readonly effort: FilterEffort;
}

interface FoundStart {
  readonly act: StartAct;
  readonly workflow: Workflow;
  readonly trigger: WorkflowTrigger;
  readonly certainty: Exclude<Certainty, 'no'>;
  readonly jobs: readonly WrittenJob[];
  /** Of `workflow_run`: what it follows. */
  readonly after: Workflow | null;
}

/** Events that something else than a push or pull request of ours causes: a person, a release, the clock, another program's call. */
const UNTOUCHED = new Set([
  ...['branch_protection_rule', 'discussion', 'discussion_comment', 'fork', 'gollum', 'image_version', 'issues'],
  ...['issue_comment', 'label', 'merge_group', 'milestone', 'page_build', 'project', 'project_card', 'project_column'],
  ...['public', 'pull_request_comment', 'pull_request_review', 'pull_request_review_comment', 'registry_package'],
  ...['release', 'repository_dispatch', 'schedule', 'watch', 'workflow_call', 'workflow_dispatch'],
]);

/** Other Apps cause them as soon as there is a branch, and with them a check, a status or a deployment of it. */
const CAUSED_BY_OTHERS: Readonly<Record<string, readonly string[] | null>> = {
  check_run: ['created', 'completed'],
  check_suite: ['completed'],
  status: null,
  deployment: null,
  deployment_status: null,
};

function listOwnStarts(inquiry: StartInquiry): readonly FoundStart[] {
  const { pushed, ofBase, ofDefault } = inquiry;
  const isAsked = negate(isSkipping(inquiry.question.message));
  // Before the end of 2025, and on older servers, `pull_request_target` takes the base's file.
  const eitherTarget = [...ofDefault, ...ofBase];
  return [
    ...find(inquiry, pushed, { act: 'push', event: 'push', isAsked }),
    ...find(inquiry, pushed, { act: 'push', event: 'create' }),
    ...find(inquiry, ofBase, { act: 'open', event: 'pull_request', type: 'opened', isAsked }),
    ...find(inquiry, eitherTarget, { act: 'open', event: 'pull_request_target', type: 'opened' }),
    ...find(inquiry, ofBase, { act: 'lock', event: 'pull_request', type: 'locked' }),
    ...find(inquiry, eitherTarget, { act: 'lock', event: 'pull_request_target', type: 'locked' }),
    ...find(inquiry, ofBase, { act: 'close', event: 'pull_request', type: 'closed' }),
    ...find(inquiry, eitherTarget, { act: 'close', event: 'pull_request_target', type: 'closed' }),
    ...find(inquiry, ofDefault, { act: 'delete', event: 'delete' }),
  ];
}

function listForeignStarts(inquiry: StartInquiry): readonly FoundStart[] {
  const { pushed, ofBase, ofDefault } = inquiry;
  const ours = [...pushed, ...ofBase];
  const caused = Object.entries(CAUSED_BY_OTHERS).flatMap(([event, types]) => {
    // A deployment is of our commit or its merge, and so is its workflow.
    const workflows = event.startsWith('deployment') ? ours : ofDefault;
    return (types ?? [null]).flatMap((type) =>
      find(inquiry, workflows, { act: 'follow', event, ...(type === null ? {} : { type }) }),
    );
  });
  const known = ['push', 'create', 'delete', 'pull_request', 'pull_request_target', 'workflow_run'];
  const unknown = [...ours, ...ofDefault].flatMap(({ events }) =>
    events.map(({ event }) => event).filter((event) => !known.includes(event) && !UNTOUCHED.has(event)),
  );
  const others = [...new Set(unknown)].filter((event) => !Object.hasOwn(CAUSED_BY_OTHERS, event));
  return [
    ...caused.map((start) => ({ ...start, certainty: 'perhaps' as const })),
    ...others.flatMap((event) => find(inquiry, [...ours, ...ofDefault], { act: 'follow', event })),
  ];
}

interface Occasion {
  readonly act: StartAct;
  readonly event: string;
  readonly type?: string;
  /** `no`: the commit asks for none. */
  readonly isAsked?: Certainty;
}

function find(
  inquiry: StartInquiry,
  workflows: readonly Workflow[],
  { act, event, type, isAsked = 'yes' }: Occasion,
): readonly FoundStart[] {
  const enabled = workflows.filter((workflow) => !isDisabled(inquiry.question, workflow));
  return enabled.flatMap((workflow) =>
    workflow.events
      .filter((trigger) => trigger.event === event)
      .flatMap((trigger) => {
        const certainty = isAll([isAsked, isOfType(trigger, type), passesFilters(inquiry, trigger)]);
        if (certainty === 'no') return [];
        const jobs = listPossibleJobs(workflow.jobs, describeContexts(inquiry.question, { act, event }));
        return [{ act, workflow, trigger, certainty, jobs, after: null }];
      }),
  );
}

const DEFAULT_TYPES: Readonly<Record<string, readonly string[]>> = {
  pull_request: ['opened', 'synchronize', 'reopened'],
  pull_request_target: ['opened', 'synchronize', 'reopened'],
};

function isOfType({ event, types = DEFAULT_TYPES[event] }: WorkflowTrigger, type: string | undefined): Certainty {
  if (type === undefined || types === undefined) return 'yes';
  if (types === null) return 'perhaps';
  return types.some((one) => one.toLowerCase() === type) ? 'yes' : 'no';
}

/** Of a push the branch is ours, of a pull request its base; of a followed run the branch it ran on. */
const FILTERED: Readonly<Record<string, 'branch' | 'base'>> = {
  push: 'branch',
  pull_request: 'base',
  pull_request_target: 'base',
  workflow_run: 'branch',
};

function passesFilters({ question, effort }: StartInquiry, { event, filters }: WorkflowTrigger): Certainty {
  const filtered = FILTERED[event];
  if (filtered === undefined) return 'yes';
  const isOfTagsAlone =
    event === 'push' &&
    ('tags' in filters || 'tags-ignore' in filters) &&
    !('branches' in filters || 'branches-ignore' in filters);
  if (isOfTagsAlone) return 'no';
  const name = question[filtered];
  const branch = passes(filters, ['branches', 'branches-ignore'], {
    chosen: (patterns) => choosesName(patterns, name, effort),
    ignored: (patterns) => ignoresName(patterns, name, effort),
  });
  if (event === 'workflow_run') return branch;
  const { paths } = question;
  const path = passes(filters, ['paths', 'paths-ignore'], {
    chosen: (patterns) => (paths === null ? 'perhaps' : isAny(paths.map((one) => choosesName(patterns, one, effort)))),
    // One path that isn't ignored is enough.
    ignored: (patterns) => (paths === null ? 'perhaps' : isAll(paths.map((one) => ignoresName(patterns, one, effort)))),
  });
  return isAll([branch, path]);
}

interface FilterChoices {
  readonly chosen: (patterns: readonly string[]) => Certainty;
  readonly ignored: (patterns: readonly string[]) => Certainty;
}

function passes(
  filters: WorkflowTrigger['filters'],
  [choosing, ignoring]: readonly [FilterName, FilterName],
  { chosen, ignored }: FilterChoices,
): Certainty {
  const [patterns, ignoredPatterns] = [filters[choosing], filters[ignoring]];
  if (patterns === undefined && ignoredPatterns === undefined) return 'yes';
  // GitHub refuses both at once.
  if (patterns !== undefined && ignoredPatterns !== undefined) return 'perhaps';
  if (patterns === null || ignoredPatterns === null) return 'perhaps';
  return patterns === undefined ? negate(ignored(ignoredPatterns ?? [])) : chosen(patterns);
}

/** `[skip ci]` and its like, or the trailer. GitHub does not say whether their case counts. */
function isSkipping(message: string): Certainty {
  if (SKIP_MARK.test(message)) return message.includes('skip-checks') ? 'perhaps' : 'yes';
  return SKIP_MARK.test(message.toLowerCase()) ? 'perhaps' : 'no';
}

const SKIP_MARK = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks:[ \t]{0,20}true[ \t]{0,20}$/m;

/** GitHub follows a run with a run three times. */
const MAX_CHAIN = 3;

function listFollowers(inquiry: StartInquiry, first: readonly FoundStart[]): readonly FoundStart[] {
  const found: FoundStart[] = [];
  let last = first;
  for (let level = 0; level < MAX_CHAIN && last.length > 0; level += 1) {
    last = last.flatMap((start) => listFollowersOf(inquiry, start));
    last = last.filter((one, at) => !isKnownFollower(one, [...found, ...last.slice(0, at)]));
    found.push(...last);
  }
  return found;
}

/** Each counts once, unless nothing of it would run the first time. */
function isKnownFollower({ workflow, jobs }: FoundStart, known: readonly FoundStart[]): boolean {
  return known.some((one) => one.workflow === workflow && (one.jobs.length > 0 || jobs.length === 0));
}

function listFollowersOf(
  inquiry: StartInquiry,
  { workflow: after, trigger: cause }: FoundStart,
): readonly FoundStart[] {
  const enabled = inquiry.ofDefault.filter((workflow) => !isDisabled(inquiry.question, workflow));
  return enabled.flatMap((workflow) =>
    workflow.events
      .filter(({ event }) => event === 'workflow_run')
      .flatMap((trigger) => {
        const isNamed = namesWorkflow(trigger, after, inquiry.effort);
        const certainty = isAll([isNamed, passesFilters(inquiry, trigger)]);
        if (certainty === 'no') return [];
        const followed = { event: cause.event, name: after.name };
        const contexts = describeContexts(inquiry.question, { act: 'follow', event: 'workflow_run', followed });
        return [
          {
            act: 'follow' as const,
            workflow,
            trigger,
            certainty,
            jobs: listPossibleJobs(workflow.jobs, contexts),
            after,
          },
        ];
      }),
  );
}

/** By name. GitHub does not say whether names may be patterns; none given is all. */
function namesWorkflow({ workflows }: WorkflowTrigger, { name, path }: Workflow, effort: FilterEffort): Certainty {
  if (workflows === undefined || workflows === null || name.includes('${{')) return 'perhaps';
  if (workflows.includes(name) || workflows.includes(path)) return 'yes';
  const isLike = workflows.some((one) => /[*?+[!\\]/.test(one) && choosesName([one], name, effort) !== 'no');
  return isLike ? 'perhaps' : 'no';
}

function refuseStart(inquiry: StartInquiry, start: FoundStart): readonly StartRefusal[] {
  const { act, workflow, trigger, jobs, after } = start;
  // Nothing of it runs.
  if (jobs.length === 0) return [];
  const { event, line, filters } = trigger;
  const place = { path: workflow.path, line, act, event, filters: Object.keys(filters) as readonly FilterName[] };
  if (after !== null) return [{ ...place, code: 'follows', after: after.path }];
  if (event === 'pull_request_target') return [{ ...place, code: 'target' }];
  if (act === 'follow') {
    return [{ ...place, code: Object.hasOwn(CAUSED_BY_OTHERS, event) ? 'other_event' : 'unknown_event' }];
  }
  const runs = inquiry.question.runs.filter((run) => run.path === workflow.path && run.event === event);
  if (runs.length === 0 || (event !== 'push' && event !== 'pull_request')) return [{ ...place, code: 'besides' }];
  if (runs.some(({ waited }) => waited)) return [{ ...place, code: 'approval' }];
  return jobs.flatMap((job): readonly StartRefusal[] => {
    const code = findJobBesides(inquiry, { start, job, runs });
    return code === null ? [] : [{ ...place, line: job.line, code, job: job.id }];
  });
}

interface JobOfRuns {
  readonly start: FoundStart;
  readonly job: WrittenJob;
  readonly runs: readonly HeadRun[];
}

function findJobBesides(
  { pushed, ofBase, ofHead, question }: StartInquiry,
  { start, job, runs }: JobOfRuns,
): 'job_besides' | 'more_rights' | null {
  const contexts = describeContexts(question, { act: start.act, event: start.trigger.event });
  const parts = listParts(job, { workflows: start.act === 'push' ? pushed : ofBase, contexts });
  if (parts === null) return 'more_rights';
  const atHead = ofHead.find(({ path }) => path === start.workflow.path)?.jobs ?? [];
  const had = atHead.flatMap((one) => listParts(one, { workflows: ofHead, contexts: {} }) ?? []);
  const ran = had.filter((part) => runs.some(({ jobs }) => isShownToRun(part, jobs ?? [])));
  const used = ran.flatMap(({ rights }) => rights);
  for (const { id, rights, conditions } of parts) {
    const before = had.find((part) => part.id === id)?.rights ?? [];
    if (rights.some((right) => !before.includes(right))) return 'more_rights';
    if (rights.length === 0 || ran.some((part) => part.id === id)) continue;
    // It may let our branch in where it kept the head's out.
    if (rights.some((right) => right.startsWith(ENVIRONMENT))) return 'job_besides';
    const names = conditions.flatMap((condition) => judgeCondition(condition, contexts).names);
    if (names.every((name) => SAME.test(name))) continue;
    // A job for somebody in particular is one that no writer's run had, whatever else that did.
    const isOfSomebody = names.some((name) => OF_SOMEBODY.test(name));
    const isUsed = rights.every((right) => right === GIVEN_TOKEN || used.includes(right));
    if (isOfSomebody || !isUsed) return 'job_besides';
  }
  return null;
}

/** A name with an expression may be that of another job as well: one of these that did not run leaves it open. */
function isShownToRun(part: Pick<JobPart, 'name'>, jobs: NonNullable<HeadRun['jobs']>): boolean {
  const shown = jobs.filter(({ name }) => isShownAs(part, name));
  return shown.length > 0 && shown.every(({ ran }) => ran);
}

/** What is the same for the head's runs, or for every commit whose tests fail. */
const SAME =
  /^(?:github\.(?:event_name|repository\w*|base_ref|server_url|api_url|event\.repository(?:\.\w+)*)|vars(?:\.\w+)*|needs(?:\.[\w-]+)?\.result)$/;

/** Who acts, or all of a context that says so. */
const OF_SOMEBODY =
  /^(?:\?|github|github\.(?:(?=\w*actor)\w+|event|event\.(?:sender|pusher|head_commit|commits|pull_request)(?:$|\.(?:user|author|committer|login|type|name|email|assignee|requested)).*))$/;

/** What runs for a job: itself, or a job of what it calls. */
interface JobPart {
  readonly id: string;
  readonly name: string;
  readonly conditions: readonly string[];
  /** What it may do beyond reading. */
  readonly rights: readonly string[];
}

interface Callable {
  readonly workflows: readonly Workflow[];
  readonly contexts: Parameters<typeof judgeCondition>[1];
}

/** A called workflow may call others, ten deep. */
const MAX_CALLS = 10;
/** Calls may multiply; more jobs than GitHub runs for one are not looked at. */
const MAX_PARTS = 1_000;

/** Null: what it calls isn't there, or is too much. */
function listParts(job: WrittenJob, callable: Callable, depth = 0): readonly JobPart[] | null {
  const { id, name, calls } = job;
  const conditions = job.condition === null ? [] : [job.condition];
  const own = listRights(job, callable.contexts);
  if (calls === null) return [{ id, name, conditions, rights: own }];
  if (calls.kind === 'foreign') return [{ id, name, conditions, rights: [...own, `call ${calls.uses}`] }];
  const called = callable.workflows.find(({ path }) => path === calls.uses.replace(/^\.\//, ''));
  if (called === undefined || depth >= MAX_CALLS) return null;
  const parts: JobPart[] = [];
  const inside = { ...callable, contexts: { ...callable.contexts, inputs: UNKNOWN } };
  for (const below of listPossibleJobs(called.jobs, inside.contexts)) {
    const found = listParts(below, inside, depth + 1);
    if (found === null || parts.length + found.length > MAX_PARTS) return null;
    for (const part of found) {
      // It has the secrets that it is handed, by whatever names.
      const rights = part.rights.filter((right) => !right.startsWith(SECRET) || job.rights.secrets.length > 0);
      parts.push({
        id: `${id} / ${part.id}`,
        name: `${name} / ${part.name}`,
        conditions: [...conditions, ...part.conditions],
        rights: [...new Set([...own, ...rights])],
      });
    }
  }
  return parts;
}

const SECRET = 'secret ';
const ENVIRONMENT = 'environment ';
/** Nothing is said of its token, so the repository decides, which does not tell us. */
const GIVEN_TOKEN = 'token';

function listRights(
  { rights: { token, secrets, environment, machine } }: WrittenJob,
  contexts: Callable['contexts'],
): readonly string[] {
  const named = environment?.includes('${{') ? evaluateText(environment, contexts) : UNKNOWN;
  // Where it is for us alone, its name is not that which the head's file has.
  const place = named.kind === 'scalar' ? String(named.value) : environment;
  return [
    ...(token === null ? [GIVEN_TOKEN] : []),
    ...Object.entries(token ?? {}).flatMap(([scope, level]) => (level === 'write' ? [`write ${scope}`] : [])),
    ...secrets.map((name) => `${SECRET}${name}`),
    ...(place === null || (named.kind === 'scalar' && place === '') ? [] : [`${ENVIRONMENT}${place}`]),
    ...(machine === 'own' ? ['machine'] : []),
  ];
}

function toRefusal({ path, line, why }: UnreadWorkflow): StartRefusal {
  return { code: 'unread', path, line, why };
}

function toStart({ act, workflow, trigger, certainty, jobs }: FoundStart): WorkflowStart {
  const { event, line } = trigger;
  return { act, event, path: workflow.path, line, certainty, jobs: jobs.map(({ id, rights }) => ({ id, rights })) };
}

/** The default branch and the base are often one commit, or have the same file. */
function dropRepeated<T>(all: readonly T[]): readonly T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
