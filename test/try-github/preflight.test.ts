// What `npm run try-github` says before it writes anything, where App, token or sandbox are not as it needs them.
import { execFile } from 'node:child_process';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDoubleGround } from './double-ground.ts';
import type { Ground } from './ground.ts';
import { MARKER } from './sandbox.ts';
import { readSettings } from './settings.ts';
import { type Tried, tryGithub } from './try-github.ts';

const MAIN = path.join(import.meta.dirname, 'main.ts');

function look(ground: Ground): Promise<Tried> {
  return tryGithub(ground, {
    ...{ on: 'the double', budget: 1, patienceMs: 1_000, signal: new AbortController().signal, expected: [] },
    tell: () => undefined,
    mayWrite: async () => false,
  });
}

/** Each problem up to what is to be done. */
async function problemsAt(ground: Ground): Promise<readonly string[]> {
  const tried = await look(ground);
  return tried.kind === 'problems' ? tried.problems.map((one) => one.split(':')[0] ?? '') : [];
}

function run(args: readonly string[], env: Readonly<Record<string, string>>) {
  return new Promise<{ readonly code: unknown; readonly said: string }>((resolve) => {
    const options = { env: { PATH: process.env['PATH'], ...env } };
    const child = execFile(process.execPath, [MAIN, ...args], options, (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, said: stderr }),
    );
    child.stdin?.end();
  });
}

it('names each setting that is missing', () => {
  const settings = readSettings({ OPENAI_API_KEY: 'x' }, 'mara/sandbox', 'scripted:demo.json');
  expect(settings).toMatchObject({ kind: 'problems' });
  const said = settings.kind === 'problems' ? settings.problems.join('\n') : '';
  for (const name of ['APP_ID', 'PRIVATE_KEY_PATH', 'WEBHOOK_SECRET', 'GITHUB_TOKEN', 'WEBHOOK_PROXY_URL', 'MODEL']) {
    expect(said).toMatch(new RegExp(`^.*${name}.* not.*|^${name} names no file`, 'm'));
  }
});

it('takes the hosts of github.com, and a script for the model, where nothing else is set', () => {
  const channel = 'https://smee.io/abc';
  const given = { APP_ID: '7', PRIVATE_KEY: 'k', WEBHOOK_SECRET: 's', GITHUB_TOKEN: 't', WEBHOOK_PROXY_URL: channel };
  expect(readSettings(given, 'mara/sandbox', 'scripted:demo.json')).toMatchObject({
    kind: 'ground',
    ground: {
      apiUrl: 'https://api.github.com',
      webUrl: 'https://github.com',
      hookUrl: channel,
      environment: { MODEL: 'scripted:demo.json' },
    },
  });
});

it('names with its repair what is wrong with App, token and sandbox, and writes to none but an empty or marked one', async () => {
  await using opened = await openDoubleGround({});
  const { double, ground } = opened;
  const { people, app } = double;
  expect(await look(ground)).toEqual({ kind: 'refused' });
  expect(await problemsAt({ ...ground, app: { ...ground.app, id: '1' } })).toEqual(['GitHub answers 404 to the App']);
  expect(await problemsAt({ ...ground, token: 'nonsense' })).toEqual([
    'GitHub answers 401 to GITHUB_TOKEN',
    'GITHUB_TOKEN does not see corner/sandbox (401)',
  ]);
  people.grant(ground.sandbox, 'ola', 'read');
  const reader = { ...ground, token: people.userToken('ola') };
  expect(await problemsAt(reader)).toEqual(['GITHUB_TOKEN may not push there']);
  await people.push(ground.sandbox, { by: 'mara', files: { 'README.md': '# Precious\n' } });
  await people.openRepository('corner/other');
  const [installation] = double.state.installations.values();
  if (installation === undefined) throw new Error('the App is not installed');
  people.changeRepositories(installation, { add: ['corner/other'], by: 'nora' });
  people.acceptPermissions(installation, { ...app.permissions, checks: 'read' }, 'nora');
  expect(await problemsAt({ ...ground, hookUrl: 'https://smee.io/abc' })).toEqual([
    'The App sends its webhooks elsewhere',
    'The installation lacks checks',
    'The App is installed on 2 repositories of this owner',
    `corner/sandbox is neither empty nor has the file ${MARKER}`,
  ]);
  people.uninstall(installation, 'nora');
  expect((await problemsAt(ground))[0]).toBe('The App is not installed on corner/sandbox');
  people.install('corner', { by: 'nora', repositories: [ground.sandbox] });
  await people.push(ground.sandbox, { by: 'mara', files: { [MARKER]: 'mine' } });
  expect(await look(ground)).toEqual({ kind: 'refused' });
  // Tokens are asked for, and git is read, with POST as well.
  const isRead = /\/access_tokens$|\/git-upload-pack$/;
  expect(double.requests.filter(({ method, path: where }) => method !== 'GET' && !isRead.test(where))).toEqual([]);
});

it('says what it would write, and without --yes or a person to ask writes nothing', async () => {
  await using opened = await openDoubleGround({});
  const { ground } = opened;
  const names = ['APP_ID', 'PRIVATE_KEY', 'WEBHOOK_SECRET', 'GHE_HOST', 'GHE_PROTOCOL'];
  const env = {
    ...Object.fromEntries(names.map((name) => [name, ground.environment[name] ?? ''])),
    ...{ GITHUB_TOKEN: ground.token, PORT: String(ground.port), PUBLIC_URL: `http://127.0.0.1:${ground.port}` },
  };
  const { code, said } = await run(['corner/sandbox', '--budget', '0.5'], env);
  expect(said).toContain('This writes to corner/sandbox, as mara and as the App causeway');
  expect(said).toContain('the model may cost up to $0.5');
  expect(said).toContain('Nothing was written.');
  expect(code).toBe(2);
  expect(await run([], env)).toMatchObject({ code: 2, said: expect.stringContaining('usage: npm run try-github') });
});
