// What is published, installed from its tarball in an empty folder outside of the repository: it needs nothing of a clone.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gitRepository } from '../../packages/git-objects/test/git-repository.ts';
import { installPacked } from '../../scripts/release/install-packed.ts';
import type { Issue } from '../../src/core/issue/issue.ts';
import { openActionsStage } from '../support/actions-runner.ts';
import { apiClient } from '../support/api-client.ts';
import { openShop, reportBug } from '../support/github-shop.ts';
import { printedToken, startService, temporaryFolder } from '../support/service.ts';

const run = promisify(execFile);
const ROOT = path.join(import.meta.dirname, '..', '..');
const RELEASE = path.join(ROOT, 'release');
/** As Node says its version to a program, so that none of that age has to be there. */
const AS_NODE_22 =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.11.0"}});Object.defineProperty(process,"version",{value:"v22.11.0"})';

const ENV = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
let folder: string;
let installed: string;

beforeAll(() => {
  ({ folder, installed } = installPacked());
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const causeway = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(process.execPath, [path.join(installed, 'bin', 'causeway'), ...args], { cwd: folder, env: { ...ENV, ...env } });

function listFiles(place: string): readonly string[] {
  return readdirSync(place, { recursive: true, encoding: 'utf8' }).filter((file) =>
    statSync(path.join(place, file)).isFile(),
  );
}

describe('the package', () => {
  it('is no link, holds no test or tool, at most 60 MB, and the licences of what is in it', () => {
    expect(readdirSync(path.join(folder, 'node_modules')).length).toBeGreaterThan(100);
    expect(existsSync(path.join(installed, 'src'))).toBe(false);
    const files = listFiles(installed).filter((file) => !file.startsWith('node_modules'));
    expect(
      files.filter((file) => /(?:^|\/)(?:test|scripts|github-double|bench|eval)\/|\.test\.|\.ts$/.test(file)),
    ).toEqual([]);
    const bytes = files.reduce((sum, file) => sum + statSync(path.join(installed, file)).size, 0);
    expect(bytes / 1e6).toBeLessThan(60);
    // As `du` has it, like the other sizes of the page.
    const whole = Number.parseInt(execFileSync('du', ['-sm', 'node_modules'], { cwd: folder, encoding: 'utf8' }), 10);
    const page = readFileSync(path.join(ROOT, 'docs', 'install.md'), 'utf8');
    const said = /\(#the-package\): (\d+) MB, and (\d+) MB with/.exec(page)?.slice(1).map(Number) ?? [];
    expect(said).toHaveLength(2);
    expect(Math.abs((said[0] ?? 0) - bytes / 1e6), `${bytes / 1e6} MB`).toBeLessThan(2);
    expect(Math.abs((said[1] ?? 0) - whole), `${whole} MB with what it depends on`).toBeLessThan(10);
    expect(readFileSync(path.join(installed, 'THIRD-PARTY-LICENCES.txt'), 'utf8')).toMatch(
      /tree-sitter-wasm[\s\S]*MIT/,
    );
    const licences = readFileSync(path.join(installed, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    const grammars = files.flatMap((file) => /tree-sitter-.+(?=\.wasm$)/.exec(file)?.[0] ?? []);
    expect(grammars.length).toBeGreaterThan(10);
    expect(grammars.filter((name) => !licences.includes(`\n${name}: Copyright (c) `))).toEqual([]);
    const {
      dependencies,
      optionalDependencies,
      devDependencies,
      scripts,
      engines,
      private: isPrivate,
    } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8'));
    expect([optionalDependencies, devDependencies, scripts, engines, isPrivate]).toEqual([
      undefined,
      undefined,
      undefined,
      { node: '>=24' },
      true,
    ]);
    expect(Object.keys(dependencies).filter((name) => name.startsWith('node-'))).toEqual([]);
    expect(existsSync(path.join(installed, 'npm-shrinkwrap.json'))).toBe(true);
  });

  it('installs exactly what the lockfile of the clone names', () => {
    const locked = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')).packages;
    const { packages } = JSON.parse(readFileSync(path.join(installed, 'npm-shrinkwrap.json'), 'utf8'));
    const named = Object.entries<{ version: string; integrity: string }>(packages).filter(([place]) => place !== '');
    expect(named.length).toBeGreaterThan(150);
    expect(named.filter(([place, { integrity }]) => integrity !== locked[place]?.integrity)).toEqual([]);
  });

  it('says in one sentence that an older Node will not do', async () => {
    const old = run(process.execPath, ['--import', AS_NODE_22, path.join(installed, 'bin', 'causeway'), 'version'], {
      env: ENV,
    });
    await expect(old).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'Causeway needs Node 24 or newer; this is v22.11.0.\n',
    });
  });

  it('keeps what Node compiles with itself, and not where others of the machine may write', async () => {
    await using shared = await temporaryFolder();
    await causeway(['version'], { TMPDIR: shared.path });
    expect(readdirSync(shared.path)).toEqual([]);
    expect(existsSync(path.join(installed, '.compiled'))).toBe(true);
  });

  it('investigates, with a script as the model: workers, grammars, prompts and the demo are found', async () => {
    const issue: Issue = JSON.parse((await causeway(['demo', '--json'])).stdout);
    expect(issue.analysis).toMatchObject({ outcome: 'code_fix', partial: false, guards: [] });
    await using repository = await gitRepository();
    await repository.commit(
      { 'src/total.ts': 'export function totalOf(cart) {\n  return cart.items.length;\n}\n' },
      'Shop',
    );
    const report = 'TypeError: Cannot read properties of undefined\n    at totalOf (/srv/shop/src/total.ts:2:15)';
    const { stdout } = await causeway(['analyse', report, '--repo', repository.path, '--json']);
    expect(JSON.parse(stdout).analysis.suspects[0]).toMatchObject({ file: 'src/total.ts', function: 'totalOf' });
  });

  it('keeps its records with the user, and through an upgrade', async () => {
    await using home = await temporaryFolder();
    await using repository = await gitRepository();
    await repository.commit({ 'src/total.ts': 'export const total = 1;\n' }, 'Shop');
    const env = { ...ENV, XDG_STATE_HOME: home.path, DATA_DIR: '' };
    const program = path.join(installed, 'dist', 'main.js');
    const start = () =>
      startService({ projects: [repository.path], dataDir: home.path, env, program, command: ['serve'] });
    let id: string;
    let token: string;
    {
      await using service = await start();
      token = printedToken(service);
      const api = apiClient(service.address, token);
      const { id: projectId } = await api.project();
      id = (await api.issue(await api.report({ projectId, data: 'total is wrong in src/total.ts' }))).id;
      // Its pages, with a style that lies with the code.
      const page = await (await fetch(new URL('/docs', service.address))).text();
      expect(page).toContain('/api/v1/issues/');
      const { stdout } = await causeway(['doctor', '--json'], { XDG_STATE_HOME: home.path }).catch((error) => error);
      expect(stdout).toContain('"database"');
      expect(await service.end('SIGTERM')).toBe(0);
    }
    expect(readdirSync(path.join(home.path, 'causeway'))).toContain('causeway.db');
    upgrade();
    expect((await causeway(['version'])).stdout).toBe('causeway 9.9.9\n');
    await using service = await start();
    expect((await apiClient(service.address, token).get<Issue>(`/api/v1/issues/${id}/`)).id).toBe(id);
  });

  /** The same program as a later version, installed over the first. */
  function upgrade(): void {
    const next = path.join(RELEASE, 'package');
    for (const name of ['package.json', 'npm-shrinkwrap.json']) {
      const file = path.join(next, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": "[^"]+"/, '"version": "9.9.9"'));
    }
    for (const chunk of globSync(path.join(next, 'dist', '*.js'))) {
      writeFileSync(chunk, readFileSync(chunk, 'utf8').replace(/(var version = ")[^"]+/, '$19.9.9'));
    }
    execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: next, stdio: 'ignore' });
    const tarball = path.join(folder, 'causeway-9.9.9.tgz');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball], {
      cwd: folder,
      stdio: 'ignore',
    });
  }
});

