// The API next to GitHub as callers meet it: tokens for people there, their roles, and the pull request of an Issue.
import { spawn } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPILED } from '../support/compiled.ts';
import { openShop, SHOP_NAME, shopScript } from '../support/github-shop.ts';
import { type GithubStage, OWNER, openGithubStage } from '../support/github-stage.ts';
import { temporaryFolder } from '../support/service.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

let stage: GithubStage;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  stage = await openGithubStage({
    script: await shopScript(),
    prepare: async (double) => {
      await openShop(double, { isPrivate: true });
      double.people.install(OWNER, { by: 'nora' });
    },
  });
  const { app, webUrl } = stage.double;
  env = {
    ...{ DATA_DIR: stage.dataDir, GHE_HOST: new URL(webUrl).host, GHE_PROTOCOL: 'http' },
    ALLOWED_OWNERS: OWNER,
    ...{ APP_ID: String(app.id), PRIVATE_KEY: app.privateKey, WEBHOOK_SECRET: app.webhookSecret },
  };
});
afterAll(() => stage[Symbol.asyncDispose]());

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Not synchronously: the double answers in this very process. */
function causeway(...args: readonly string[]): Promise<Ended> {
  return causewayWith({}, ...args);
}

function causewayWith(more: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  return causewayIn({ ...env, ...more }, ...args);
}

function causewayIn(settings: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [path.join(ROOT, 'src', 'main.ts'), ...args], {
    env: { PATH: process.env['PATH'], ...COMPILED, ...settings },
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

async function tokenOf(login: string): Promise<string> {
  const scopes = 'issues:read,issues:write,projects:read,pull-requests:write';
  const { out, err } = await causeway('token', 'create', '--name', 'test', '--account', login, '--scopes', scopes);
  if (!/^cwy_\w{36}\n$/.test(out)) throw new Error(err);
  return out.trim();
}

function call(token: string, method: string, where: string, body?: object): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  return fetch(stage.service().address + where, { method, headers, ...sent });
}

interface Listed {
  readonly id: string;
  readonly name: string;
}

async function projectsOf(token: string): Promise<readonly Listed[]> {
  return (await (await call(token, 'GET', '/api/v1/projects/')).json()) as readonly Listed[];
}

describe('token create', () => {
  it('wants a person on GitHub with an App, and one that is there', async () => {
    expect(await causeway('token', 'create', '--name', 'x')).toMatchObject({ code: 2, err: /--account LOGIN/ });
    const absent = await causeway('token', 'create', '--name', 'x', '--account', 'no-such-person');
    expect(absent).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no person "no-such-person"') });
    const organisation = await causeway('token', 'create', '--name', 'x', '--account', OWNER);
    expect(organisation).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`no person "${OWNER}"`) });
  });
});

it('says the same of a person who is not there before anyone has installed the App', async () => {
  await using folder = await temporaryFolder();
  const own = { DATA_DIR: folder.path };
  const absent = await causewayWith(own, 'token', 'create', '--name', 'x', '--account', 'no-such-person');
  expect(absent).toMatchObject({ code: 2, out: '', err: expect.stringContaining('no person "no-such-person"') });
});

describe('with the data folder alone, as in a second terminal', () => {
  const alone = (...args: readonly string[]) => causewayIn({ DATA_DIR: stage.dataDir }, ...args);

  it('makes the first token of a person who never signed in, and it sees what that person sees', async () => {
    const made = await alone('token', 'create', '--name', 'laptop', '--account', 'mara');
    expect(made).toMatchObject({ code: 0, out: expect.stringMatching(/^cwy_\w{36}\n$/) });
    const seen = await stage.until('the project', async () => (await projectsOf(made.out.trim()))[0]);
    expect(seen.name).toBe(SHOP_NAME);
    const id = /tok_\w+/.exec(made.err)?.[0] ?? '';
    expect((await alone('token', 'list')).out).toMatch(new RegExp(`^mara$[^]*${id}`, 'm'));
    const revoke = (login: string) => alone('token', 'revoke', id, '--account', login);
    expect(await revoke('per')).toMatchObject({ code: 2, err: expect.stringContaining(`no active token ${id}`) });
    expect(await revoke('mara')).toMatchObject({ code: 0, err: expect.stringContaining('is revoked') });
    expect(await revoke('mara')).toMatchObject({ code: 2, err: expect.stringContaining(`no active token ${id}`) });
    expect((await call(made.out.trim(), 'GET', '/api/v1/projects/')).status).toBe(401);
  });

  it('gives no advice for local mode, also over records of an earlier release', async () => {
    const asks = { code: 2, out: '', err: expect.stringContaining('add --account LOGIN') };
    expect(await alone('token', 'create', '--name', 'x')).toMatchObject(asks);
    expect(await alone('webhook-secret', 'show')).toMatchObject(asks);
    expect(await alone('sign-in')).toMatchObject({ code: 2, err: expect.stringContaining('sign in with GitHub') });
    const none = await alone('token', 'list', '--account', 'ola');
    expect(none.err).toContain('causeway token create --account ola --name laptop');
    const examined = await alone('doctor');
    expect(examined).toMatchObject({ code: 1, out: expect.stringContaining('last started with a GitHub App') });
    await rm(path.join(stage.dataDir, 'served-as.json'));
    expect(await alone('token', 'create', '--name', 'x')).toMatchObject(asks);
  });

  it('takes no SQLite file for records that are in PostgreSQL', async () => {
    await using folder = await temporaryFolder();
    const place = 'postgres://causeway@db.example.com:5432/causeway';
    await writeFile(path.join(folder.path, 'served-as.json'), JSON.stringify({ github: null, postgres: place }));
    for (const words of [['token', 'create', '--name', 'x'], ['pause'], ['backup'], ['redrive']]) {
      const refused = await causewayIn({ DATA_DIR: folder.path }, ...words);
      expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining(`${place}: set DATABASE_URL`) });
    }
    expect(await readdir(folder.path)).toEqual(['served-as.json']);
  });
});

