// `causeway eval --github` on the GitHub double: which closed issues become cases, with a token and without one.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { type GithubDouble, startGithubDouble } from 'causeway-github-double';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CAUSEWAY_APP } from '../support/causeway-app.ts';
import { appSettings, OWNER } from '../support/github-stage.ts';
import { runCauseway, temporaryFolder } from '../support/service.ts';

const NAME = `${OWNER}/past`;
/** More than a page of GraphQL, and with what was closed before more than one of REST. */
const DROPPED = 104;

const opened = new AsyncDisposableStack();
let double: GithubDouble;
let folder = '';
let asApp: Readonly<Record<string, string>> = {};
let withoutToken: Readonly<Record<string, string>> = {};
/** Numbers of issues by what became of them, and the commits that fixed them. */
const issues: Record<string, number> = {};
const fixes: Record<string, string> = {};

function source(name: string, line: string): string {
  return `export function ${name}(value) {\n  ${line}\n  return value;\n}\n`;
}

beforeAll(async () => {
  folder = opened.use(await temporaryFolder()).path;
  double = opened.use(await startGithubDouble({ basePath: '/api/v3', app: CAUSEWAY_APP }));
  const { people } = double;
  people.organization(OWNER, { owners: ['nora'], members: [] });
  await people.openRepository(NAME);
  people.grant(NAME, 'mara', 'write');
  const push = (files: Readonly<Record<string, string>>, message: string, branch?: string) =>
    people.push(NAME, { by: 'mara', files, message, ...(branch === undefined ? {} : { branch }) });
  const names = ['pulled', 'committed', 'named', 'dropped', 'refused', 'moved', 'written', 'open'];
  await push(Object.fromEntries(names.map((name) => [`src/${name}.js`, source(name, '// as it began')])), 'Begin');
  for (const name of names) {
    issues[name] = people.openIssue(NAME, { by: 'mara', title: `${name} is wrong`, body: `See \`${name}\`.` }).number;
  }
  const mend = (name: string, message: string) => push({ [`src/${name}.js`]: source(name, '// mended') }, message);
  await push({ 'src/pulled.js': source('pulled', '// mended') }, 'Look at it once more', 'own');
  const pull = await people.openPull(NAME, {
    ...{ by: 'mara', title: 'Repair it', head: 'own', body: `Fixes #${issues['pulled']}` },
  });
  fixes['pulled'] = await people.merge(NAME, pull.number, 'mara');
  fixes['committed'] = await mend('committed', `Repair it\n\nFixes #${issues['committed']}`);
  fixes['named'] = await mend('named', `Look at #${issues['named']} again`);
  people.close(NAME, issues['named'] ?? 0, 'mara');
  people.close(NAME, issues['dropped'] ?? 0, 'mara');
  await mend('refused', `Be nicer to #${issues['refused']}`);
  people.edit(NAME, issues['refused'] ?? 0, { by: 'mara', state: 'closed', stateReason: 'not_planned' });
  await mend('moved', `Fixes #${issues['moved']}`);
  // Moved to another repository, or deleted: its number is nobody's any more.
  double.repository(NAME).issues.delete(issues['moved'] ?? 0);
  await push({ 'README.md': 'Better words\n' }, `Say it better, closes #${issues['written']}`);
  await mend('open', `Begin with #${issues['open']}`);
  for (let at = 0; at < DROPPED; at++) {
    const { number } = people.openIssue(NAME, { by: 'mara', title: `A wish, number ${at}`, body: '' });
    people.close(NAME, number, 'mara');
  }
  const { GHE_HOST = '', GHE_PROTOCOL = '', ...app } = await appSettings(double, folder, undefined);
  withoutToken = { GHE_HOST, GHE_PROTOCOL };
  asApp = { ...withoutToken, ...app };
});
afterAll(() => opened.disposeAsync());

