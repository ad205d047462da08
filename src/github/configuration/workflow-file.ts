// The workflow that runs Causeway as an action: as `init` writes it, and what `check-config` finds wrong with one. Pure.
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { isRecord } from '../intake/index.ts';
import { MODES, type Mode } from './repository-config.ts';

export const WORKFLOW_FILE = '.github/workflows/causeway.yml';

export interface NewWorkflow {
  /** `owner/name@ref` of the published action. */
  readonly uses: string;
  readonly mode: Mode;
  /** "": none, so that answers are a search of the source. */
  readonly model: string;
  /** The secret that holds the model's key, and the variable that it goes into; "" where there is no model. */
  readonly key: string;
  /** Names of the workflows whose failures are looked at. */
  readonly watched: readonly string[];
}

/** What a job needs, as a workflow names it. Naming one sets all others to none. */
const PERMISSIONS: Readonly<Record<Mode, Readonly<Record<string, 'read' | 'write'>>>> = {
  observe: toLevels('read', 'read'),
  comment: toLevels('write', 'read'),
  fix: toLevels('write', 'write'),
};

function toLevels(talk: 'read' | 'write', push: 'read' | 'write'): Readonly<Record<string, 'read' | 'write'>> {
  return { contents: push, issues: talk, 'pull-requests': talk, checks: talk, actions: 'read', statuses: 'read' };
}

/** One job at a time for each issue or commit, also where it was started by hand; a report shares a group with nothing. */
const GROUP = `causeway-\${{ github.event.issue.number || github.event.workflow_run.head_sha || inputs.issue || inputs.run || github.run_id }}`;

export function renderWorkflow({ uses, mode, model, key, watched }: NewWorkflow): string {
  const runs =
    watched.length === 0 ? [] : [`  workflow_run: { types: [completed], workflows: ${JSON.stringify(watched)} }`];
  return [
    'name: Causeway',
    'on:',
    '  issues: { types: [labeled] }',
    '  issue_comment: { types: [created] }',
    ...runs,
    '  workflow_dispatch: # by hand, with one of these; with none: what the last 14 days would have been',
    '    inputs:',
    '      issue: { description: Number of an issue or pull request }',
    '      run: { description: Number or address of a failed workflow run }',
    '      report: { description: What went wrong }',
    'concurrency: # one job at a time for each issue or commit; none is cancelled in the middle',
    `  group: ${GROUP}`,
    '  cancel-in-progress: false',
    'permissions: {}',
    'jobs:',
    '  causeway:',
    '    if: >-',
    "      github.event_name == 'workflow_dispatch' || github.event.label.name == 'analyse' ||",
    "      github.event.workflow_run.conclusion == 'failure' || github.event.workflow_run.conclusion == 'timed_out' ||",
    "      (contains(github.event.comment.body, '/analy') && github.event.comment.user.type != 'Bot')",
    '    runs-on: ubuntu-24.04',
    '    timeout-minutes: 20',
    `    permissions: { ${Object.entries(PERMISSIONS[mode])
      .map(([name, level]) => `${name}: ${level}`)
      .join(', ')} }`,
    '    steps:',
    `      - uses: ${uses}`,
    `        with: { mode: ${mode}${model === '' ? '' : `, model: ${JSON.stringify(model)}`} }`,
    ...(key === '' ? [] : [`        env: { ${key}: "\${{ secrets.${key} }}" }`]),
    '',
  ].join('\n');
}

export interface WorkflowText {
  /** From the root of the repository. */
  readonly file: string;
  readonly text: string;
}

/** How GitHub calls a workflow: by its name, or else by its file. */
export function readWorkflowName({ file, text }: WorkflowText): string {
  const name = parseDocument(text).get('name');
  return typeof name === 'string' && name.trim() !== '' ? name.trim() : file;
}

