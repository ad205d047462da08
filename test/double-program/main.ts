// Starts the GitHub double alone, with a shop that has bugs, reports of them and a CI that really runs its tests, so that anyone can
// try the App without GitHub.
//   npm run github-double -- [--webhook URL] [--port N] [--data DIR] [--action]

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type App, type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import { startActions } from './actions.ts';
import { DEMO_SHOP, openDemoShop } from './demo-shop.ts';

const OWNER = 'corner';
const ROOT = path.join(import.meta.dirname, '..', '..');
/** In the folder of --data. */
const SETTINGS = 'causeway.env';
const USAGE = `usage: npm run github-double -- [--webhook URL] [--port N] [--data DIR] [--action]
  --webhook URL  where Causeway listens (http://127.0.0.1:3000/api/github/webhooks)
  --port N       where the double listens (any free port)
  --action       runs the repository's own workflow of Causeway instead, without a service; the model is MODEL of this environment
  --data DIR     keeps the App's key and the settings for Causeway in files of this folder
`;

/** What the double's CI does, so that it has a name. */
const CI = `name: CI
on: [push]
jobs:
  test:
    runs-on: ubuntu-24.04
    steps:
      - run: node --test
`;

interface Options {
  readonly webhook: string;
  readonly port: number;
  readonly data: string | null;
  readonly isAction: boolean;
}

function optionsOf(given: readonly string[]): Options | null {
  try {
    const text = { type: 'string' } as const;
    const { values } = parseArgs({
      args: [...given],
      options: { webhook: text, port: text, data: text, action: { type: 'boolean' } },
    });
    const port = Number(values.port ?? 0);
    const webhook = new URL(values.webhook ?? 'http://127.0.0.1:3000/api/github/webhooks');
    if (!Number.isInteger(port) || port < 0 || port > 65_535 || !/^https?:$/.test(webhook.protocol)) return null;
    return {
      webhook: webhook.href,
      port,
      data: values.data === undefined ? null : path.resolve(values.data),
      isAction: values.action === true,
    };
  } catch {
    return null;
  }
}

/** The double's App with the address of Causeway. */
function prepareApp({ app, people }: GithubDouble, webhook: string): App {
  app.webhookUrl = webhook;
  app.callbackUrls.push(new URL('/account/callback', webhook).href);
  people.organization(OWNER, { owners: ['nora'], members: ['per'] });
  return app;
}

/** Lines of a shell or of an env file: with a folder the key is a file of it, else it stands in the line itself. */
async function settings(double: GithubDouble, app: App, data: string | null): Promise<string> {
  let key = `PRIVATE_KEY='${app.privateKey.trim().replaceAll('\n', '\\n')}'`;
  if (data !== null) {
    const file = path.join(data, 'app.pem');
    await mkdir(data, { recursive: true });
    await writeFile(file, app.privateKey, { mode: 0o600 });
    key = `PRIVATE_KEY_PATH='${file}'`;
  }
  const lines = [
    `APP_ID=${app.id}`,
    key,
    `WEBHOOK_SECRET=${app.webhookSecret}`,
    `GITHUB_CLIENT_ID=${app.clientId}`,
    `GITHUB_CLIENT_SECRET=${app.clientSecret}`,
    // Default is the owner of the App, which is another organisation here.
    `ALLOWED_OWNERS=${OWNER}`,
    `GHE_HOST=${new URL(double.webUrl).host}`,
    'GHE_PROTOCOL=http',
  ];
  const text = `${lines.join('\n')}\n`;
  if (data !== null) await writeFile(path.join(data, SETTINGS), text, { mode: 0o600 });
  return text;
}

/** Who tries the action needs no App: a clone that can be pushed is enough. */
async function runAction(double: GithubDouble): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'github-double-jobs-'));
  const ci = await openDemoShop(double);
  double.repository(DEMO_SHOP).actionsMayOpenPulls = true;
  await double.people.push(DEMO_SHOP, {
    by: 'nora',
    message: 'Run the tests',
    files: { '.github/workflows/ci.yml': CI },
  });
  const say = (text: string) => void process.stdout.write(text);
  const end = stopped();
  const jobs = startActions(double, DEMO_SHOP, { folder, owner: OWNER, environment: process.env, say });
  const { host } = new URL(double.webUrl);
  say(`The GitHub double shows its page at ${double.webUrl}/${DEMO_SHOP}/issues/1
It runs .github/workflows/causeway.yml of that repository, once there is one, as GitHub Actions would, with what "uses" names taken from this copy.

  git clone http://mara:${double.people.userToken('mara')}@${host}/${DEMO_SHOP} /tmp/shop && cd /tmp/shop
  ${path.join(ROOT, 'bin', 'causeway')} init --mode fix --uses OWNER/causeway@v0
  git add .github && git commit -m "Add Causeway" && git push

Then label the issue "analyse" on the page as mara; what each job prints comes here. Ctrl-C ends the double; nothing of it is kept.
`);
  await end;
  await ci.settled();
  await jobs.settled();
  await rm(folder, { recursive: true, force: true });
  await double[Symbol.asyncDispose]();
}

/** Asked for before Ctrl-C is offered: whoever is told of it may press it at once. */
function stopped(): Promise<void> {
  const ended = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ended.resolve());
  return ended.promise;
}

async function run({ webhook, port, data, isAction }: Options): Promise<void> {
  // Beside the API, as on GitHub Enterprise: at the root of an address there is room for the page alone.
  const double = await startGithubDouble({ port, basePath: '/api/v3', app: CAUSEWAY_APP, page: true });
  if (isAction) {
    double.people.organization(OWNER, { owners: ['nora'], members: ['per'] });
    return await runAction(double);
  }
  const app = prepareApp(double, webhook);
  const ci = await openDemoShop(double);
  double.people.install(OWNER, { by: 'nora' });
  const end = stopped();
  process.stdout.write(`The GitHub double shows its page at ${double.webUrl}/${DEMO_SHOP}/issues/1
Its people: nora (owner), mara (write), per (triage), ola (a stranger), renovate[bot] (write).
Its CI runs its tests on this machine for every push, a fix by Causeway included; they may read their own files and nothing else.
Deliveries go to ${webhook}.
The account area of Causeway: ${new URL('/', webhook)} (sign in as mara, per or nora).

Settings for Causeway, to be put into its environment or its .env file:

${await settings(double, app, data)}
Then label the issue "analyse" on the page as mara; docs/github.md says what to try next. Ctrl-C ends the double; nothing of it is kept.
`);
  await end;
  await ci.settled();
  for (const problem of double.problems.splice(0)) process.stderr.write(`${problem}\n`);
  await double[Symbol.asyncDispose]();
}

/** Its keys, and what Causeway has kept, belong to a double that is gone: with another one nothing of it fits. */
const isUsed = (data: string | null) => data !== null && existsSync(path.join(data, SETTINGS));

const options = optionsOf(process.argv.slice(2));
if (options === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else if (isUsed(options.data)) {
  process.stderr.write(
    `${options.data} has the settings of an earlier double, which no longer fit. Stop Causeway and remove the folder (rm -r '${options.data}'), or name another one.\n`,
  );
  process.exitCode = 2;
} else {
  await run(options);
}
