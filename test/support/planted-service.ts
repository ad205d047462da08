// A service into which a secret comes by every way there is: report, repository, model, monitoring, environment, requests.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { noise } from '../redact/planted.ts';
import { gitRepository } from './git-repository.ts';
import { type AskedRequest, type ModelEndpoint, modelEndpoint } from './model-endpoint.ts';
import { modelSettings } from './model-service.ts';
import { call, type Played, plays } from './played-model.ts';
import { type Service, startService, temporaryFolder } from './service.ts';
import { FIX_TURNS, SHOP, WORDS } from './shop-fix.ts';

export const NAMES = [
  'report',
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

/** A token of GitHub for each place, so that the rules must find it. */
const PLANTED = new Map(NAMES.map((name, at) => [name, ['gh', 'p_', noise(36, 700 + at)].join('')]));
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
      args: [path.join(import.meta.dirname, '..', 'mcp', 'fake-server.mjs'), 'plain'],
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
