// `init` and `check-config`: the files with which a repository has Causeway run as an action.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import type { CheckConfigCommand, InitCommand } from '../cli/command-line.ts';
import { type ExitCode, type Io, toPrintableLine } from '../cli/terminal.ts';
import { CausewayError } from '../core/errors.ts';
import { parseRepositoryConfig } from '../github/configuration/parse-repository-config.ts';
import { CONFIG_FILE } from '../github/configuration/read-configuration.ts';
import {
  checkWorkflow,
  readWorkflowName,
  renderWorkflow,
  runsCauseway,
  WORKFLOW_FILE,
  type WorkflowFault,
  type WorkflowText,
} from '../github/configuration/workflow-file.ts';
import { findRepositoryAround } from './local.ts';

const WORKFLOWS = '.github/workflows';

/** Writes what is missing of the workflow and the configuration; a file that is there stays as it is. */
export function runInit({ mode, model, key, uses }: InitCommand, io: Io): ExitCode {
  const root = findRoot(io.cwd);
  const watched = readWorkflows(root)
    .filter((workflow) => !runsCauseway(workflow))
    .map(readWorkflowName);
  const workflow = renderWorkflow({
    uses: uses ?? findPublished(),
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
  const made = [
    [WORKFLOW_FILE, workflow],
    [CONFIG_FILE, config],
  ] as const;
  for (const [file, text] of made) io.out(`${writeNew(root, file, text) ? 'Wrote' : 'Kept  '} ${file}\n`);
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
      '  Then label an issue "analyse".',
      ...(mode === 'fix'
        ? [
            '  For pull requests: Settings, Actions, General: “Allow GitHub Actions to create and approve pull requests”.',
          ]
        : []),
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
  if (checked.length === 0) {
    const what =
      asked === null ? `There is no ${CONFIG_FILE} and no workflow that uses Causeway` : `There is no ${asked}`;
    throw new CausewayError('usage', `${toPrintableLine(what)}: "causeway init" writes both.`);
  }
  const faults = checked.flatMap((one) => one.faults.map(({ line, message }) => `${one.file}:${line}: ${message}`));
  for (const fault of faults) io.out(`${toPrintableLine(fault)}\n`);
  if (faults.length > 0) return 1;
  io.out(`No fault in ${checked.map((one) => toPrintableLine(one.file)).join(' and ')}.\n`);
  return 0;
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
  const { problem } = parseRepositoryConfig(readFileSync(path.join(root, file), 'utf8'), file);
  return [{ file, faults: problem === null ? [] : [{ line: Math.max(1, problem.line), message: problem.message }] }];
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
