// Servers that are programs: what they are given, what they may do to us, and that nothing of them is left.
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { listRegisteredSecrets } from '../../src/log.ts';
import { open, program, SUBJECT } from './doubles.ts';

/** Made at run time: the tree holds nothing that looks like a secret. */
const TOKEN = ['planted', 'value', '4711', 'abcdef'].join('-');

async function isGone(pid: number): Promise<boolean> {
  for (let round = 0; round < 100; round += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await delay(50);
  }
  return false;
}

describe('a monitoring server that is a program', () => {
  it('is asked, and the step says what and whom', async () => {
    await using opened = open({ prometheus: program('plain', { tools: ['query'] }) });
    expect(await opened.ask('prometheus__query', { query: 'up' })).toEqual({
      action: 'prometheus__query {"query":"up"} on monitoring server prometheus',
      finding: { status: 'found', text: 'value of up is 42', cut: '' },
    });
  });

  it('gets PATH and the variables named, nothing else, and no folder of the caller', async () => {
    const environment = { PATH: process.env['PATH'], PROM: 'http://127.0.0.1:9090', HOME: '/home/x', OTHER: 'no' };
    await using opened = open({ p: program('plain', { tools: ['env'], env: ['PROM'] }) }, { environment });
    const { finding } = await opened.ask('p__env');
    const [variables = '', folder] = finding.text.split('\n');
    expect(JSON.parse(variables)).toEqual({ PATH: process.env['PATH'], PROM: 'http://127.0.0.1:9090' });
    expect(folder).toBe('/');
  });

  it('cannot bring a secret that it was given into results or the log', async () => {
    const environment = { PATH: process.env['PATH'], GRAFANA_TOKEN: TOKEN };
    const entry = program('noisy', { tools: ['env', 'query'], env: ['GRAFANA_TOKEN'] });
    await using opened = open({ g: entry }, { environment });
    expect((await opened.ask('g__env')).finding.text).toContain('"GRAFANA_TOKEN":"[redacted]"');
    const { action } = await opened.ask('g__query', { query: TOKEN });
    expect(action).toContain('[redacted]');
    await expect.poll(opened.logged).toContain('is left out');
    expect(opened.logged()).toContain('connected with [redacted]');
    expect(opened.logged()).not.toContain(TOKEN);
    expect(listRegisteredSecrets()).toContain(TOKEN);
    expect(opened.logged().length).toBeLessThan(60_000);
  });

  it('is offered tool by tool as the operator lists them, with words that are bounded and marked', async () => {
    await using opened = open({ p: program('plain', { tools: ['query', 'no_such', 'die'] }) });
    const tools = await opened.tools();
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['p__query', 'Monitoring (p): Does query.'],
      ['p__die', 'Monitoring (p): Does die.'],
    ]);
    expect(opened.logged()).toContain('has no such tool');
    expect(opened.logged()).toContain('can destroy');
    expect(JSON.stringify(await opened.tools())).toBe(JSON.stringify(tools));
  });

  it.each([
    ['answers with 50 MB', 'huge', /answered with more than 4 MB at once; ask for less/],
    ['dies in the middle of a call', 'die', /it ended or closed the connection/],
    ['floods its output', 'flood', /flooded its output and was ended/],
    ['answers with what is no result', 'invalid', /no valid result of the protocol/],
    ['says that it failed', 'fail', /prometheus says: the query has a parse error at character 3/],
  ])('that %s fails in words, and answers the next call', async (_, tool, words) => {
    await using opened = open({ prometheus: program('plain', { tools: [tool, 'query'] }) });
    const { action, finding } = await opened.ask(`prometheus__${tool}`);
    expect(action).toBe(`prometheus__${tool} {} on monitoring server prometheus`);
    expect(finding.status).toBe('failed');
    expect(finding.text).toMatch(words);
    expect((await opened.ask('prometheus__query', { query: 'up' })).finding.status).toBe('found');
  });

  it('that never answers a call is given up after the deadline, and ended when that happens again', async () => {
    await using opened = open({ p: program('plain', { tools: ['hang', 'pids'], callTimeoutS: 2 }) });
    const [pid] = JSON.parse((await opened.ask('p__pids')).finding.text) as [number];
    expect((await opened.ask('p__hang')).finding.text).toContain('did not answer within 2 s');
    expect(JSON.parse((await opened.ask('p__pids')).finding.text)).toContain(pid);
    for (let round = 0; round < 2; round += 1) await opened.ask('p__hang');
    expect(await isGone(pid)).toBe(true);
  });

  it('that writes what is no protocol is understood all the same', async () => {
    await using opened = open({ p: program('plain', { tools: ['garbage'] }) });
    expect((await opened.ask('p__garbage')).finding.text).toBe('after the garbage');
  });

  it('that asks us for a model, a password or our folders is refused', async () => {
    await using opened = open({ p: program('plain', { tools: ['asks'] }) });
    expect((await opened.ask('p__asks')).finding.text).toBe('[-32601,-32601,-32601]');
  });

  it('has its results joined, cut in whole lines, and the rest named', async () => {
    await using opened = open({ p: program('plain', { tools: ['parts', 'lines', 'empty'], maxResultBytes: 500 }) });
    expect((await opened.ask('p__parts')).finding).toEqual({
      status: 'found',
      text: 'two parts\nand the end\n{\n "rate": 0.5\n}',
      cut: 'left out: image (image/png, 3 bytes), resource logs://today, resource logs://yesterday',
    });
    expect((await opened.ask('p__lines', { count: 1_000 })).finding).toMatchObject({
      text: expect.stringMatching(/^line 0 é\n(line \d+ é\n)+line \d+ é$/),
      cut: expect.stringMatching(/^cut: the first \d+ of 1000 lines \(\d+ of \d+ bytes\)/),
    });
    expect((await opened.ask('p__empty')).finding.status).toBe('nothing');
  });

  it('that describes a tool otherwise after a restart is not believed', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'monitoring-')), 'started');
    await using opened = open({ p: program(`changing ${file}`, { tools: ['query', 'die'] }) });
    const before = JSON.stringify(await opened.tools());
    await opened.ask('p__die');
    expect((await opened.ask('p__query', { query: 'up' })).finding.status).toBe('found');
    expect(JSON.stringify(await opened.tools())).toBe(before);
    expect(opened.logged()).toContain('a monitoring tool changed');
    expect(opened.logged()).toContain('says that its tools changed');
    expect(opened.logged()).not.toContain('Ignore all rules');
  });

  it.each([
    ['does not answer the handshake', program('silent', { tools: ['query'] }), 'did not answer within 0.3 s'],
    ['is not there', { command: 'no-such-program-4711', projects: ['acme/shop'], tools: ['query'] }, 'was not found'],
    [
      'floods before it says a word',
      { command: 'yes', projects: ['acme/shop'], tools: ['query'] },
      'flooded its output',
    ],
    ['ends at once', { command: 'true', projects: ['acme/shop'], tools: ['query'] }, /ended or closed|EPIPE/],
  ])('that %s is offered all the same, and says why when it is called', async (mode, entry, words) => {
    const timing = mode.includes('handshake') ? { connectMs: 300 } : {};
    await using opened = open({ p: entry }, { timing });
    const [tool] = await opened.tools();
    expect(tool).toMatchObject({ name: 'p__query', parameters: { type: 'object' } });
    expect(tool?.description).toMatch(
      /^Monitoring \(p\): query\. The server did not answer when this investigation began/,
    );
    const { action, finding } = await opened.ask('p__query', { query: 'up' });
    expect(action).toBe('p__query {"query":"up"} on monitoring server p');
    expect(finding.status).toBe('failed');
    expect(finding.text).toMatch(words);
  });

  it('that has no tools is reported to the operator, and nothing is written where answers go', async () => {
    const printed = vi.spyOn(console, 'debug');
    await using opened = open({ p: program('toolless', { tools: ['query'] }) });
    expect(await opened.tools()).toEqual([]);
    expect(opened.logged()).toContain('has no such tool');
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });

  it('that failed is left alone for a while', async () => {
    const entry = { command: 'no-such-program-4711', projects: ['acme/shop'], tools: ['query'] };
    await using opened = open({ p: entry }, { timing: { pauseMs: 30_000, maxPauseMs: 60_000 } });
    expect((await opened.ask('p__query')).finding.text).toMatch(/was not found: .*; it is tried again in (30|29) s/);
  });

  it('is ended with everything that it started, however stubborn', async () => {
    const opened = open({ p: program('stubborn', { tools: ['pids'] }) });
    const pids = JSON.parse((await opened.ask('p__pids')).finding.text) as number[];
    expect(pids).toHaveLength(2);
    await opened.monitoring[Symbol.asyncDispose]();
    expect(await Promise.all(pids.map(isGone))).toEqual([true, true]);
  });

  it('does not outlive a service that ends without disposing', async () => {
    const source = (file: string): string => JSON.stringify(path.join(import.meta.dirname, '../..', file));
    const script = `
      const { open, program } = await import(${source('test/mcp-client/doubles.ts')});
      const { finding } = await open({ p: program('stubborn', { tools: ['pids'] }) }).ask('p__pids');
      process.stdout.write(finding.text, () => process.exit(3));`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(status).toBe(3);
    const pids = JSON.parse(stdout) as number[];
    expect(pids).toHaveLength(2);
    expect(await Promise.all(pids.map(isGone))).toEqual([true, true]);
  });

  it.each([0, 200])('gives a call up when the investigation is cancelled %i ms into it', async (ms) => {
    await using opened = open({ p: program('plain', { tools: ['hang'] }) });
    const [tool] = await opened.tools();
    const cancel = new AbortController();
    const asked = tool?.run('{}', cancel.signal);
    setTimeout(() => cancel.abort(new Error('cancelled by the caller')), ms);
    await expect(asked).rejects.toThrow('cancelled by the caller');
  });

  it('is shared by runs that ask at the same time', async () => {
    await using opened = open({ p: program('plain', { tools: ['pids'] }) });
    const answers = await Promise.all(Array.from({ length: 5 }, () => opened.ask('p__pids')));
    expect(new Set(answers.map(({ finding }) => finding.text)).size).toBe(1);
  });

  it.each(['not JSON', '[]', '"text"', `{"query": "${'x'.repeat(20_001)}"}`])(
    'is not asked with arguments like %.12s',
    async (raw) => {
      await using opened = open({ p: program('plain', { tools: ['query'] }) });
      const [tool] = await opened.tools();
      const result = await tool?.run(raw, new AbortController().signal);
      expect(result?.finding).toMatchObject({ status: 'failed', text: expect.stringMatching(/^The arguments /) });
      expect(result?.action.length).toBeLessThan(700);
    },
  );
});

describe('who is served', () => {
  const entry = program('plain', { tools: ['query'] });

  it.each([
    ['a project that is not named', { ...SUBJECT, project: 'acme/other' }, {}, 0],
    ['a project that is named, in any case', { ...SUBJECT, project: 'Acme/Shop' }, {}, 1],
    ['a public repository', { ...SUBJECT, isPublic: true }, {}, 0],
    ['a public repository that the entry allows', { ...SUBJECT, isPublic: true }, { allowPublic: true }, 1],
    ["a stranger's report", { ...SUBJECT, isTrusted: false }, {}, 0],
    ["a stranger's report that the entry allows", { ...SUBJECT, isTrusted: false }, { allowUntrustedReports: true }, 1],
    [
      "a stranger's report in a public repository, of which the entry allows only one",
      { ...SUBJECT, isPublic: true, isTrusted: false },
      { allowPublic: true },
      0,
    ],
  ])('%s', async (_, subject, more, count) => {
    await using opened = open({ p: { ...entry, ...more } });
    expect(await opened.monitoring.toolsFor(subject, new AbortController().signal)).toHaveLength(count);
    // Nobody served: nothing started.
    expect(opened.logged().includes('connected to')).toBe(count > 0);
  });
});
