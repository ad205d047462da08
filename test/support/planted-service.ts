// A service into which a secret comes by every way there is: report, repository, model, monitoring, environment, requests.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type AskedRequest, type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { call, type Played } from '../../packages/models/test/played.ts';
import { noise } from '../../packages/redact/test/planted.ts';
import { apiClient } from './api-client.ts';
import { modelSettings } from './model-service.ts';
import { plays } from './played-model.ts';
import { printedToken, type Service, startService, temporaryFolder } from './service.ts';
import { FIX_TURNS, SHOP, SHOP_REPORT, WORDS } from './shop-fix.ts';
import { webVisitor } from './web-visitor.ts';
import { webhookReceiver } from './webhook-receiver.ts';

export const NAMES = [
  'report',
  'report: cookie',
  'report: password in Chinese',
  'report: key of a provider',
  'report: connection string',
  'reference',
  'file',
  'commit message',
  'model: words',
  'model: arguments',
  'model: new file',
  'model: conclusion',
  'monitoring result',
  'path of a request',
  'query of a request',
  'header of a request',
  'body of a request',
  'page that is not there',
  'form of a page',
] as const;

/** A token of GitHub for each place, so that the rules must find it; in the report also what has no form, known by what is around it. */
const PLANTED = new Map(
  NAMES.map((name, at) => [
    name,
    name.startsWith('report: ') ? noise(28, 730 + at) : ['gh', 'p_', noise(36, 700 + at)].join(''),
  ]),
);

/** What the rules cannot know: found by its exact value alone. */
export const ENVIRONMENT = { OPENAI_API_KEY: `model-${noise(24, 801)}`, GRAFANA_TOKEN: `grafana-${noise(24, 802)}` };

/** What the service has no use for; it must not be in what it says of itself either. */
export const BYSTANDER = noise(40, 803);

export function planted(name: (typeof NAMES)[number]): string {
  return PLANTED.get(name) ?? '';
}

/** The turns that mend the shop, with secrets in the model's words, arguments and conclusion, and a look at monitoring. */
function turns(): readonly Played[] {
  const [, ...rest] = FIX_TURNS;
  const look: Played = {
    say: `${WORDS[0]} The token is ${planted('model: words')}.`,
    calls: [
      call('search', { pattern: 'customer.discount' }),
      call('search', { pattern: planted('model: arguments') }),
      call('fake__query', { query: planted('monitoring result') }),
      call('fake__env', {}),
      call('read_files', { files: [{ path: 'src/config.js' }] }),
      call('history', { path: 'src/greeting.js' }),
    ],
  };
  return [look, ...rest.map(withSecrets)];
}

function withSecrets(played: Played): Played {
  if (typeof played === 'function') {
    return (asked: AskedRequest) => {
      const turn = played(asked);
      const text = JSON.stringify(turn).replaceAll(
        'A guest cannot',
        `With ${planted('model: conclusion')} a guest cannot`,
      );
      return JSON.parse(text);
    };
  }
  return JSON.parse(JSON.stringify(played).replaceAll('# Guests', `# Guests\\n${planted('model: new file')}`));
}

export interface PlantedService extends AsyncDisposable {
  readonly service: Service;
  readonly endpoint: ModelEndpoint;
  readonly dataDir: string;
}

/** The service with its secrets; its model mends the shop when it gets SHOP_REPORT. */
export async function plantedService(): Promise<PlantedService> {
  const house = new AsyncDisposableStack();
  const repository = house.use(await gitRepository());
  await repository.commit({ ...SHOP, 'src/config.js': `export const token = '${planted('file')}';\n` }, 'Shop');
  const message = `Say what it is\n\nUse ${planted('commit message')}`;
  await repository.commit({ 'src/greeting.js': `${SHOP['src/greeting.js']}\n` }, message);
  const dataDir = house.use(await temporaryFolder()).path;
  const other = house.use(await temporaryFolder()).path;
  const endpoint = house.use(await modelEndpoint(plays(turns())));
  const servers = {
    fake: {
      command: process.execPath,
      args: [path.join(import.meta.dirname, '..', 'mcp-client', 'fake-server.mjs'), 'plain'],
      env: ['GRAFANA_TOKEN'],
      projects: [`local/${path.basename(repository.path)}`],
      tools: ['query', 'env'],
    },
  };
  await writeFile(path.join(other, 'monitoring.json'), JSON.stringify({ servers }));
  const env = {
    ...(await modelSettings(endpoint, other)),
    ...ENVIRONMENT,
    AWS_SECRET_ACCESS_KEY: BYSTANDER,
    MCP_CONFIG: path.join(other, 'monitoring.json'),
    LOG_LEVEL: 'trace',
  };
  const service = house.use(await startService({ projects: [repository.path], dataDir, env, ownProcess: true }));
  return { service, endpoint, dataDir, [Symbol.asyncDispose]: () => house.disposeAsync() };
}

type Said = Map<string, string>;

interface Ear {
  readonly said: Said;
  readonly address: string;
}