describe('the folder of the Action', () => {
  it('answers an issue as a runner starts it, without arguments', async () => {
    await using stage = await openActionsStage();
    const name = 'corner/packed';
    await openShop(stage.double, { name });
    const number = await reportBug(stage.double, { name });
    stage.double.people.label(name, number, 'analyse', 'mara');
    const job = await stage.job('issues', name, { program: [path.join(RELEASE, 'action', 'index.js')] });
    expect(job.code, job.log).toBe(0);
    expect(job.outputs).toMatchObject({ outcome: 'facts_only' });
    expect(stage.ourComments(name, number)).toHaveLength(1);
  });

  it('runs where nothing is installed, and has the licence of every package in it', async () => {
    await using place = await temporaryFolder();
    const copy = path.join(place.path, 'action');
    execFileSync('cp', ['-R', path.join(RELEASE, 'action'), copy]);
    const env = { ...ENV, XDG_STATE_HOME: place.path };
    const { stdout } = await run(process.execPath, [path.join(copy, 'main.js'), 'demo', '--json'], {
      cwd: place.path,
      env,
    });
    expect(JSON.parse(stdout).analysis).toMatchObject({ outcome: 'code_fix' });
    const licences = readFileSync(path.join(copy, 'THIRD-PARTY-LICENCES.txt'), 'utf8');
    for (const name of ['probot', 'openai', 'better-sqlite3', 'hono'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    // Of packages under MIT and ISC alone, whose text is there many times.
    const without = licences.match(/^.*\n\nBy .*ships without the text of this licence\.$/gm) ?? [];
    expect(without.length).toBeLessThan(10);
    expect(without.filter((entry) => !/\((?:MIT|ISC)\)\n/.test(entry))).toEqual([]);
  });
});
