// `init` and `check-config` in a repository on this disk.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runCommand } from '../../src/app/run-command.ts';
import { parseCommandLine } from '../../src/cli/command-line.ts';
import { scriptedTerminal } from '../support/scripted-terminal.ts';
import { runCauseway, temporaryFolder } from '../support/service.ts';

async function openRepository(workflows: Readonly<Record<string, string>> = { 'ci.yml': 'name: CI\non: push\n' }) {
  const folder = await temporaryFolder();
  execFileSync('git', ['init', '--quiet', folder.path]);
  await mkdir(path.join(folder.path, '.github', 'workflows'), { recursive: true });
  const put = (file: string, text: string) => writeFile(path.join(folder.path, '.github', file), text);
  for (const [name, text] of Object.entries(workflows)) await put(`workflows/${name}`, text);
  return {
    folder: folder.path,
    put,
    read: (file: string) => readFile(path.join(folder.path, '.github', file), 'utf8'),
    run: (...args: string[]) => runCauseway(args, { cwd: folder.path, env: {} }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

const USES = ['--uses', 'acme/causeway@v0'];

it('writes a workflow for the other workflows that are there, and keeps what is there', async () => {
  await using place = await openRepository({
    ...{ 'ci.yml': 'name: CI\non: push\n', 'e2e.yaml': 'on: push\n' },
    'shared.yml': 'name: Shared\non: [workflow_call]\n',
  });
  const said = await place.run('init', ...USES, '--mode', 'fix', '--model', 'claude-5');
  expect(said).toContain('It looks at failures of “CI”, “.github/workflows/e2e.yaml”.');
  expect(said).toContain('gh secret set ANTHROPIC_API_KEY');
  const workflow = parse(await place.read('workflows/causeway.yml'));
  expect(workflow.on.workflow_run.workflows).toEqual(['CI', '.github/workflows/e2e.yaml']);
  expect(workflow.jobs.causeway.permissions).toMatchObject({ contents: 'write', actions: 'read' });
  expect(workflow.jobs.causeway.steps).toEqual([
    {
      uses: 'acme/causeway@v0',
      with: { mode: 'fix', model: 'claude-5' },
      env: { ANTHROPIC_API_KEY: ['$', '{{ secrets.ANTHROPIC_API_KEY }}'].join('') },
    },
  ]);
  expect(parse(await place.read('causeway.yml'))).toEqual({ labels: ['analyse'], mode: 'fix' });
  expect(await place.run('check-config')).toContain(
    'No fault in .github/workflows/causeway.yml and .github/causeway.yml',
  );

  await place.put('causeway.yml', 'mode: observe\n');
  const again = await place.run('init', ...USES, '--mode', 'observe');
  expect(again).toContain('Kept   .github/causeway.yml');
  expect(again).toContain('The workflow stays as it is: no option of this command changes it.');
  expect(again).not.toMatch(/Mode:|It looks at|Next:/);
  expect(await place.read('causeway.yml')).toBe('mode: observe\n');
});

describe('in a terminal', () => {
  const init = async (folder: string, typed: string, ...args: readonly string[]) => {
    const io = scriptedTerminal({ stdinIsTerminal: true, cwd: folder }, typed);
    const command = parseCommandLine(['init', ...USES, ...args]);
    const code = await runCommand(
      command,
      { io, environment: {}, now: () => new Date() },
      new AbortController().signal,
    );
    return { code, ...io.printed };
  };

  it('asks three questions, takes an empty answer for the default, and asks again after one that is none', async () => {
    await using place = await openRepository();
    const said = await init(place.folder, 'all\nfix\nclaude-opus-5-5\n\n');
    expect(said.code).toBe(0);
    expect(said.err.match(/[?\]]:/g)).toHaveLength(4);
    expect(said.err).toContain("That isn't one of the answers.");
    expect(said.err).toContain('[ANTHROPIC_API_KEY]');
    expect(said.out).toContain('Mode: fix. Model: claude-opus-5-5.');
    expect(said.out).toContain('gh secret set ANTHROPIC_API_KEY');
    const again = await init(place.folder, '');
    expect([again.code, again.err]).toEqual([0, '']);
  });

  it('asks for no key where there is no model, nothing with an option or --yes, and writes nothing half', async () => {
    await using place = await openRepository();
    await expect(init(place.folder, 'fix\n')).rejects.toThrow('nothing was written');
    await expect(place.read('causeway.yml')).rejects.toThrow();
    const said = await init(place.folder, '\n\n');
    expect(said.err).not.toContain('secret');
    expect(said.out).toContain('Mode: comment. Model: none (search only)');
    for (const option of [['--yes'], ['--mode', 'observe']]) {
      await using other = await openRepository();
      expect((await init(other.folder, '', ...option)).err).toBe('');
    }
  });
});

it('invents no address of an action that nobody publishes', async () => {
  await using place = await openRepository();
  await expect(place.run('init')).rejects.toThrow('Nobody publishes this copy');
  await expect(place.run('check-config')).rejects.toThrow('"causeway init" writes both');
});

it('knows the action of a copy that is published under another name, whatever the workflow file is called', async () => {
  const build =
    'name: CI\non: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v6\n      - uses: some/linter@v1\n';
  await using place = await openRepository({ 'ci.yml': build });
  await place.run('init', '--uses', 'acme/bug-finder@v0', '--mode', 'comment');
  expect(await place.run('check-config')).toContain('No fault in .github/workflows/causeway.yml');
  const written = await place.read('workflows/causeway.yml');
  await place.put('workflows/bugs.yml', written.replace('checks: write, ', ''));
  await place.put('workflows/causeway.yml', 'name: Docs\non: push\n');
  await expect(place.run('check-config')).rejects.toThrow(
    /bugs\.yml:23: lacks permissions that mode "comment" needs: add checks: write/,
  );
  await place.put('workflows/causeway.yml', written.replace(/^ *with: .*\n/m, ''));
  await place.put('workflows/bugs.yml', 'name: Docs\non: push\n');
  await expect(place.run('check-config')).rejects.toThrow('causeway.yml:23: lacks permissions that mode "fix" needs');
});

it('says of a file that was asked for whether it is there', async () => {
  await using place = await openRepository();
  await place.run('init', ...USES);
  await expect(place.run('check-config', '.github/workflows/ci.yml')).rejects.toThrow(
    '.github/workflows/ci.yml is no file for Causeway',
  );
  await expect(place.run('check-config', 'nope.yml')).rejects.toThrow(/There is no nope\.yml\.\s/);
});

it.each([
  ['a label for which no job starts', 'causeway.yml', '[analyse]', '[analyse, bug]', ':2: has the label “bug”, for'],
  ['a workflow that was renamed', 'workflows/ci.yml', /CI/, 'Build', ':5: watches “CI”, and no workflow has that name'],
  ['its own name', 'workflows/causeway.yml', '["CI"]', '["CI","Causeway"]', ':5: watches itself'],
  ['jobs that are cancelled', 'workflows/causeway.yml', 'progress: false', 'progress: true', ':13: cancels a job'],
  [
    'a group for events alone',
    'workflows/causeway.yml',
    ' || inputs.issue || inputs.run || github.run_id',
    '',
    ':12: has a concurrency group that leaves out what is started by hand',
  ],
  ['no group', 'workflows/causeway.yml', /concurrency[\s\S]*progress: false\n/, '', ':1: has no concurrency group'],
  [
    'a permission too few',
    'workflows/causeway.yml',
    'checks: write, ',
    '',
    ':23: lacks permissions that mode "comment" needs: add checks: write',
  ],
  ['no permissions at all', 'workflows/causeway.yml', /^ *permissions: .*\n/gm, '', "doesn't name its permissions"],
  [
    'an event for nothing',
    'workflows/causeway.yml',
    'on:\n',
    'on:\n  pull_request_target:\n',
    ':3: starts for pull_request_target',
  ],
  ['no YAML', 'workflows/causeway.yml', 'on:\n', 'on: [\n', / is no YAML: .*[^:]\.$/m],
  ['an unknown key', 'causeway.yml', 'mode', 'mod', 'causeway.yml:3: `mod` is not known, did you mean `mode`?'],
] as const)('names line and repair of %s', async (_name, file, from, to, said) => {
  await using place = await openRepository();
  await place.run('init', ...USES);
  await place.put(
    file,
    (await place.read(file)).replace(from, () => to),
  );
  await expect(place.run('check-config')).rejects.toThrow(said);
});
