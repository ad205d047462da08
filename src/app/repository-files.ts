// `init` and `check-config`: the files with which a repository has Causeway run as an action.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toPrintableLine } from 'causeway-safe-markdown';
import manifest from '../../package.json' with { type: 'json' };
import { askForAction, guessKey } from '../cli/ask.ts';
import type { CheckConfigCommand, InitCommand } from '../cli/command-line.ts';
import type { ExitCode, Io } from '../cli/terminal.ts';
import { CausewayError } from '../core/errors.ts';
import {
  CONFIG_FILE,
  checkWorkflow,
  hasOwnRuns,
  includesLabel,
  listStartingLabels,
  parseRepositoryConfig,
  readWorkflowName,
  renderWorkflow,
  runsCauseway,
  WORKFLOW_FILE,
  type WorkflowFault,
  type WorkflowText,
} from '../github/configuration/index.ts';
import { findRepositoryAround } from './local.ts';

const WORKFLOWS = '.github/workflows';

/** Writes what is missing of the workflow and the configuration; a file that is there stays as it is. */
export async function runInit(given: InitCommand, io: Io, signal: AbortSignal): Promise<ExitCode> {
  const { uses } = given;
  const root = findRoot(io.cwd);
  const address = uses ?? findPublished();
  const isAsked = given.isAsked && io.stdinIsTerminal && !existsSync(path.join(root, WORKFLOW_FILE));
  const { mode, model, key } = isAsked
    ? await askForAction(io, given, signal)
    : { ...given, key: given.key ?? guessKey(given.model) };
  const watched = readWorkflows(root)
    .filter((workflow) => !runsCauseway(workflow) && hasOwnRuns(workflow))
    .map(readWorkflowName);
  const workflow = renderWorkflow({
    uses: address,
    mode,
    model,
    key: model === '' ? '' : key,
    watched,
  });
  const config = [
    '# What Causeway may do here: docs/configuration.md lists all keys.',
    'labels: [analyse]',
    `mode: ${mode}`,
    '',
  ].join('\n');
  const write = (file: string, text: string): boolean => {
    const isNew = writeNew(root, file, text);
    io.out(`${isNew ? 'Wrote' : 'Kept  '} ${file}\n`);
    return isNew;
  };
  const isNew = write(WORKFLOW_FILE, workflow);
  write(CONFIG_FILE, config);
  if (!isNew) {
    // What was asked for is not what the file says.
    io.out(`
The workflow stays as it is: no option of this command changes it. "causeway check-config" finds what is wrong
with it; to have it written anew, remove it first.
`);
    return 0;
  }
  const names = watched.map((name) => `“${toPrintableLine(name)}”`).join(', ');
  io.out(
    [
      '',
      watched.length === 0
        ? 'There is no other workflow yet whose failures it could look at.'
        : `It looks at failures of ${names}.`,
      `Mode: ${mode}. Model: ${model === '' ? 'none (search only); --model NAME sets one' : toPrintableLine(model)}.`,
      '',
      'Next:',
      ...(model === '' ? [] : [`  gh secret set ${key}      # or on GitHub: Settings, Secrets and variables, Actions`]),
      `  git add .github && git commit -m "Add Causeway" && git push`,
      ...(mode === 'fix'
        ? [
            '  For pull requests: Settings, Actions, General: “Allow GitHub Actions to create and approve pull requests”.',
          ]
        : []),
      '  Once that is on the default branch, comment "/analyse" on an issue, or label it "analyse" (gh label create analyse).',
      '',
    ].join('\n'),
  );
  return 0;
}

function writeNew(root: string, file: string, text: string): boolean {
  const place = path.join(root, file);
  if (existsSync(place)) return false;
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text, { flag: 'wx' });
  return true;
}

