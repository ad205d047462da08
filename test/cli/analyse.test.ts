import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { condenseLog } from 'causeway-ci-log';
import { describe, expect, it } from 'vitest';
import { type AnalysisOpener, type AnalysisSession, analyse } from '../../src/cli/analyse.ts';
import type { AnalyseCommand } from '../../src/cli/command-line.ts';
import type { SubjectReader } from '../../src/cli/report-input.ts';
import { printError } from '../../src/cli/terminal.ts';
import { CausewayError } from '../../src/core/errors.ts';
import type { ProjectSource } from '../../src/core/project/project.ts';
import type { InvestigationOutcome } from '../../src/core/report/report.ts';
import type { FollowEvent } from '../../src/services/follow.ts';
import { sampleIssue } from '../support/sample-issue.ts';
import { type ScriptedTerminal, scriptedTerminal } from '../support/scripted-terminal.ts';

const ISSUE = sampleIssue();
const CONCLUDED: InvestigationOutcome = { state: 'concluded', issueId: ISSUE.id };
const ADDRESS = 'https://github.com/octo/shop/actions/runs/1';

interface Script {
  readonly outcome?: InvestigationOutcome;
  readonly patch?: string;
  /** Events never end: the investigation hangs until it is stopped. */
  readonly hangs?: boolean;
  readonly opening?: CausewayError;
}

interface Played {
  source: ProjectSource | null;
  report: { text: string; revision: string } | null;
  disposed: boolean;
}

function play(script: Script = {}): { deps: AnalysisOpener & SubjectReader; played: Played } {
  const played: Played = { source: null, report: null, disposed: false };
  const session: AnalysisSession = {
    start: async (report) => {
      played.report = { text: report.text, revision: report.revision };
      return 'inv_1';
    },
    follow: (_, signal) => events(script, signal),
    issue: async (id) => (id === ISSUE.id ? ISSUE : null),
    troubles: () => [],
    patch: async () => script.patch ?? '',
    [Symbol.asyncDispose]: async () => {
      played.disposed = true;
    },
  };
  const deps: AnalysisOpener & SubjectReader = {
    open: async ({ source }) => {
      if (script.opening) throw script.opening;
      played.source = source;
      return session;
    },
    readAddress: async () => ({
      text: 'CI failed',
      log: 'npm ERR! test',
      repository: { url: 'https://github.com/octo/shop.git', name: 'octo/shop' },
      revision: 'a1b2c3',
    }),
    shortenLog: condenseLog,
    repositoryAround: (folder) => (folder.startsWith('/home/ada/shop') ? '/home/ada/shop' : null),
  };
  return { deps, played };
}

async function* events(script: Script, signal: AbortSignal): AsyncGenerator<FollowEvent> {
  const investigation = {
    id: 'inv_1',
    runId: 'run_1',
    accountId: 'acc_1',
    projectId: 'prj_1',
    origin: 'cli',
    reference: '',
    progress: { step: 0, action: '' },
    isTrusted: true,
    createdAt: '2025-03-01T12:00:00.000Z',
  } as const;
  yield { type: 'state', investigation: { ...investigation, outcome: { state: 'running' } } };
  for (const [at, step] of ISSUE.investigationSteps.entries()) {
    yield { type: 'step', step: { ...step, number: at + 1 } };
  }
  if (script.hangs) {
    if (!signal.aborted) await once(signal, 'abort');
    return;
  }
  yield { type: 'end', investigation: { ...investigation, outcome: script.outcome ?? CONCLUDED } };
}

const COMMAND: AnalyseCommand = {
  kind: 'analyse',
  input: { kind: 'text', text: 'It crashes' },
  repository: null,
  revision: '',
  log: null,
  json: false,
  patchFile: null,
};

