// `coverage`: which functions and files run for one report until its 202, and for one label until the comment with the facts.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openShop, reportBug, SHOP_NAME } from '../support/github-shop.ts';
import { openGithubStage } from '../support/github-stage.ts';
import { temporaryFolder } from '../support/service.ts';
import { listShippedFiles, ROOT } from '../support/source-files.ts';
import { say, table } from './figures.ts';
import { openLocalService } from './local-service.ts';
import { keptRepository } from './made-repository.ts';

const PROBE = path.join(import.meta.dirname, 'coverage-probe.mjs');

/** What V8's precise coverage counts, as `Profiler.takePreciseCoverage` gives it. */
interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
  }[];
}

/** Prints the figures and, with `--files`, the files in the order of their functions. */
export async function measureCoverage(args: readonly string[]): Promise<void> {
  await using folder = await temporaryFolder();
  const rows = [
    countRun('one report until its 202', await coverReport(folder.path)),
    countRun('one label until the comment with the facts', await coverLabel(folder.path)),
  ];
  say(
    table(
      ['what', 'functions', 'files', 'folders'],
      rows.map(({ cells }) => cells),
    ),
  );
  if (args.includes('--files')) for (const { cells, files } of rows) say(`\n${cells[0]}:\n${files.join('\n')}`);
}

async function coverReport(folder: string): Promise<readonly Script[]> {
  const probe = await openProbe(path.join(folder, 'report'));
  await using local = await openLocalService((await keptRepository(1_000)).gitDir, {
    env: { ...probe.env, RATE_LIMIT: '600' },
  });
  // The first of everything also fills caches.
  await local.api.end(await local.api.report({ projectId: local.projectId, data: 'The total is wrong.' }));
  return await probe.cover(local.service.process.pid, async () => {
    await local.api.report({ projectId: local.projectId, data: 'The total is wrong since Tuesday.' });
  });
}

async function coverLabel(folder: string): Promise<readonly Script[]> {
  const probe = await openProbe(path.join(folder, 'label'));
  await using stage = await openGithubStage({ prepare: (double) => openShop(double), env: probe.env });
  const number = await reportBug(stage.double);
  await stage.rest();
  return await probe.cover(stage.service().process.pid, async () => {
    stage.double.people.label(SHOP_NAME, number, 'analyse', 'mara');
    await stage.until('a comment', () => stage.ourComments(SHOP_NAME, number)[0], 5);
  });
}

/** A module in the service's process that counts between two signals. */
async function openProbe(folder: string) {
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, 'coverage.json');
  return {
    env: { NODE_OPTIONS: `--import=${PROBE}`, COVERAGE_FILE: file },
    cover: async (pid: number | undefined, work: () => Promise<void>): Promise<readonly Script[]> => {
      if (pid === undefined) throw new Error('the service does not run');
      const told = async (word: string) => {
        process.kill(pid, 'SIGUSR2');
        while ((await readFile(`${file}.state`, 'utf8').catch(() => '')) !== word) await wait(2);
      };
      await writeFile(`${file}.state`, '');
      await told('started');
      await work();
      await told('ended');
      return JSON.parse(await readFile(file, 'utf8'));
    },
  };
}

function countRun(what: string, scripts: readonly Script[]) {
  const ours = new Set(listShippedFiles().map((file) => path.join(ROOT, file)));
  const own = scripts
    .filter(({ url }) => url.startsWith('file:') && ours.has(fileURLToPath(url)))
    .map(({ url, functions }) => ({
      file: path.relative(ROOT, fileURLToPath(url)),
      // The code of a module itself is a function without a name at its beginning.
      ran: functions.filter(({ functionName, ranges: [range] }) => {
        return range !== undefined && range.count > 0 && (functionName !== '' || range.startOffset > 0);
      }).length,
    }))
    .filter(({ ran }) => ran > 0)
    .toSorted((one, other) => other.ran - one.ran);
  const functions = own.reduce((sum, { ran }) => sum + ran, 0);
  const folders = new Set(own.map(({ file }) => file.split(path.sep).slice(0, 2).join('/')));
  return {
    cells: [what, String(functions), String(own.length), String(folders.size)],
    files: own.map(({ file, ran }) => `${String(ran).padStart(4)} ${file}`),
  };
}
