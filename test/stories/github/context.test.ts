// A fault in a library of the same owner: found there by facts and by the model, and shown to nobody who may not read it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitRepository, gitRepository } from '../../../packages/git-objects/test/git-repository.ts';
import type { AskedRequest } from '../../../packages/models/test/model-endpoint.ts';
import { call } from '../../../packages/models/test/played.ts';
import type { Issue } from '../../../src/core/issue/issue.ts';
import { type ShopModel, shopModel } from '../../support/github-model.ts';
import { type GithubStage, openGithubStage } from '../../support/github-stage.ts';
import { conclusion, stepWith, textsIn } from '../../support/played-model.ts';
import { type WebhookReceiver, webhookReceiver } from '../../support/webhook-receiver.ts';

/** In the source of the library, and nowhere else. */
const IN_LIBRARY = 'libraryCanary4711';
/** In the source of another owner, and nowhere else. */
const IN_OTHER = 'harbourCanary0815';
const FAULT = `  const ${IN_LIBRARY} = table.rates[code].amount;`;
const DECODE = `export function decodeRate(table, code) {\n${FAULT}\n  return ${IN_LIBRARY} / 100;\n}\n`;
const TILL = `import { decodeRate } from '@corner/rates';\n\nexport function priceOf(cart, table) {\n  return cart.items.map((item) => item.price * decodeRate(table, item.country));\n}\n`;
const TRACE = `Checkout fails for guests.

TypeError: Cannot read properties of undefined (reading 'amount')
    at decodeRate (/srv/till/node_modules/@corner/rates/src/decode.js:2:41)
    at /srv/till/src/price.js:4:54
    at Array.map (<anonymous>)
    at priceOf (/srv/till/src/price.js:4:21)`;
const CONFIG = { '.github/causeway.yml': 'context: [corner/rates, harbour/gold]\n' };
const PACKAGE = { 'package.json': '{ "name": "till", "dependencies": { "@corner/rates": "1.2.0" } }\n' };
const SUBJECTS = ['corner/till', 'corner/front', 'corner/desk', 'corner/window', 'corner/lost'];

let stage: GithubStage;
let model: ShopModel;
let receiver: WebhookReceiver;
let library: GitRepository;
let kiosk: GitRepository;
let tagged: string;

beforeAll(async () => {
  model = await shopModel([
    (asked) => {
      const repo = canReadLibrary(asked) ? { repo: 'corner/rates' } : {};
      return {
        say: 'What does the library do?',
        calls: [
          call('read_files', { files: [{ path: 'src/decode.js' }], ...repo }),
          call('search', { pattern: IN_OTHER, repo: 'harbour/gold' }),
          call('history', { path: 'src/decode.js', ...repo }),
        ],
      };
    },
    (asked) =>
      canReadLibrary(asked)
        ? {
            say: `It reads ${IN_LIBRARY} without looking.`,
            calls: [
              call('create_file', { path: 'corner/rates:src/fix.js', text: 'export {};\n' }),
              call('replace', { path: 'corner/rates:src/decode.js', old: FAULT, new: '' }),
            ],
          }
        : { calls: [conclusion({ outcome: 'inconclusive', ruledOut: ['The till itself.'] })] },
    (asked) => ({
      calls: [
        conclusion({
          outcome: 'action_recommended',
          rootCause: [
            {
              text: `A country without a rate is read as ${IN_LIBRARY}`,
              citations: [{ step: stepWith(asked, FAULT.trim()), quote: FAULT.trim() }],
              places: [{ file: 'corner/rates:src/decode.js', line: 2 }],
            },
          ],
          solutionSteps: ['Let `corner/rates:src/decode.js:2` check that there is a rate.'],
        }),
      ],
    }),
  ]);
  receiver = await webhookReceiver();
  library = await gitRepository();
  await library.commit(
    { 'package.json': '{\n  "name": "@corner/rates"\n}\n', 'src/decode.js': DECODE },
    'Decode rates',
  );
  library.tag('v1.2.0');
  tagged = library.git('rev-parse', 'HEAD');
  await library.commit({ 'src/decode.js': `// Moved.\n\n\n${DECODE}`, 'README.md': 'Rates.\n' }, 'Say what it is');
  kiosk = await openKiosk();
  stage = await openGithubStage({
    env: { ...model.env, ALLOWED_OWNERS: 'corner,harbour', CALLBACK_ALLOW: '127.0.0.1' },
    prepare: async ({ people }) => {
      people.organization('corner', { owners: ['nora'], members: ['mara'] });
      people.organization('harbour', { owners: ['hana'] });
      await people.openRepository('corner/rates', { from: `${library.path}/.git`, isPrivate: true });
      await people.openRepository('harbour/gold', { files: { 'src/gold.js': IN_OTHER }, isPrivate: true });
      for (const name of SUBJECTS) {
        const isPrivate = name !== 'corner/front' && name !== 'corner/window';
        await people.openRepository(name, { files: { 'src/price.js': TILL, ...PACKAGE, ...CONFIG }, isPrivate });
      }
      await people.openRepository('corner/kiosk', { from: `${kiosk.path}/.git`, isPrivate: true });
      for (const name of [...SUBJECTS, 'corner/kiosk']) {
        people.grant(name, 'mara', 'write');
        people.makeLabel(name, 'analyse');
      }
      // She reads these and not the library.
      people.grant('corner/desk', 'ola', 'triage');
      people.grant('corner/window', 'ola', 'triage');
      people.install('corner', { by: 'nora' });
      people.install('harbour', { by: 'hana' });
    },
  });
  await stage.rest();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await library[Symbol.asyncDispose]();
  await kiosk[Symbol.asyncDispose]();
});