describe('a caller', () => {
  it('sees and does what the role on GitHub lets it, and opens the pull request with write', async () => {
    const [mara, per, ola] = await Promise.all(['mara', 'per', 'ola'].map(tokenOf));
    if (mara === undefined || per === undefined || ola === undefined) throw new Error('no tokens');
    const project = await stage.until('the project', async () => (await projectsOf(mara))[0]);
    expect(project.name).toBe(SHOP_NAME);
    expect(await projectsOf(per)).toEqual([expect.objectContaining({ id: project.id })]);
    expect(await projectsOf(ola)).toEqual([]);

    const data = await readFile(path.join(ROOT, 'demo', 'report.md'), 'utf8');
    const report = { data, projectId: SHOP_NAME };
    const refused = await call(ola, 'POST', '/api/v1/issues/', report);
    expect([refused.status, await refused.text()]).toEqual([
      422,
      await (await call(ola, 'POST', '/api/v1/issues/', { data, projectId: 'no/such' })).text(),
    ]);
    const accepted = await call(per, 'POST', '/api/v1/issues/', report);
    expect(accepted.status).toBe(202);
    const place = accepted.headers.get('Location') ?? '';
    const issueId = await stage.until('the Issue', async () => {
      const answer = await call(per, 'GET', `${place}?wait=20`);
      return ((await answer.json()) as { issueId: string | null }).issueId;
    });
    expect(stage.writes(SHOP_NAME)).toEqual([]);

    const open = (token: string) => call(token, 'POST', `/api/v1/issues/${issueId}/pull-request/`);
    expect([(await open(ola)).status, (await open(per)).status]).toEqual([404, 404]);
    expect((await open(mara)).status).toBe(202);
    const [pull] = await stage.until('the pull request', () => {
      const pulls = stage.double.people.pulls(SHOP_NAME);
      return pulls.length > 0 && pulls;
    });
    expect(pull?.pull?.isDraft).toBe(true);
    const again = await stage.until('the answer that it is open', async () => {
      const answer = await open(mara);
      return answer.status === 200 && ((await answer.json()) as { message: string }).message;
    });
    expect(again).toContain(`/${SHOP_NAME}/pull/${pull?.number}`);
    expect(stage.double.people.pulls(SHOP_NAME)).toHaveLength(1);
  });
});

describe('probot receive', () => {
  it('runs the app function on a payload in a file, with the store of DATA_DIR, to the end of what it causes', async () => {
    const { people, app } = stage.double;
    await stage.service().end('SIGTERM');
    const number = people.openIssue(SHOP_NAME, { by: 'ola', title: 'It stops', body: 'at src/coupons.js:14' }).number;
    const file = path.join(stage.dataDir, 'payload.json');
    const delivered: unknown[] = [];
    app.webhookUrl = 'http://127.0.0.1:9/';
    people.label(SHOP_NAME, number, 'analyse', 'per');
    await stage.until('the event', () => {
      const labeled = stage.double.webhooks
        .deliveries(app.id)
        .find(({ event, action }) => event === 'issues' && action === 'labeled');
      if (labeled !== undefined) delivered.push(labeled.request.payload);
      return labeled;
    });
    await writeFile(file, JSON.stringify(delivered[0]));
    const probot = path.join(ROOT, 'node_modules', 'probot', 'bin', 'probot.js');
    const child = spawn(process.execPath, [probot, 'receive', '-e', 'issues.labeled', '-p', file, './src/index.ts'], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...COMPILED, ...env, MODEL: 'none' },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
    expect(await new Promise((resolve) => child.once('close', resolve)), output).toBe(0);
    expect(stage.ourComments(SHOP_NAME, number).map(({ body }) => body)).toEqual([
      expect.stringContaining('Facts only'),
    ]);
  });
});