/** Hands in a report, waits for its Issue and its webhook, and asks for every answer and page: all that was said, by what said it. */
export async function everythingSaid({ service, endpoint }: PlantedService): Promise<Map<string, string>> {
  const said: Said = new Map();
  const token = printedToken(service);
  const link = /http:\S+\/sign-in\/local\?code=[\w-]+/.exec(service.output())?.[0] ?? '';
  const api = apiClient(service.address, token);
  await using receiver = await webhookReceiver();
  const { id: projectId } = await api.project();
  const lines = [
    `curl -H "Authorization: Bearer ${planted('report')}"`,
    `  'set-cookie': [ 'sid=${planted('report: cookie')}; Path=/; HttpOnly' ],`,
    `密码：${planted('report: password in Chinese')}`,
    `deploying with ${['rn', 'd_', planted('report: key of a provider')].join('')}`,
    `open app:${planted('report: connection string')}@tcp(db:3306)/shop`,
  ];
  const data = `${SHOP_REPORT}\n${lines.join('\n')}\n`;
  const reference = `ticket ${planted('reference')}`;
  const investigation = await api.report(
    { projectId, data, reference, callbackUrl: receiver.url },
    planted('header of a request'),
  );
  said.set('events', await api.text(`${investigation}events/`));
  const issue = await api.issue(investigation);
  const [hook] = await receiver.received(1);
  said.set('webhook', JSON.stringify(hook));
  const { address } = service;
  await readApi({ said, address }, token, { projectId, investigation, issueId: issue.id });
  await readPages({ said, address }, link, { projectId, investigation, issueId: issue.id });
  said.set('prompts', endpoint.requests.map(({ raw, url }) => `${url} ${raw}`).join('\n'));
  const { pid } = service.process;
  said.set('process', [readFileSync(`/proc/${pid}/cmdline`, 'utf8'), readFileSync(`/proc/${pid}/comm`, 'utf8')].join());
  return said;
}

interface Made {
  readonly projectId: string;
  readonly investigation: string;
  readonly issueId: string;
}

async function readApi(to: Ear, token: string, { projectId, investigation, issueId }: Made): Promise<void> {
  const query = planted('query of a request');
  const paths = [
    ...[investigation, `${investigation}steps/`, `/api/v1/issues/${issueId}/`, `/api/v1/issues/`, '/api/v1/projects/'],
    ...[`/api/v1/projects/${projectId}/`, '/api/v1/openapi.json', '/healthz', '/readyz', '/metrics', '/docs'],
    ...[`/api/v1/issues/${planted('path of a request')}/`, `/api/v1/investigations/?state=${query}`],
    ...[`/api/v1/investigations/?reference=${query}`, `/api/v1/issues/${issueId}/?x=${query}`, `/${query}`],
  ];
  for (const at of paths) await ask(to, at, { headers: { Authorization: `Bearer ${token}` } });
  await ask(to, '/api/v1/projects/', { headers: { Authorization: `Bearer ${planted('header of a request')}` } });
  const secret = planted('body of a request');
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'User-Agent': secret };
  for (const body of [`{"data": "${secret}`, JSON.stringify({ projectId: secret, callbackUrl: `http://${secret}` })]) {
    await ask(to, '/api/v1/issues/', { method: 'POST', headers, body });
  }
}

async function readPages(to: Ear, link: string, { projectId, investigation, issueId }: Made): Promise<void> {
  const visitor = webVisitor(to.address);
  const code = new URL(link).searchParams.get('code') ?? '';
  await visitor.send(link, '/sign-in/local', { code });
  const id = investigation.split('/').findLast((part) => part.startsWith('inv_')) ?? '';
  const project = `/projects/${projectId}`;
  const missing = planted('page that is not there');
  const pages = [
    ...[
      '/projects',
      project,
      `${project}/failures`,
      `${project}/observed`,
      `${project}/settings`,
      `${project}/reports/new`,
    ],
    ...[
      `/investigations/${id}?steps=1`,
      `/investigations/${id}/live`,
      `/issues/${issueId}`,
      `/issues/${issueId}/markdown`,
    ],
    ...[
      `/issues/${issueId}/patch`,
      `/issues/${issueId}/delete`,
      '/account/security-credentials',
      '/account/tokens/new',
    ],
    ...[
      '/account/deliveries',
      '/usage',
      '/audit',
      `/${missing}`,
      `/projects/${missing}`,
      `/issues/${missing}?a=${missing}`,
    ],
  ];
  for (const at of pages) await keep(to.said, at, await visitor.get(at));
  const [attempt = ''] = /\/account\/deliveries\/[\w-]+/.exec(to.said.get('/account/deliveries') ?? '') ?? [];
  if (attempt === '') throw new Error('no delivery is shown');
  await keep(to.said, 'attempts of a delivery', await visitor.get(attempt));
  const secret = planted('form of a page');
  const form = { text: SHOP_REPORT, reference: secret, [secret]: 'x' };
  await keep(to.said, 'a form', await visitor.send(`${project}/reports/new`, `${project}/reports`, form));
  to.said.set('cookie', visitor.cookie());
}

async function ask({ said, address }: Ear, at: string, init: RequestInit): Promise<void> {
  await keep(said, `${init.method ?? 'GET'} ${at}`, await fetch(new URL(at, address), { redirect: 'manual', ...init }));
}

async function keep(said: Said, name: string, answer: Response): Promise<void> {
  said.set(name, JSON.stringify([answer.status, ...answer.headers]) + (await answer.text()));
}