async function run(part: Partial<AnalyseCommand>, io: ScriptedTerminal, script: Script = {}) {
  const { deps, played } = play(script);
  const { signal } = new AbortController();
  const code = await analyse({ ...COMMAND, ...part }, io, deps, signal).catch((error) => printError(error, io, signal));
  return { code, played, ...io.printed };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-test-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('analyse', () => {
  it('shows the steps on standard error as they happen, and the answer on standard output', async () => {
    const { code, err, out, played } = await run({}, scriptedTerminal());
    expect(code).toBe(0);
    expect(err).toMatchInlineSnapshot(`
      "Investigating shop
       1  read the report · It holds 7 stack frames.
       2  read src/coupons.js:9-17 at 484f10e · Line 14 is the place that the facts n…
      Concluded in 1 s after 2 steps.
      "
    `);
    expect(out).toMatch(/^Facts only · no model was used\n\nMost likely place/);
    expect(played).toEqual({
      source: { kind: 'path', path: '/home/ada/shop' },
      report: { text: 'It crashes', revision: '' },
      disposed: true,
    });
  });

  it('on a terminal is coloured, and keeps steps and answer apart', async () => {
    const { err, out } = await run({}, scriptedTerminal({ colour: { out: true, err: true } }));
    expect(err.split('\n').slice(0, 2)).toMatchInlineSnapshot(`
      [
        "[1mInvestigating shop[22m",
        "[36m 1[39m  read the report[2m · It holds 7 stack frames.[22m",
      ]
    `);
    expect(out.startsWith('\u001b[1m\u001b[33mFacts only')).toBe(true);
  });

  it('with --json prints exactly the Issue and nothing else', async () => {
    const { out } = await run({ json: true }, scriptedTerminal());
    expect(JSON.parse(out)).toEqual(ISSUE);
  });

  it('that fails says why on standard error and exits with 1', async () => {
    const reason = { code: 'revision_not_found', detail: 'There is no branch "nope".' } as const;
    const { code, err, out, played } = await run({ revision: 'nope' }, scriptedTerminal(), {
      outcome: { state: 'gave_up', reason },
    });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^Investigating shop at nope\n/);
    expect(err).toMatch(/causeway: The investigation failed\. There is no branch "nope"\.\n$/);
    expect(played.disposed).toBe(true);
  });

  it('of a repository that cannot be opened exits with 1', async () => {
    const opening = new CausewayError('repository_unreachable', 'The repository could not be read.');
    const { code, err } = await run({}, scriptedTerminal(), { opening });
    expect(code).toBe(1);
    expect(err).toContain('causeway: The repository could not be read.\n');
  });

  it('that is stopped with Ctrl-C closes its session, says nothing more and exits with 130', async () => {
    const stop = new AbortController();
    const io = scriptedTerminal();
    const { deps, played } = play({ hangs: true });
    const stopping = { ...io, err: (text: string) => text.startsWith(' 2') && stop.abort() };
    await expect(analyse(COMMAND, stopping, deps, stop.signal)).rejects.toThrow('aborted');
    expect(printError(stop.signal.reason, io, stop.signal)).toBe(130);
    expect(io.printed.out).toBe('');
    expect(played.disposed).toBe(true);
  });

  it('that is stopped while it reads standard input does not wait for its end', async () => {
    const stop = new AbortController();
    const stdin = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => stop.abort()) }) };
    const { deps, played } = play();
    const command: AnalyseCommand = { ...COMMAND, input: { kind: 'stdin' } };
    const running = analyse(command, scriptedTerminal({ stdin }), deps, stop.signal);
    await expect(running).rejects.toThrow('aborted');
    expect(played.source).toBeNull();
  });
});

