// The double as a ground for the story: an empty sandbox, the App on it alone, and a CI that runs the shop's tests.

import { type GithubDouble, startCi, startGithubDouble } from 'causeway-github-double';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import type { Ground } from './ground.ts';
import { findFreePort } from './service.ts';

const SANDBOX = 'corner/sandbox';
const HOOK = '/api/github/webhooks';

export interface DoubleGround extends AsyncDisposable {
  readonly double: GithubDouble;
  readonly ground: Ground;
}

/** `model`: what Causeway is told of the model, besides where the double is. */
export async function openDoubleGround(model: Readonly<Record<string, string | undefined>>): Promise<DoubleGround> {
  await using opening = new AsyncDisposableStack();
  const double = opening.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP }));
  const { app, people } = double;
  people.organization('corner', { owners: ['nora'] });
  await people.openRepository(SANDBOX, { files: {} });
  people.grant(SANDBOX, 'mara', 'write');
  const ci = startCi(double, SANDBOX, { jobs: { test: ['node', '--test', '--test-isolation=none'] } });
  opening.defer(async () => void (await ci.settled()));
  people.install('corner', { by: 'nora', repositories: [SANDBOX] });
  const port = await findFreePort();
  app.webhookUrl = `http://127.0.0.1:${port}${HOOK}`;
  const opened = opening.move();
  return {
    double,
    ground: {
      ...{ apiUrl: double.apiUrl, webUrl: double.webUrl, sandbox: SANDBOX, port, hookUrl: app.webhookUrl },
      app: { id: String(app.id), privateKey: app.privateKey },
      token: people.userToken('mara'),
      environment: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        APP_ID: String(app.id),
        PRIVATE_KEY: app.privateKey,
        WEBHOOK_SECRET: app.webhookSecret,
        GITHUB_CLIENT_ID: app.clientId,
        GITHUB_CLIENT_SECRET: app.clientSecret,
        GHE_HOST: new URL(double.webUrl).host,
        GHE_PROTOCOL: 'http',
        ...model,
      },
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
