// Our own secrets as canaries: whatever the service prints at its most talkative, answers to strangers or says as it dies, none is in it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { fails, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { apiClient } from '../support/api-client.ts';
import { openDesk } from '../support/github-desk.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { modelSettings } from '../support/model-service.ts';
import { PROGRAM, temporaryFolder } from '../support/service.ts';
import { placesWith } from '../support/stored-text.ts';

const FAULT = path.join(import.meta.dirname, '..', 'support', 'fault-on-signal.ts');
const run = promisify(execFile);
const made = () => randomBytes(24).toString('hex');

/** Those that only the environment holds. */
const SET: Readonly<Record<string, string>> = {
  ENCRYPTION_KEY: randomBytes(32).toString('hex'),
  SESSION_SECRET: made(),
  WEBHOOK_SECRET_OLD: made(),
  GITHUB_TOKEN: `ghp_${randomBytes(18).toString('hex')}`,
  OPENAI_API_KEY: `sk-${made()}`,
};
const ASKED = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/docs',
  '/',
  '/api/v1/projects/',
  '/api/v1/openapi.json',
  '/.env',
  '/setup',
];

it('shows no secret in a log at trace, an answer to a stranger, a help text, a process title, a crash or a file', async () => {
  await using folder = await temporaryFolder();
  // An endpoint that says the key back in its refusal.
  await using model = await modelEndpoint(fails(401, `Incorrect API key provided: ${SET['OPENAI_API_KEY']}`));
  const env = { ...(await modelSettings(model, folder.path)), ...SET, LOG_LEVEL: 'trace' };
  const more = { NODE_OPTIONS: `--import=${FAULT}`, QUOTED: SET['OPENAI_API_KEY'] ?? '' };
  await using stage = await openGithubStage({ env: { ...env, ...more } });
  const { app, state } = stage.double;

  const desk = await openDesk(stage, 'corner/canary');
  desk.label('per');
  await desk.comment('');
  await stage.rest();
  const token = (await stage.command('token', 'create', '--name', 'canary', '--account', 'mara')).trim();
  const { address } = stage.service();
  await apiClient(address, token).status('/api/v1/projects/');
  const answers = await Promise.all(
    ASKED.map(async (where) => {
      const answer = await fetch(`${address}${where}?token=${token}`, { headers: { cookie: `s=${token}` } });
      return JSON.stringify([...answer.headers]) + (await answer.text());
    }),
  );
  const titles = readFileSync(`/proc/${stage.service().process.pid}/cmdline`, 'utf8');
  const settings = { ...env, DATA_DIR: stage.dataDir };
  const texts = await Promise.all(['--help', 'token list', 'wrong'].map((args) => said(args, settings)));
  expect(await stage.service().end('SIGUSR2')).toBe(1);

  const installation = [...state.tokens.keys()];
  expect(installation.length).toBeGreaterThan(0);
  expect(model.requests.length).toBeGreaterThan(0);
  const signing = (await stage.command('webhook-secret', 'show', '--account', 'mara')).trim();
  const pem = app.privateKey.split('\n').slice(1, -2);
  const canaries = [
    ...Object.values(SET),
    app.webhookSecret,
    app.clientSecret,
    token,
    signing,
    ...installation,
    ...pem,
  ];
  const printed = stage.service().output();
  expect(printed.trimEnd().split('\n').at(-1)).toContain('"level":"fatal"');
  for (const text of [printed, titles, ...answers, ...texts]) {
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
  }
  const files = await Promise.all(canaries.map((canary) => placesWith(stage.dataDir, canary)));
  expect(files.flat()).toEqual([]);
  expect(readdirSync(stage.dataDir)).not.toContain('encryption.key');
}, 120_000);

/** What a command prints, however it ends. */
async function said(args: string, env: Readonly<Record<string, string>>): Promise<string> {
  const ended = run(process.execPath, [PROGRAM, ...args.split(' ')], { env: { PATH: process.env['PATH'], ...env } });
  const { stdout, stderr } = await ended.catch((error) => error);
  return stdout + stderr;
}
