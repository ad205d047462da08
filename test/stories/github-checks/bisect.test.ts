// A default branch that turned red over several commits: they are listed with what ties each to the failure, and the
// line that is printed finds the one that broke it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CHANGED_TESTS, minutesAgo, type RedDesk, redStage } from '../../support/github-red-desk.ts';
import { COUPONS, type Failing } from '../../support/github-red-model.ts';

const stage = redStage({});

const TEST = { 'test/coupons.test.js': CHANGED_TESTS['test/coupons.test.js'] ?? '' };

interface Step {
  readonly message: string;
  readonly files: Readonly<Record<string, string>>;
}

/** A shop that was green, and the commits after that, of which the last is red; their shas. */
async function redAfter(desk: RedDesk, green: Step, steps: readonly Step[], failing: Failing = COUPONS) {
  const { people } = stage.double;
  const push = (step: Step) => people.push(desk.name, { by: 'mara', ...step });
  const passing = await push(green);
  await desk.run(passing, { test: 'success' }, { at: minutesAgo(3) });
  const shas: string[] = [];
  for (const step of steps) shas.push(await push(step));
  await desk.run(shas.at(-1) ?? '', { test: failing });
  return { green: passing, shas, red: shas.at(-1) ?? '' };
}

async function coupons({ name }: RedDesk) {
  const found = await stage.double.git(name, 'show', 'main:src/coupons.js');
  const broken = `${found.trimEnd()}\n`;
  return { broken, mended: broken.replace('COUPONS.get(code)', 'COUPONS.get(code.trim().toUpperCase())') };
}

/** Runs the line that is printed, as it is, in a clone of the repository; what git says. */
function runPrinted({ name }: RedDesk, line: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bisect-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clone = path.join(folder, 'clone');
  const git = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const env = { PATH: process.env['PATH'] ?? '', HOME: folder, ...git };
  execFileSync('git', ['clone', '--quiet', stage.double.repository(name).gitDir, clone], { env });
  return execFileSync('sh', ['-c', line], { cwd: clone, env, encoding: 'utf8', stdio: 'pipe' });
}

function printedLine(words: string): string {
  return /^git bisect start .*$/m.exec(words)?.[0].trim() ?? '';
}

it('is listed with the likeliest commit first and why, and the printed line finds the culprit', async () => {
  const desk = await stage.desk('corner/bisected');
  const { broken, mended } = await coupons(desk);
  const { green, shas, red } = await redAfter(
    desk,
    { message: 'Read coupons in lower case', files: { ...TEST, 'src/coupons.js': mended } },
    [
      { message: 'Say more', files: { 'README.md': 'More.\n' } },
      { message: 'Tidy the coupons', files: { 'src/coupons.js': broken } },
      { message: 'Log deliveries', files: { 'src/log.js': 'export const log = console.log;\n' } },
      { message: 'Note it', files: { 'NOTES.md': 'Noted.\n' } },
      { message: 'Note more', files: { 'NOTES.md': 'Noted again.\n' } },
    ],
  );
  const { words, run } = desk.checkRun(red);
  expect(words).toContain('Introduced by 5 commits');
  expect(words).toMatch(
    /Tidy the coupons, by mara · most likely: touches src\/coupons\.js, which the failing lines name/,
  );
  expect(words.indexOf('Tidy the coupons')).toBeLessThan(words.indexOf('Note more'));
  const line = printedLine(run.output.summary ?? '');
  expect(line).toContain(`git bisect start ${red} ${green} && git bisect run `);
  expect(runPrinted(desk, line)).toContain(`${shas[1]} is the first bad commit`);
});

it('is found too where the test came with the range: before that, nothing failed', async () => {
  const desk = await stage.desk('corner/new-test');
  const { shas, red } = await redAfter(
    desk,
    { message: 'Begin', files: { 'NOTES.md': 'all well\n' } },
    [
      { message: 'Say more', files: { 'README.md': 'More.\n' } },
      { message: 'Log it', files: { 'src/log.js': 'export const log = console.log;\n' } },
      { message: 'Test coupons in lower case', files: { 'test/lower-case.test.js': TEST['test/coupons.test.js'] } },
      { message: 'Note it', files: { 'NOTES.md': 'Noted.\n' } },
    ],
    {
      ...COUPONS,
      at: 'test/lower-case.test.js:12:1',
      error: COUPONS.error.map((line) => line.replace('test/coupons', 'test/lower-case')),
    },
  );
  const line = printedLine(desk.checkRun(red).run.output.summary ?? '');
  expect(line).toContain('[ -f test/lower-case.test.js ] || exit 0');
  expect(runPrinted(desk, line)).toContain(`${shas[2]} is the first bad commit`);
});

it('has a line that runs nothing else, whatever the test is called', async () => {
  const desk = await stage.desk('corner/hostile-name');
  const { broken, mended } = await coupons(desk);
  const test = "a coupon'; touch ran; echo '$(touch ran)`touch ran` & touch ran may be typed";
  const written = TEST['test/coupons.test.js'].replace("'a coupon may be typed in lower case'", JSON.stringify(test));
  const { shas, red } = await redAfter(
    desk,
    { message: 'Begin', files: { 'test/coupons.test.js': written, 'src/coupons.js': mended } },
    [
      { message: 'Say more', files: { 'README.md': 'More.\n' } },
      { message: 'Tidy', files: { 'src/coupons.js': broken } },
      { message: 'Note it', files: { 'NOTES.md': 'Noted.\n' } },
    ],
    { ...COUPONS, test },
  );
  const line = printedLine(desk.checkRun(red).run.output.summary ?? '');
  expect(line).toContain('a coupon.. touch ran');
  const said = runPrinted(desk, line);
  expect(said).toContain(`${shas[1]} is the first bad commit`);
});

it('says where nothing ties any commit to the failure, and keeps the order of git', async () => {
  const desk = await stage.desk('corner/untold');
  const { red } = await redAfter(desk, { message: 'Begin', files: { 'NOTES.md': 'all well\n' } }, [
    { message: 'First', files: { 'NOTES.md': 'one\n' } },
    { message: 'Second', files: { 'docs/NOTES.md': 'two\n' } },
    { message: 'Third', files: { 'NOTES.md': 'three\n' } },
  ]);
  const { words } = desk.checkRun(red);
  expect(words).toContain('Nothing ties any of them to the failure.');
  expect(words).not.toContain('most likely');
  const at = ['Third', 'Second', 'First'].map((subject) => words.indexOf(`${subject}, by mara`));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
});
