// What the doctor is asked over: the GitHub double with an App as app.yml says, a model's endpoint, and a service that answers.

import { createServer } from 'node:http';
import path from 'node:path';
import { type GithubDouble, type ListedDelivery, startGithubDouble } from 'causeway-github-double';
import { type AskedBehaviour, modelEndpoint } from '../../../packages/models/test/model-endpoint.ts';
import { runCommand } from '../../../src/app/run-command.ts';
import type { CheckUpFinding } from '../../../src/cli/operator-text.ts';
import { CAUSEWAY_APP } from '../../support/causeway-app.ts';
import { appSettings, OWNER } from '../../support/github-stage.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { scriptedTerminal } from '../../support/scripted-terminal.ts';
import { temporaryFolder } from '../../support/service.ts';

export const MODEL_KEY = 'sk-the-key-of-the-model-0123456789';

export type Environment = Readonly<Record<string, string>>;

export interface Examined {
  readonly code: number;
  readonly findings: readonly CheckUpFinding[];
  readonly printed: string;
  /** Status, words and repair of one check; all of them where it has several. */
  of(check: string): string;
}

export interface DoctorGround extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly env: Environment;
  readonly dataDir: string;
  examine(over?: Environment, now?: () => Date): Promise<Examined>;
}

/** All is well there, but for the address of the service, which is loopback. */
export async function doctorGround(model: AskedBehaviour): Promise<DoctorGround> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP }));
  double.people.organization(OWNER, { owners: ['nora'] });
  double.people.install(OWNER, { by: 'nora' });
  await double.webhooks.settled();
  double.webhooks.setDeliveries(double.app, []);
  const endpoint = opening.use(await modelEndpoint(model));
  const service = opening.use(await answering());
  double.app.webhookUrl = `${service.url}/api/github/webhooks`;
  const env = {
    ...(await appSettings(double, folder.path, undefined)),
    ...{ PATH: process.env['PATH'] ?? '', DATA_DIR: path.join(folder.path, 'data'), PUBLIC_URL: service.url },
    ...{ MODEL: 'shop-1', OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: endpoint.url },
  };
  const opened = opening.move();
  return {
    ...{ double, env, dataDir: env.DATA_DIR },
    examine: (over = {}, now = () => new Date()) => examine({ ...env, ...over }, now),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export async function examine(environment: Environment, now: () => Date = () => new Date()): Promise<Examined> {
  const terminal = scriptedTerminal();
  const signal = new AbortController().signal;
  const code = await runCommand({ kind: 'doctor', json: true }, { io: terminal, environment, now }, signal);
  const printed = terminal.printed.out + terminal.printed.err;
  const { findings }: { findings: readonly CheckUpFinding[] } = JSON.parse(terminal.printed.out);
  const of = (check: string) =>
    findings
      .filter((finding) => finding.check === check)
      .map(({ status, found, repair }) => `${status}: ${found} → ${repair}`)
      .join('\n');
  return { code, findings, printed, of };
}

/** A delivery that was answered so, some minutes ago. */
export function delivered(id: number, statusCode: number, minutesAgo: number): ListedDelivery {
  return {
    ...{ id, guid: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`, redelivery: false, duration: 0.1 },
    deliveredAt: new Date(Date.now() - minutesAgo * 60_000).toISOString().replace(/\.\d{3}Z/, 'Z'),
    ...{ status: statusCode === 202 ? 'OK' : 'Invalid HTTP Response', statusCode, event: 'issues', action: 'opened' },
    ...{ installationId: 1, repositoryId: 1, url: 'https://causeway.example.com/api/github/webhooks' },
    ...{ request: { headers: {}, payload: {} }, response: { headers: {}, payload: '' } },
  };
}

/** As a Causeway answers on /healthz. */
async function answering() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"alive"}');
  });
  const { url, close } = await listenOnLoopback(server);
  return {
    url,
    [Symbol.asyncDispose]: close,
  };
}