describe('the report of analyse', () => {
  it('comes from a pipe where no text is given', async () => {
    const { played } = await run({ input: { kind: 'none' } }, scriptedTerminal({}, 'piped text\n'));
    expect(played.report?.text).toBe('piped text\n');
  });

  it('is typed on a terminal, which says how to end it', async () => {
    const io = scriptedTerminal({ stdinIsTerminal: true }, 'typed\n');
    const { played, err } = await run({ input: { kind: 'stdin' } }, io);
    expect(err).toMatch(/^Reading from standard input; end with Ctrl-D\.\n/);
    expect(played.report?.text).toBe('typed\n');
  });

  it('has its log under a heading', async () => {
    await inFolder(async (folder) => {
      await writeFile(path.join(folder, 'build.log'), 'line 1\nline 2\n');
      const log = path.join(folder, 'build.log');
      const { played } = await run({ log }, scriptedTerminal());
      expect(played.report?.text).toBe('It crashes\n\n--- Log: build.log ---\n\nline 1\nline 2\n');
      const piped = await run({ log: '-' }, scriptedTerminal({}, 'piped log'));
      expect(piped.played.report?.text).toBe('It crashes\n\n--- Log: standard input ---\n\npiped log');
    });
  });

  it('may be only a log; standard input is not read then', async () => {
    await inFolder(async (folder) => {
      await writeFile(path.join(folder, 'build.log'), 'only the log');
      const stdin = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) };
      const log = path.join(folder, 'build.log');
      const { played } = await run({ input: { kind: 'none' }, log }, scriptedTerminal({ stdin }));
      expect(played.report?.text).toBe('--- Log: build.log ---\n\nonly the log');
    });
  });

  it('of more than 1 MiB keeps what matters of the log, and says what was left out', async () => {
    await inFolder(async (folder) => {
      const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at} of the log`);
      const told = lines.with(40_000, '--- FAIL: TestCoupon (0.00s)').join('\n');
      await writeFile(path.join(folder, 'build.log'), told);
      const log = path.join(folder, 'build.log');
      const { played, err } = await run({ log }, scriptedTerminal());
      const text = played.report?.text ?? '';
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
      expect(text).toMatch(/^It crashes\n\n--- Log: build\.log ---\n\n\[Cut from \d+ bytes in 100000 lines\]\n/);
      expect(text).toContain('\n--- FAIL: TestCoupon (0.00s)\n');
      expect(text.trimEnd().endsWith('line 99999 of the log')).toBe(true);
      expect(err).toMatch(/^\d+ bytes of the log that matter least were left out \(a report has at most 1 MiB\)\.\n/);
    });
  });

  it.each([
    ['gzip', gzipSync('npm ERR! größer')],
    ['gzip within gzip', gzipSync(gzipSync('npm ERR! größer'))],
    ['UTF-16 of Windows', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('npm ERR! größer', 'utf16le')])],
    [
      'UTF-16 of others',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('npm ERR! größer', 'utf16le')]).swap16(),
    ],
    ['UTF-8 with its mark', Buffer.from('\uFEFFnpm ERR! größer')],
  ])('is read as %s', async (_, bytes) => {
    await inFolder(async (folder) => {
      const log = path.join(folder, 'build.log');
      await writeFile(log, bytes);
      const { played } = await run({ input: { kind: 'none' }, log }, scriptedTerminal());
      expect(played.report?.text).toBe('--- Log: build.log ---\n\nnpm ERR! größer');
    });
  });

  it.each([
    ['a zip archive', Buffer.from('PK\u0003\u0004logs'), 'The log is a zip archive: unpack it'],
    ['a picture', Buffer.from('\u0089PNG\r\n\u001a\n\0\0\0', 'latin1'), 'The log is not text'],
    ['damaged gzip', gzipSync('x'.repeat(100)).subarray(0, 20), 'The log is a damaged gzip file'],
  ])('that is %s is refused in one line', async (_, bytes, words) => {
    await inFolder(async (folder) => {
      const log = path.join(folder, 'build.log');
      await writeFile(log, bytes);
      const { code, err } = await run({ input: { kind: 'none' }, log }, scriptedTerminal());
      expect(err).toMatch(/^causeway: [^\n]+\n$/);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(words) });
    });
  });

  it('of more than 1 MiB from a pipe keeps its beginning and its end', async () => {
    const lines = Array.from({ length: 100_000 }, (_, at) => `line ${at} of the report`);
    const { played } = await run({ input: { kind: 'stdin' } }, scriptedTerminal({}, lines.join('\n')));
    const text = played.report?.text ?? '';
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    expect(text).toMatch(/^\[Cut from \d+ bytes in 100000 lines\]\nline 0 of the report\n/);
    expect(text.trimEnd().endsWith('\nline 99999 of the report')).toBe(true);
  });

  it('as PowerShell writes it (UTF-16) is read as text', async () => {
    const stdin = (async function* () {
      yield Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Fehler: größer', 'utf16le')]);
    })();
    const { played } = await run({ input: { kind: 'stdin' } }, scriptedTerminal({ stdin }));
    expect(played.report?.text).toBe('Fehler: größer');
  });

  it('behind an address brings its own repository, commit and log', async () => {
    const { played, err } = await run({ input: { kind: 'address', url: ADDRESS } }, scriptedTerminal());
    expect(err).toMatch(/^Reading https:\S+\nInvestigating octo\/shop at a1b2c3\n/);
    expect(played).toMatchObject({
      source: { kind: 'url', url: 'https://github.com/octo/shop.git' },
      report: { text: 'CI failed\n\nnpm ERR! test', revision: 'a1b2c3' },
    });
  });

  it('behind an address may be investigated in a local clone and at another commit', async () => {
    const repository = { kind: 'path', path: '..' } as const;
    const { played } = await run(
      { input: { kind: 'address', url: ADDRESS }, repository, revision: 'main' },
      scriptedTerminal(),
    );
    expect(played.source).toEqual({ kind: 'path', path: '/home/ada/shop' });
    expect(played.report?.revision).toBe('main');
  });
});

describe('wrong use of analyse', () => {
  it.each<[string, Partial<AnalyseCommand>, Partial<ScriptedTerminal>, string]>([
    ['no report', { input: { kind: 'none' } }, { stdinIsTerminal: true }, 'There is no report: give it in quotes'],
    ['an empty report', { input: { kind: 'text', text: ' \n' } }, {}, 'The report is empty'],
    ['an empty pipe', { input: { kind: 'none' } }, {}, 'The report is empty'],
    ['a missing log', { log: 'no.log' }, {}, 'The log no.log cannot be read: there is no such file'],
    ['a folder as log', { log: '/' }, {}, 'The log / cannot be read: it is a folder'],
    ['no repository here', {}, { cwd: '/srv' }, 'This folder is not in a git repository'],
    ['no repository there', { repository: { kind: 'path', path: '/etc' } }, {}, '/etc is not in a git repository'],
    [
      'a patch into nowhere',
      { patchFile: '/nowhere/x.patch' },
      {},
      '--patch cannot write /nowhere/x.patch: there is no such',
    ],
  ])('%s is one clear line and exit 2', async (_, part, terminal, words) => {
    const { code, err, out } = await run(part, scriptedTerminal(terminal));
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^causeway: [^\n]+\n$/);
    expect(err).toContain(words);
  });
});

describe('the patch of analyse', () => {
  const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';

  it('is written to the named file', async () => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'fix.patch');
      const { code, err } = await run({ patchFile: file }, scriptedTerminal(), { patch });
      expect(await readFile(file, 'utf8')).toBe(patch);
      expect(err).toContain(`The patch is in ${file}. Apply it at 484f10e70a39 with "git apply ${file}".\n`);
      expect(code).toBe(0);
    });
  });

  it('is not written where nothing changes, and a line says so', async () => {
    await inFolder(async (folder) => {
      const file = path.join(folder, 'fix.patch');
      const { code, err } = await run({ patchFile: file }, scriptedTerminal());
      expect(code).toBe(0);
      expect(err).toContain('No patch was written: this investigation changes no code.\n');
      await expect(readFile(file)).rejects.toThrow('ENOENT');
    });
  });
});