interface Evaluated {
  readonly cases: readonly { readonly name: string; readonly fix: string }[];
  readonly unfit: object;
}

async function evaluate(state: string, env: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const dataDir = path.join(folder, state);
  await mkdir(dataDir, { recursive: true });
  const before = double.requests.length;
  const args = [
    'eval',
    '--github',
    NAME,
    '--models',
    'none',
    '--json',
    '--state',
    path.join(dataDir, 'state'),
    ...more,
  ];
  const out = await runCauseway(args, { cwd: folder, env: { ...env, DATA_DIR: dataDir } });
  const asked = double.requests.slice(before).filter(({ path: where }) => !where.includes('.git/'));
  return { found: JSON.parse(out) as Evaluated, asked: asked.map(({ method, path: where }) => `${method} ${where}`) };
}

function fixesOf({ cases }: Evaluated): readonly (readonly [string, string])[] {
  return cases.map(({ name, fix }) => [name, fix] as const);
}

const caseOf = (name: string) => [`#${issues[name]}`, fixes[name]] as const;

describe('an evaluation of a repository on GitHub', () => {
  it('with the App takes what GitHub knows of each closed issue, on all pages, and reads only', async () => {
    double.people.install(OWNER, { by: 'nora' });
    const { found, asked } = await evaluate('app', asApp);
    expect(fixesOf(found)).toEqual([caseOf('named'), caseOf('committed'), caseOf('pulled')]);
    expect(asked).toEqual([
      ...[`GET /repos/${NAME}/installation`, expect.stringMatching(/^POST \/app\/installations\/\d+\/access_tokens$/)],
      ...['POST /graphql', 'POST /graphql', 'POST /graphql'],
    ]);
    const tokens = double.requests.filter(({ tokenKind }) => tokenKind === 'installation');
    expect(new Set(tokens.flatMap(({ permissions }) => Object.values(permissions)))).toEqual(new Set(['read']));
  });

  it('without a token finds what commits name, in two calls', async () => {
    const { found, asked } = await evaluate('nobody', withoutToken);
    expect(fixesOf(found)).toEqual([caseOf('named'), caseOf('committed')]);
    expect(asked.map((one) => one.replace(/per_page=100&/, ''))).toEqual([
      `GET /repos/${NAME}/issues?state=closed&page=1`,
      `GET /repos/${NAME}/issues?state=closed&page=2`,
    ]);
  });

  it('says what a token may not read, and when its calls are used up', async () => {
    const { faults } = double;
    const body = { errors: [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }] };
    const forbidden = { kind: 'answer', when: 'before', status: 200, body } as const;
    faults.add({ method: 'POST', path: /^\/graphql$/, fault: forbidden });
    await expect(evaluate('forbidden', asApp)).rejects.toThrow('may not read the issues (403)');
    faults.add({ method: 'POST', path: /^\/graphql$/, fault: { kind: 'primary_limit', resetInSeconds: 1_200 } });
    await expect(evaluate('used-up', asApp)).rejects.toThrow(
      /rate limit is used up: it resets at .* \(in 2\d minutes\)/,
    );
  });

  it('stops asking once it has as many as were wanted', async () => {
    const { found } = await evaluate('last', withoutToken, '--last', '1');
    expect(fixesOf(found)).toEqual([caseOf('named')]);
  });

  it('says when the 60 calls of an hour are used up, and begins again afterwards', async () => {
    const paths = new RegExp(`^/repos/${NAME}/issues\\?`);
    double.faults.add({ method: 'GET', path: paths, skip: 1, fault: { kind: 'primary_limit', resetInSeconds: 1_200 } });
    await expect(evaluate('limit', withoutToken)).rejects.toThrow(
      /rate limit is used up: it resets at .* UTC \(in 2\d minutes\)\. With a token in GITHUB_TOKEN the limit is 5,000/,
    );
    expect(fixesOf((await evaluate('limit', withoutToken)).found)).toHaveLength(2);
  });
});