/** Whether the model is told of it. */
function canReadLibrary(asked: AskedRequest): boolean {
  return textsIn(asked).join('\n').includes('Other repositories that');
}

/** With submodules: the library, that of another owner, and addresses that are to do something. */
async function openKiosk(): Promise<GitRepository> {
  const made = await gitRepository();
  const urls = [
    ['rates', '../rates.git'],
    ['gold', '../../harbour/gold.git'],
    ['passwd', 'file:///etc'],
    ['run', 'ext::sh -c touch% /tmp/causeway-hacked'],
    ['option', '--upload-pack=touch /tmp/causeway-hacked'],
    ['up', '../../../../etc/passwd'],
    ['alias', 'https://example.com/corner/rates.git'],
  ];
  const modules = urls.map(
    ([name, url]) =>
      `[submodule "${name}"]\n\tpath = vendor/${name}\n\turl = ${url}\n\tupdate = !touch /tmp/causeway-hacked\n`,
  );
  made.commitRaw(
    [
      { name: 'src/price.js', content: TILL },
      { name: '.gitmodules', content: modules.join('') },
      ...urls.map(([name]) => ({ name: `vendor/${name}`, content: tagged, mode: '160000' })),
    ],
    'Begin',
  );
  return made;
}

interface Analysed {
  readonly issue: Issue;
  readonly comment: string;
}

/** A person's report by label, to its end. */
async function analyse(name: string): Promise<Analysed> {
  const { people } = stage.double;
  const { number } = people.openIssue(name, { by: 'mara', title: 'Checkout fails', body: TRACE });
  people.label(name, number, 'analyse', 'mara');
  await stage.rest();
  return { issue: await newestIssue(name), comment: commentOn(name) };
}

/** To Issues of that project's reports by API. */
async function subscribe(login: string, name: string): Promise<void> {
  const scopes = ['--scopes', 'issues:read,webhooks:write,projects:read'];
  const token = (await stage.command('token', 'create', '--name', 's', '--account', login, ...scopes)).trim();
  const { id: projectId } = await (await stage.api(login)).project(name);
  const answer = await fetch(`${stage.service().address}/api/v1/webhooks/`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ url: receiver.url, types: ['issue.created'], origins: ['api'] },
      ...{ format: 'standard', projectId },
    }),
  });
  if (answer.status >= 300) throw new Error(`${answer.status}: ${await answer.text()}`);
}

function commentOn(name: string): string {
  return stage.ourComments(name, 1).at(-1)?.body ?? '';
}

async function newestIssue(name: string, login = 'mara'): Promise<Issue> {
  const api = await stage.api(login);
  const { issueIds } = await api.project(name);
  return await api.get<Issue>(`/api/v1/issues/${issueIds[0]}/`);
}

/** Everything that the model was told about that repository. */
const toldOf = (name: string) => model.told(`Repository ${name} at commit`).join('\n');

describe('a project and a library that all of its readers can read', () => {
  let analysed: Analysed;
  beforeAll(async () => {
    analysed = await analyse('corner/till');
  });

  it('is answered with the place in the library, at the version that the project uses', () => {
    const { analysis, solutionSteps, diff } = analysed.issue;
    expect(analysis.outcome).toBe('action_recommended');
    expect(analysis.suspects[0]).toMatchObject({ file: 'corner/rates:src/decode.js', line: 2 });
    expect(analysis.citations.map(({ quote }) => quote)).toEqual([FAULT.trim()]);
    expect(analysis.confidence).toBeGreaterThan(0.5);
    expect(solutionSteps.map(({ description }) => description).join()).toContain('corner/rates:src/decode.js:2');
    expect(diff.files).toEqual([]);
    expect(analysis.context).toEqual([
      expect.objectContaining({ repository: 'corner/rates', revision: tagged, ref: 'v1.2.0', refused: null }),
      expect.objectContaining({ repository: 'harbour/gold', revision: '', refused: 'other_owner' }),
    ]);
  });

  it('has found the file by facts alone', () => {
    const [opening] = model.told('Repository corner/till at commit');
    expect(opening).toMatch(/1\. corner\/rates:src\/decode\.js:2 decodeRate/);
    expect(opening).toContain('top frame of the stack trace in corner/rates');
    expect(opening).toContain(`corner/rates: read src/decode.js:1-4 at ${tagged.slice(0, 7)}`);
  });

  it('names the repository in the comment, links to it, and edits nothing there', () => {
    expect(analysed.comment).toContain(`/corner/rates/blob/${tagged}/src/decode.js#L2`);
    expect(analysed.comment).toContain('corner/rates` at `v1.2.0`');
    expect(toldOf('corner/till')).toContain('corner/rates can only be read');
    expect(stage.writes('corner/rates')).toEqual([]);
  });

  it('shows no step before its result, and reads nothing of another owner', async () => {
    const api = await stage.api('mara');
    const id = analysed.issue.analysis.investigationId;
    const events = await api.text(`/api/v1/investigations/${id}/events/`);
    expect(events).toContain('Looked something up');
    expect(events).not.toContain(IN_LIBRARY);
    expect(toldOf('corner/till').replaceAll(`"${IN_OTHER}"`, '')).not.toContain(`${IN_OTHER};`);
    expect(analysed.comment).not.toContain(IN_OTHER);
  });

  it('is withheld from a person who can read the project alone, from the day that she can', async () => {
    stage.double.people.grant('corner/till', 'ola', 'triage');
    const { problem, rootCause, investigationSteps, analysis } = await newestIssue('corner/till', 'ola');
    expect([problem, rootCause, investigationSteps, analysis.suspects, analysis.context]).toEqual([
      ...['This result is withheld.', '', [], [], []],
    ]);
  });
});