/** Whether a step of it uses Causeway, whoever publishes that under whatever name. */
export function runsCauseway({ file, text }: WorkflowText): boolean {
  if (/^\s*(?:-\s+)?uses:\s*["']?[\w.-]{1,100}\/causeway(?:\/[\w./-]{1,200})?@/im.test(text)) return true;
  const document = parseDocument(text);
  return document.errors.length > 0 ? file === WORKFLOW_FILE : findOwnJob(file, document.get('jobs')) !== null;
}

/** Whether something starts it: one that other workflows only call has no runs of its own, and no end that could be watched. */
export function hasOwnRuns({ text }: WorkflowText): boolean {
  const on: unknown = parseDocument(text).get('on');
  const events = listEvents(isMap(on) || isSeq(on) ? on.toJSON() : on);
  return events.some((event) => event !== 'workflow_call');
}

/** Labels that its conditions name; empty: they name none. */
export function listStartingLabels({ text }: WorkflowText): readonly string[] {
  return [...text.matchAll(/github\.event\.label\.name == '([^'\n]{1,100})'/g)].map(([, label = '']) => label);
}

export interface WorkflowFault {
  readonly line: number;
  /** With the repair. */
  readonly message: string;
}

/** What keeps a workflow of Causeway from doing its work. `others`: names of the repository's other workflows. */
export function checkWorkflow(workflow: WorkflowText, others: readonly string[]): readonly WorkflowFault[] {
  const lines = new LineCounter();
  const document = parseDocument(workflow.text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const why = (broken.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
    return [{ line: lines.linePos(broken.pos[0]).line, message: `is no YAML: ${why}.` }];
  }
  const at = (path: readonly string[]): number => {
    for (let length = path.length; length > 0; length -= 1) {
      const node = document.getIn(path.slice(0, length), true) as Node | null | undefined;
      if (node?.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  };
  const job = findOwnJob(workflow.file, document.get('jobs'));
  if (job === null) return [{ line: at(['jobs']), message: 'has no job with a step that uses Causeway.' }];
  const read = (path: readonly string[]): unknown => {
    const node = document.getIn(path, true);
    return isMap(node) || isSeq(node) ? node.toJSON() : isScalar(node) ? node.value : node;
  };
  return [
    ...checkConcurrency(read, at, job),
    ...checkPermissions(read, at, job),
    ...checkEvents(read(['on']), at, { own: readWorkflowName(workflow), others }),
  ].toSorted((one, other) => one.line - other.line);
}

type Read = (path: readonly string[]) => unknown;
type LineOf = (path: readonly string[]) => number;

/** The job's name, and the mode that its step gives; null: there is none. */
interface CausewayJob {
  readonly name: string;
  readonly mode: Mode;
}

function findOwnJob(file: string, jobs: unknown): CausewayJob | null {
  for (const [name, job] of Object.entries(readJobs(jobs))) {
    const steps = isRecord(job) && Array.isArray(job['steps']) ? (job['steps'] as unknown[]) : [];
    const step = steps.find((one) => isOwnStep(file, one));
    if (step === undefined) continue;
    const mode = readInputs(step)['mode'];
    return { name, mode: mode === 'observe' || mode === 'comment' ? mode : 'fix' };
  }
  return null;
}

function readJobs(jobs: unknown): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = isMap(jobs) ? jobs.toJSON() : null;
    return isRecord(read) ? read : {};
  } catch {
    // Aliases that would grow beyond measure.
    return {};
  }
}

/** The inputs of action.yml. */
const INPUTS = ['token', 'model', 'mode'];

/** By the name of its repository; else by the mode that `init` gives, or by the file that `init` writes, with no input but ours. */
function isOwnStep(file: string, step: unknown): boolean {
  const uses = isRecord(step) ? String(step['uses'] ?? '') : '';
  if (/\/causeway(?:\/|@)/i.test(uses)) return true;
  if (!/^[\w.-]{1,100}\/[\w./-]{1,300}@/.test(uses) || uses.startsWith('actions/')) return false;
  const inputs = readInputs(step);
  const isFitting = Object.keys(inputs).every((name) => INPUTS.includes(name));
  return isFitting && (file === WORKFLOW_FILE || MODES.some((mode) => mode === inputs['mode']));
}

function readInputs(step: unknown): Readonly<Record<string, unknown>> {
  return isRecord(step) && isRecord(step['with']) ? step['with'] : {};
}

function checkConcurrency(read: Read, at: LineOf, { name }: CausewayJob): readonly WorkflowFault[] {
  const places = [['concurrency'], ['jobs', name, 'concurrency']];
  const place = places.find((path) => read(path) !== undefined && read(path) !== null);
  if (place === undefined) {
    const repair = `add "concurrency: { group: '${GROUP}', cancel-in-progress: false }"`;
    return [{ line: 1, message: `has no concurrency group, so two jobs may answer one issue at once: ${repair}.` }];
  }
  const value = read(place);
  const faults: WorkflowFault[] = [];
  const group = String(isRecord(value) ? value['group'] : value);
  // One that is the same for all events covers this too.
  if (listEvents(read(['on'])).includes('workflow_dispatch') && group.includes('${{') && !/\binputs\b/.test(group)) {
    const message = `has a concurrency group that leaves out what is started by hand, so two jobs may answer one issue at once: set group to "${GROUP}".`;
    faults.push({ line: at([...place, 'group']), message });
  }
  if (isRecord(value) && value['cancel-in-progress'] === true) {
    const line = at([...place, 'cancel-in-progress']);
    faults.push({ line, message: 'cancels a job in the middle of its work: set cancel-in-progress to false.' });
  }
  return faults;
}

function listEvents(on: unknown): readonly string[] {
  return isRecord(on) ? Object.keys(on) : Array.isArray(on) ? on.map(String) : [String(on)];
}

function checkPermissions(read: Read, at: LineOf, { name, mode }: CausewayJob): readonly WorkflowFault[] {
  const ofJob = ['jobs', name, 'permissions'];
  const own = read(ofJob);
  const path = own === undefined || own === null ? ['permissions'] : ofJob;
  const given = own === undefined || own === null ? read(['permissions']) : own;
  const wanted = Object.entries(PERMISSIONS[mode]);
  if (given === 'write-all' || (given === 'read-all' && mode === 'observe')) return [];
  if (!isRecord(given)) {
    const list = wanted.map(([key, level]) => `${key}: ${level}`).join(', ');
    return [{ line: at(path), message: `doesn't name its permissions: give the job "permissions: { ${list} }".` }];
  }
  const missing = wanted.filter(([key, level]) => given[key] !== 'write' && given[key] !== level);
  if (missing.length === 0) return [];
  const list = missing.map(([key, level]) => `${key}: ${level}`).join(', ');
  return [{ line: at(path), message: `lacks permissions that mode "${mode}" needs: add ${list}.` }];
}

const UNUSED = ['pull_request', 'pull_request_target', 'check_run', 'check_suite', 'push'];

function checkEvents(
  on: unknown,
  at: LineOf,
  { own, others }: { readonly own: string; readonly others: readonly string[] },
): readonly WorkflowFault[] {
  const unused = listEvents(on)
    .filter((event) => UNUSED.includes(event))
    .map((event) => ({
      line: at(['on', event]),
      message: `starts for ${event}, for which Causeway does nothing: remove it.`,
    }));
  const run = isRecord(on) ? on['workflow_run'] : null;
  const named = isRecord(run) && Array.isArray(run['workflows']) ? run['workflows'].map(String) : [];
  const line = at(['on', 'workflow_run', 'workflows']);
  const wrong = named.flatMap((name): WorkflowFault[] => {
    if (name === own) return [{ line, message: `watches itself (“${name}”): remove that name.` }];
    if (others.includes(name)) return [];
    const known =
      others.length === 0 ? 'there is no other workflow' : `there are ${others.map((each) => `“${each}”`).join(', ')}`;
    return [{ line, message: `watches “${name}”, and no workflow has that name (renamed?): ${known}.` }];
  });
  return [...unused, ...wrong];
}
