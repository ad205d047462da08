// What a workflow file of ours may be: the rules, each with the words of its breach.
import { parse } from 'yaml';

type Mapping = Readonly<Record<string, unknown>>;

/** Started by us, or by a outsider without our secrets. All others run a outsider's wish with our token. */
const TRIGGERS = ['push', 'pull_request', 'merge_group', 'schedule', 'workflow_dispatch'];
const PINNED = /^[\w.-]+\/[\w.-]+(?:\/[\w./-]+)?@[0-9a-f]{40}$/;

/** What a workflow that only the push of a tag starts may do beyond reading, by job. */
export interface Allowance {
  /** Patterns of tags, exactly as the workflow has them. */
  readonly tags: readonly string[];
  readonly jobs: Readonly<Record<string, Mapping>>;
}

/** One line for each breach; none: the file keeps the rules. `text` is a workflow, or a composite action. */
export function breaches(text: string, allowance: Allowance | null = null): readonly string[] {
  const workflow = mapping(parse(text, { merge: false }));
  const jobs = Object.entries(mapping(workflow['jobs']));
  const steps = [
    ...jobs.flatMap(([, job]) => list(mapping(job)['steps'])),
    ...list(mapping(workflow['runs'])['steps']),
  ];
  return [
    ...triggersOf(workflow['on'])
      .filter((name) => !TRIGGERS.includes(name))
      .map((name) => `trigger ${name} gives a stranger our token`),
    ...permissionBreaches('the workflow', workflow['permissions'], true),
    ...(allowance === null ? [] : tagBreaches(workflow['on'], allowance.tags)),
    ...jobs.flatMap(([name, job]) => jobBreaches(name, mapping(job), allowance?.jobs[name] ?? null)),
    ...steps.flatMap((step) => stepBreaches(mapping(step), text)),
    ...(/\$\{\{[^}]*\bsecrets\b|secrets:\s*inherit/.test(text) ? ['a secret is used: our checks need none'] : []),
    ...(/ACTIONS_ALLOW_UNSECURE_COMMANDS/.test(text)
      ? ['old commands are allowed, by which output sets variables']
      : []),
  ];
}

/** What may write is started by a tag alone: only somebody with write pushes one. */
function tagBreaches(on: unknown, tags: readonly string[]): readonly string[] {
  const started = JSON.stringify(on);
  return started === JSON.stringify({ push: { tags } }) ? [] : [`it may write, and is started by ${started}`];
}

/** `allowed`: exactly the permissions that the job has; null: only to read the contents. */
function jobBreaches(name: string, job: Mapping, allowed: Mapping | null): readonly string[] {
  const { uses, permissions, container } = job;
  const runner = JSON.stringify(job['runs-on'] ?? '');
  const image = typeof container === 'string' ? container : mapping(container)['image'];
  const images = [image, ...Object.values(mapping(job['services'])).map((service) => mapping(service)['image'])];
  return [
    ...(allowed === null
      ? permissionBreaches(`job ${name}`, permissions, false)
      : exactBreaches(`job ${name}`, mapping(permissions), allowed)),
    ...(typeof uses === 'string' && !PINNED.test(uses) ? [`${uses} is not pinned by a commit`] : []),
    ...(uses === undefined && !/^"(?:ubuntu|macos|windows)-\d/.test(runner) ? [`job ${name} runs on ${runner}`] : []),
    ...(uses === undefined && job['timeout-minutes'] === undefined ? [`job ${name} may run for six hours`] : []),
    ...images
      .filter((each) => each !== undefined && !/@sha256:[0-9a-f]{64}$/.test(String(each)))
      .map((each) => `image ${each} is not pinned by a digest`),
  ];
}

function stepBreaches(step: Mapping, text: string): readonly string[] {
  const { uses } = step;
  const inputs = mapping(step['with']);
  const ran = [step['run'], step['shell'], step['working-directory'], inputs['script']].filter(
    (each) => typeof each === 'string' && each.includes('${{'),
  );
  const breach = ran.map(() => 'an expression stands in what is run: hand it over in env');
  if (typeof uses !== 'string') return breach;
  const says = text.split('\n').find((line) => line.includes(uses)) ?? '';
  return [
    ...breach,
    ...(PINNED.test(uses) ? [] : [`${uses} is not pinned by a commit`]),
    ...(/# v\d+(?:\.\d+)*$/.test(says.trimEnd()) ? [] : [`${uses} does not say its version`]),
    ...(uses.startsWith('actions/checkout@') && inputs['persist-credentials'] !== false
      ? ['checkout leaves the token in .git/config']
      : []),
  ];
}

/** The least: to read the contents. Absent at the top means whatever the organisation's default is. */
function permissionBreaches(where: string, permissions: unknown, isNeeded: boolean): readonly string[] {
  if (permissions === undefined) return isNeeded ? [`${where} names no permissions`] : [];
  if (typeof permissions === 'string') return [`${where} has permissions ${permissions}`];
  return Object.entries(mapping(permissions))
    .filter(([name, level]) => level !== 'none' && !(name === 'contents' && level === 'read'))
    .map(([name, level]) => `${where} has ${name}: ${level}`);
}

function exactBreaches(where: string, permissions: Mapping, allowed: Mapping): readonly string[] {
  const names = [...new Set([...Object.keys(permissions), ...Object.keys(allowed)])];
  return names
    .filter((name) => permissions[name] !== allowed[name])
    .map((name) => `${where} has ${name}: ${permissions[name]}, and is allowed ${allowed[name]}`);
}

function triggersOf(on: unknown): readonly string[] {
  if (typeof on === 'string') return [on];
  return Array.isArray(on) ? on.map(String) : Object.keys(mapping(on));
}

function mapping(value: unknown): Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Mapping) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
