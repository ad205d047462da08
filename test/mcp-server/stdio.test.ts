// `causeway mcp`, as an agent on one's own machine starts it: the official client over standard input and output.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../support/patience.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';
import { dataOf, type ToolData, textOf } from './tool-data.ts';

const run = promisify(execFile);
const DEMO = path.join(import.meta.dirname, '..', '..', 'demo');

interface Agent extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolData>;
}

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let repository: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  repository = path.join(folder.path, 'corner-shop');
  await run('git', ['clone', '--quiet', path.join(DEMO, 'corner-shop.bundle'), repository]);
});

afterAll(() => folder[Symbol.asyncDispose]());

async function openAgent({
  cwd = repository,
  args = [],
  env = {},
}: {
  readonly cwd?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
} = {}): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  const data = { PATH: process.env['PATH'] ?? '', HOME: folder.path, DATA_DIR: path.join(folder.path, 'data') };
  const command = { command: process.execPath, args: [PROGRAM, 'mcp', ...args], cwd, env: { ...data, ...env } };
  await client.connect(new StdioClientTransport({ ...command, stderr: 'ignore' }), { signal: patience() });
  return {
    client,
    call: async (name, given) => dataOf(await client.callTool({ name, arguments: given }, { signal: patience() })),
    [Symbol.asyncDispose]: () => client.close(),
  };
}

describe('started in a repository', () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await openAgent();
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  it('offers what needs no records, all of it for reading', async () => {
    const { tools } = await agent.client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([['explain_check', true]]);
    // An agent that is promised pull requests asks for one first.
    expect(tools[0]?.description).toMatch(/^What the log of a red check says.*pull requests.*not known here/);
  });

  it('reads a log, and knows no pull requests', async () => {
    const log =
      'not ok 1 - a coupon of 10 %\nTypeError: Cannot destructure property percent\n    at discountFor (src/coupons.js:14:11)';
    // An agent knows the repository by its name on GitHub.
    const { answer, quoted } = await agent.call('explain_check', { log, project: 'octo/corner-shop' });
    expect(answer).toContain('earlier checks are not known here');
    expect(quoted).toMatchObject({
      error: expect.stringContaining('Cannot destructure'),
      places: [expect.stringContaining('src/coupons.js:14')],
    });
    expect((await agent.call('explain_check', { log: 'ok 1 - a coupon of 10 %' }))['answer']).toContain('No error');
    const refused = await agent.client.callTool({ name: 'explain_check', arguments: { pullRequest: 1 } });
    expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining('give the log')]);
  });
});

it('investigates with --write: progress while it runs, and a patch that applies', async () => {
  await using agent = await openAgent({
    args: ['--write'],
    env: { MODEL: `scripted:${path.join(DEMO, 'corner-shop.script.json')}` },
  });
  const { tools } = await agent.client.listTools();
  expect(tools.find(({ name }) => name === 'analyse')?.annotations).toMatchObject({
    readOnlyHint: false,
    destructiveHint: false,
  });
  const report = await readFile(path.join(DEMO, 'report.md'), 'utf8');
  const { investigationId } = await agent.call('analyse', { report });
  const told: (string | undefined)[] = [];
  let state: ToolData = {} as ToolData;
  do {
    const asked = { name: 'get_investigation', arguments: { investigationId, wait: 60 } };
    state = dataOf(
      await agent.client.callTool(asked, { signal: patience(), onprogress: ({ message }) => void told.push(message) }),
    );
  } while (state['state'] !== 'concluded');
  expect(told.length).toBeGreaterThan(0);
  const issue = await agent.call('get_issue', { issueId: state['issueId'], full: true });
  expect(issue).toMatchObject({ outcome: 'code_fix' });
  const patch = path.join(folder.path, 'fix.patch');
  await writeFile(patch, String(issue.quoted['patch']));
  await run('git', ['apply', '--check', patch], { cwd: repository });
});

it('says what is missing where there is no repository', async () => {
  const empty = path.join(folder.path, 'empty');
  await mkdir(empty);
  const env = { PATH: process.env['PATH'], DATA_DIR: path.join(folder.path, 'data') };
  const failed = await run(process.execPath, [PROGRAM, 'mcp'], { cwd: empty, env }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('give --repo PATH') });
  const wrong = await run(process.execPath, [PROGRAM, 'mcp', '--repo', 'nowhere'], { cwd: empty, env }).catch(
    (error: unknown) => error,
  );
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--repo names nowhere') });
});