/** The action of who publishes this copy, in its moving major tag. */
function findPublished(): string {
  const { repository } = manifest.published as { readonly repository: string };
  const name = repository === '' ? '' : new URL(repository).pathname.replace(/^\/|\.git$|\/$/g, '');
  if (name !== '') return `${name}@v${manifest.version.split('.')[0]}`;
  throw new CausewayError(
    'usage',
    'Nobody publishes this copy, so it has no address that a workflow could use. Name where its action is: "causeway init --uses OWNER/NAME@TAG" (docs/releasing.md says how one is published).',
  );
}

/** Names line and repair of each fault. 0: there is none. */
export function runCheckConfig({ file }: CheckConfigCommand, io: Io): ExitCode {
  const root = findRoot(io.cwd);
  const asked = file === null ? null : path.relative(root, path.resolve(io.cwd, file));
  const checked = [...checkWorkflows(root), ...checkConfiguration(root, asked)].filter(
    (one) => asked === null || one.file === asked,
  );
  if (checked.length === 0) throw new CausewayError('usage', toPrintableLine(describeNothing(root, asked)));
  const faults = checked.flatMap((one) => one.faults.map(({ line, message }) => `${one.file}:${line}: ${message}`));
  for (const fault of faults) io.out(`${toPrintableLine(fault)}\n`);
  if (faults.length > 0) return 1;
  io.out(`No fault in ${checked.map((one) => toPrintableLine(one.file)).join(' and ')}.\n`);
  return 0;
}

function describeNothing(root: string, asked: string | null): string {
  if (asked === null)
    return `There is no ${CONFIG_FILE} and no workflow that uses Causeway: "causeway init" writes both.`;
  return existsSync(path.join(root, asked))
    ? `${asked} is no file for Causeway: neither ${CONFIG_FILE} nor a workflow that uses it.`
    : `There is no ${asked}.`;
}

interface Checked {
  readonly file: string;
  readonly faults: readonly WorkflowFault[];
}

function checkWorkflows(root: string): readonly Checked[] {
  const workflows = readWorkflows(root);
  const others = workflows.filter((workflow) => !runsCauseway(workflow)).map(readWorkflowName);
  return workflows
    .filter(runsCauseway)
    .map((workflow) => ({ file: workflow.file, faults: checkWorkflow(workflow, others) }));
}

/** The usual file, or one that was named and is no workflow of Causeway. */
function checkConfiguration(root: string, asked: string | null): readonly Checked[] {
  const file = asked === null || asked.startsWith(`${WORKFLOWS}/`) ? CONFIG_FILE : asked;
  if (!existsSync(path.join(root, file))) return [];
  const text = readFileSync(path.join(root, file), 'utf8');
  const { problem, config } = parseRepositoryConfig(text, file);
  if (problem !== null) return [{ file, faults: [{ line: Math.max(1, problem.line), message: problem.message }] }];
  return [{ file, faults: checkLabels(root, { file, text }, config.labels) }];
}

/** The workflow decides first: for a label that its condition does not name, no job starts. */
function checkLabels(root: string, { text }: WorkflowText, labels: readonly string[]): readonly WorkflowFault[] {
  const starting = readWorkflows(root).filter(runsCauseway).flatMap(listStartingLabels);
  const at = text.split('\n').findIndex((line) => /^labels\s*:/.test(line));
  if (starting.length === 0 || at < 0) return [];
  return labels
    .filter((label) => !includesLabel(starting, label))
    .map((label) => ({
      line: at + 1,
      message: `has the label “${label}”, for which no job starts: name it in the "if" of ${WORKFLOW_FILE} as well.`,
    }));
}

function findRoot(folder: string): string {
  const root = findRepositoryAround(folder);
  if (root !== null) return root;
  throw new CausewayError('usage', 'This is no git repository: run it in the one that Causeway is to look after.');
}

function readWorkflows(root: string): readonly WorkflowText[] {
  const folder = path.join(root, WORKFLOWS);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .toSorted()
    .map((name) => ({ file: `${WORKFLOWS}/${name}`, text: readFileSync(path.join(folder, name), 'utf8') }));
}
