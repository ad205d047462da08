// Two repositories on this disk: the one names the other in its configuration file, and the fault is there.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { type ModelEndpoint, modelEndpoint } from '../../packages/models/test/model-endpoint.ts';
import { call } from '../../packages/models/test/played.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { type ApiClient, apiClient } from '../support/api-client.ts';
import { modelSettings } from '../support/model-service.ts';
import { conclusion, plays } from '../support/played-model.ts';
import { recordsEnv } from '../support/records.ts';
import { PROGRAM, printedToken, startService, temporaryFolder } from '../support/service.ts';

const run = promisify(execFile);
const PARSE = `export function parseAmount(text) {
  if (!/^\\d+$/.test(text)) throw new RangeError(text + ' has no digits to read');
  return Number(text);
}
`;
const REPORT = 'Orders are refused.\n\nRangeError: 12,50 has no digits to read';

const cleanup = new AsyncDisposableStack();
let library: GitRepository;
let endpoint: ModelEndpoint;
let api: ApiClient;
let settings: Readonly<Record<string, string>>;
let dataDir: string;
let issue: Issue;

beforeAll(async () => {
  library = cleanup.use(await gitRepository({ folder: 'amounts' }));
  await library.commit({ 'src/parse.js': PARSE }, 'Parse amounts');
  const orders = cleanup.use(await gitRepository({ folder: 'orders' }));
  await orders.commit(
    {
      '.github/causeway.yml': 'context: [local/amounts, local/none]\n',
      'src/order.js': "import { parseAmount } from 'amounts';\nexport const order = (text) => parseAmount(text);\n",
    },
    'Order',
  );
  endpoint = cleanup.use(
    await modelEndpoint(
      plays([
        { say: 'Who?', calls: [call('read_files', { files: [{ path: 'src/parse.js' }], repo: 'local/amounts' })] },
        { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['The order itself'] })] },
      ]),
    ),
  );
  dataDir = cleanup.use(await temporaryFolder()).path;
  settings = await modelSettings(endpoint, dataDir);
  const service = cleanup.use(await startService({ projects: [orders.path, library.path], dataDir, env: settings }));
  api = apiClient(service.address, printedToken(service));
  issue = await api.issue(await api.report({ projectId: 'local/orders', data: REPORT }));
});
afterAll(() => cleanup.disposeAsync());

it('finds the message in the library by facts alone, and reads it', () => {
  const { suspects, context } = issue.analysis;
  expect(suspects[0]).toMatchObject({ file: 'local/amounts:src/parse.js', line: 2 });
  expect(context).toEqual([
    expect.objectContaining({ repository: 'local/amounts', ref: 'main', refused: null }),
    expect.objectContaining({ repository: 'local/none', refused: 'unreadable' }),
  ]);
  const actions = issue.investigationSteps.map(({ action }) => action);
  expect(actions).toContainEqual(expect.stringMatching(/^local\/amounts: read src\/parse\.js at [0-9a-f]{7}$/));
});

it('shows the steps while it runs, since all of it is the same person’s', async () => {
  const events = await api.text(`/api/v1/investigations/${issue.analysis.investigationId}/events/`);
  expect(events).toContain('local/amounts: read src/parse.js');
});

it('is replayed at the commit of the library that it has read', async () => {
  await library.commit({ 'src/parse.js': '// canaryAfterwards\n' }, 'Begin again');
  const before = endpoint.requests.length;
  const env = { ...process.env, ...(await recordsEnv(dataDir)), ...settings, DATA_DIR: dataDir };
  const { stdout } = await run(process.execPath, [PROGRAM, 'replay', issue.id, '--json'], { env, cwd: dataDir });
  expect(JSON.parse(stdout)).toMatchObject({
    notes: [],
    after: { files: expect.arrayContaining(['local/amounts:src/parse.js']) },
  });
  const asked = JSON.stringify(endpoint.requests.slice(before).map(({ body }) => body));
  expect(asked).toContain('has no digits to read');
  expect(asked).not.toContain('canaryAfterwards');
});