it('reads no private library for a public project, and says that it did not', async () => {
  const { issue, comment } = await analyse('corner/front');
  expect(issue.analysis.context.map(({ refused }) => refused)).toEqual(['unreadable', 'other_owner']);
  expect(comment).toContain('not read: `corner/rates`');
  const said = [toldOf('corner/front'), comment, JSON.stringify(issue)].join('\n');
  expect(said.length).toBeGreaterThan(1_000);
  expect(said).not.toContain(IN_LIBRARY);
});

it('reads no library that one reader of the private project cannot read', async () => {
  const { issue } = await analyse('corner/desk');
  expect(issue.analysis.context[0]).toMatchObject({ repository: 'corner/rates', refused: 'unreadable' });
  expect(toldOf('corner/desk') + JSON.stringify(issue)).not.toContain(IN_LIBRARY);
});

it('opens a submodule of the same owner at its pinned commit, and no other address', async () => {
  const { issue } = await analyse('corner/kiosk');
  expect(issue.analysis.context).toEqual([
    expect.objectContaining({ repository: 'corner/rates', via: 'submodule', path: 'vendor/rates', revision: tagged }),
  ]);
  expect(issue.analysis.suspects[0]).toMatchObject({ file: 'corner/rates:src/decode.js' });
});

describe('a library that is public when it is read', () => {
  it('is withheld from comment, webhook and API once it is private', async () => {
    const { people } = stage.double;
    people.publiciseRepository('corner/rates', 'nora');
    await stage.rest();
    await subscribe('ola', 'corner/window');
    await subscribe('mara', 'corner/window');
    const held = model.hold('corner/window at commit');
    const api = await stage.api('mara');
    const report = { data: TRACE, projectId: 'corner/window', callbackUrl: receiver.url };
    const investigation = await api.report(report);
    people.openIssue('corner/window', { by: 'mara', title: 'Checkout fails', body: TRACE });
    people.label('corner/window', 1, 'analyse', 'mara');
    expect(textsIn(await held.asked).join('\n')).toContain(IN_LIBRARY);
    people.publiciseRepository('corner/rates', 'nora', true);
    held.release();
    await api.end(investigation);
    await stage.rest();
    expect(commentOn('corner/window')).toContain('**Result withheld · next: `/analyse retry`**');
    expect(commentOn('corner/window')).not.toContain(IN_LIBRARY);
    expect(JSON.stringify(await newestIssue('corner/window', 'ola'))).not.toContain(IN_LIBRARY);
    // Who sent it, and who subscribed, may read the library still; the other subscriber may not.
    const deliveries = await receiver.received(2);
    expect(deliveries.map(({ body }) => body.includes(IN_LIBRARY))).toEqual([true, true]);
    const subscribed = deliveries.map(({ body }) => JSON.parse(body).type);
    expect(subscribed).toEqual(['issue.created', 'issue.created']);
  });
});

it('says that a library is not read once the App is no longer installed on it', async () => {
  const { people, state } = stage.double;
  const installation = [...state.installations.values()].find(
    ({ accountId }) => accountId === people.organization('corner').id,
  );
  if (installation === undefined) throw new Error('the App is not installed');
  people.uninstall(installation, 'nora');
  people.install('corner', { by: 'nora', repositories: SUBJECTS });
  await stage.rest();
  const { issue, comment } = await analyse('corner/lost');
  expect(issue.analysis.context[0]).toMatchObject({ repository: 'corner/rates', refused: 'unreadable' });
  expect(comment).toContain('not read: `corner/rates`');
  // What rests on it can no longer be checked.
  expect((await newestIssue('corner/till')).problem).toBe('This result is withheld.');
});

it('has put nothing of the library or the other owner into the log', () => {
  const log = stage.service().output();
  expect(log.length).toBeGreaterThan(500);
  expect([IN_LIBRARY, IN_OTHER].filter((canary) => log.includes(canary))).toEqual([]);
});
